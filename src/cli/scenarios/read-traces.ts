import { compact } from "../../base/compact.ts";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidArgumentError, Option, type Command } from "commander";
import { truncateText, counted } from "../../base/text.ts";
import type { TracedConversation } from "../../contract/schemas/acting/traces.ts";
import { decodeUtf8 } from "../../formats/documents/decode-text.ts";
import { importTraceFiles } from "../../formats/import-scenarios.ts";
import { reviewTag } from "../../formats/review-request.ts";
import type { CollectorOptions } from "../../formats/shared/scenario-collector.ts";
import { FormatError } from "../../formats/scenario-file.ts";
import { CliError } from "../terminal/cli-error.ts";
import { readBytes } from "../terminal/files.ts";
import { collect, wholeNumber } from "../options/parsers.ts";
import { note, outputWidth, printJson, printLine } from "../terminal/output.ts";
import { table } from "../terminal/table.ts";
import { findFiles } from "./find-files.ts";
import type { ScenarioFile } from "./read-scenarios.ts";

/** The options of `rehearsal import` for traces. */
export interface TraceOptions {
  readonly agent?: string;
  readonly since?: string;
  readonly until?: string;
  readonly model?: string;
  readonly errors?: "only" | "none";
  readonly minTurns?: number;
  readonly maxTurns?: number;
  readonly conversation?: readonly string[];
  readonly list?: boolean;
  readonly review?: boolean;
}

export function withTraceOptions(command: Command): Command {
  return command
    .option("--agent <url>", "traces: read the runs of the agent backend at this address")
    .option("--since <time>", "traces: only conversations from then on: 2026-11-01, 24h or 7d", moment)
    .option("--until <time>", "traces: only conversations before then", moment)
    .option("--model <name>", "traces: only conversations with this model (* matches anything)")
    .addOption(
      new Option("--errors <which>", "traces: only conversations with errors, or without").choices(["only", "none"]),
    )
    .option("--min-turns <number>", "traces: only conversations with at least so many turns", wholeNumber(1))
    .option("--max-turns <number>", "traces: only conversations with at most so many turns", wholeNumber(1))
    .option("--conversation <id>", "traces: only this conversation (repeatable)", collect)
    .option("--list", "traces: list the conversations instead of importing them")
    .option("--review", `also store the recorded replies as a run to review; tags the scenarios with ${reviewTag}`);
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A date, a date with a time, or a time ago. */
function moment(value: string): string {
  const { amount, unit = "" } = /^(?<amount>\d{1,6})(?<unit>[mhdw])$/.exec(value)?.groups ?? {};
  const time = amount === undefined ? Date.parse(value) : Date.now() - Number(amount) * (units[unit] ?? 0);
  if (Number.isNaN(time) || (amount === undefined && !/^\d{4}-\d{2}/.test(value))) {
    throw new InvalidArgumentError("Use a date like 2026-11-01, a time like 2026-11-01T12:00Z, or 24h, 7d, 4w.");
  }
  return new Date(time).toISOString();
}

/** The settings of the import that these options make. */
export function traceSettings(options: TraceOptions): Pick<CollectorOptions, "traces" | "tags" | "keepsRecording"> {
  const { since, until, model, errors, minTurns: min_turns, maxTurns: max_turns, conversation, review } = options;
  return compact({
    traces: { since, until, model, errors, min_turns, max_turns, conversations: conversation && [...conversation] },
    tags: review ? [reviewTag] : undefined,
    keepsRecording: review ? true : undefined,
  });
}

/** The files after the word `traces`; undefined when files of any kind are read. */
export function traceFiles(
  [first, ...files]: readonly string[],
  { agent }: TraceOptions,
): readonly string[] | undefined {
  const isNamed = first === "traces" && (files.length > 0 || agent !== undefined || !existsSync(resolve(first)));
  if (isNamed && files.length === 0 && agent === undefined) {
    throw new CliError(
      "no files were given: rehearsal import traces spans.json, or --agent with the address of an agent backend",
    );
  }
  if (!isNamed && agent !== undefined)
    throw new CliError("--agent reads traces: use rehearsal import traces --agent …");
  return isNamed ? files : undefined;
}

/** Reads the traces of files and of an agent backend together. */
export async function readTraces(
  patterns: readonly string[],
  { agent, ...options }: TraceOptions & CollectorOptions,
): Promise<ScenarioFile> {
  const names = patterns.length === 0 ? [] : await findFiles(patterns, { folder: process.cwd() });
  const files: { name: string; text: string }[] = [];
  for (const name of names) {
    files.push({ name, text: decodedTrace(name, await readBytes(resolve(name), name)) });
  }
  if (agent !== undefined) files.push({ name: agent, text: await agentRuns(agent, options) });
  const [only] = files;
  const file = files.length === 1 && only ? only.name : counted(files.length, "file");
  try {
    const { expectsRecorded, makesWorlds, traces, redact, tags, keepsRecording } = options;
    return {
      file,
      text: "",
      parts: new Set(),
      ...importTraceFiles({ files, expectsRecorded, makesWorlds, traces, redact, tags, keepsRecording }),
    };
  } catch (error) {
    if (error instanceof FormatError) throw new CliError(error.message, undefined, { cause: error });
    throw error;
  }
}

function decodedTrace(name: string, bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes);
  } catch (error) {
    if (error instanceof FormatError) throw new CliError(`${name}: ${error.message}`, undefined, { cause: error });
    throw error;
  }
}

/** The runs of an agent backend with their logs, newest first, back to the start of the filter. */
async function agentRuns(url: string, { traces }: CollectorOptions): Promise<string> {
  const [{ createAgentClient }, { requireServiceAddress }, { readClientSettings }] = await Promise.all([
    import("../../client/agent-client.ts"),
    import("../options/addresses.ts"),
    import("../../settings/client-settings.ts"),
  ]);
  requireServiceAddress("--agent", url, "an address like http://127.0.0.1:8000");
  const client = createAgentClient({ url, apiKey: readClientSettings(process.env).apiKey?.reveal() });
  const since = traces?.since === undefined ? 0 : Date.parse(traces.since);
  const runs: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.runs({ cursor, limit: 200 });
    // A thread that began before may have gone on since.
    const recent = page.runs.filter(({ created_at, thread_id }) => created_at >= since || thread_id !== null);
    for (const { id } of recent) runs.push(await client.run(id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  if (runs.length === 0) throw new CliError(`the agent at ${url} has no runs to import`);
  return JSON.stringify({ runs });
}

/** Prints the conversations that the filter takes. */
export function listConversations(read: readonly ScenarioFile[], { json }: { json: boolean }): void {
  const all = read.flatMap(({ conversations = [] }) => conversations);
  const taken = all.filter((conversation) => conversation.taken);
  if (json) return printJson({ conversations: taken });
  if (all.length === 0) throw new CliError("the files have no traces: --list shows the conversations of traces");
  const columns = ["started", "conversation", "turns", "tools", "errors", "models", "first message"].map((title) => ({
    title,
  }));
  printLine(table(columns, taken.map(toTraceRow), outputWidth()));
  if (taken.length < all.length)
    note(`${all.length - taken.length} of ${counted(all.length, "conversation")} left out by the filter`);
}

function toTraceRow(conversation: TracedConversation): string[] {
  const { id, started_at, turns, tool_calls, errors, models, first_message } = conversation;
  const message = truncateText(first_message.replaceAll(/\s+/g, " "), 60);
  const started = started_at === null ? "" : started_at.slice(0, 16).replace("T", " ");
  return [started, id, String(turns), String(tool_calls), String(errors), models.join(", "), message];
}
