import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve, sep } from "node:path";
import type { z } from "zod";
import { compact } from "../base/compact.ts";
import type { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import { serveCallbacks, type ScorerFunction, type TargetFunction } from "./callback-server.ts";
import { EngineError, runEngine } from "./engine.ts";
import { toResult, type EvaluatedRun, type EvaluationResult } from "./result.ts";

/** A scenario as a file has it. */
export type ScenarioValue = Exclude<z.input<typeof EvaluationRequest>["test_batch"], readonly unknown[]>;

export interface EvaluateOptions {
  /** Files, folders or patterns, and scenarios as a file has them. */
  readonly scenarios: string | ScenarioValue | readonly (string | ScenarioValue)[];
  /**
   * The agent: a function of this process; an address of a model endpoint (with `model`); an object as under `targets` in
   * `rehearsal.yaml`; or a name from there. With `model` alone, Rehearsal's own agent backend is tested.
   */
  readonly target?: TargetFunction | string | Readonly<Record<string, unknown>>;
  readonly model?: string;
  readonly attempts?: number;
  /** Rules such as `"outcome>=0.9"` or `"pass^3>=0.9"`. Without any, every scenario has to pass. */
  readonly gates?: readonly string[];
  /** Functions, names of built-in scorers, and checks. A failed assertion scores 0; null, or another error, leaves the score undecided. */
  readonly scorers?: readonly (ScorerFunction | string | Readonly<Record<string, unknown>>)[];
  /** A run or results file that replies must not be worse than; with `notWorseBy` this has to be shown. */
  readonly baseline?: string;
  readonly notWorseBy?: number | string;
  /** Ids of scenarios, `*` matching anything, or `tag:name`. */
  readonly only?: readonly string[];
  readonly concurrency?: number;
  readonly maxCost?: number;
  readonly maxSeconds?: number;
  readonly system?: string;
  readonly name?: string;
  /** The agent takes its tools from `session.world`, the MCP address of the scenario's world. */
  readonly useWorld?: boolean;
  /** Further keys of `rehearsal.yaml`, such as `judge` or `limits`, or the path of such a file. */
  readonly config?: Readonly<Record<string, unknown>> | string;
  readonly dataDir?: string;
  /** Files to write: `.json`, `.jsonl`, `.csv`, `.xml` (JUnit), `.md` or `.html`. */
  readonly output?: string | readonly string[];
  /** Whether progress is shown on standard error. Default: when that is a terminal. */
  readonly progress?: boolean;
  /** Stops the run; what is finished stays stored. */
  readonly signal?: AbortSignal;
}

/** Exit codes that come with results: passed, failed, no usable replies, budget spent, undecided. */
const withResults: ReadonlySet<number> = new Set([0, 1, 3, 4, 6]);

const tokenVariable = "NODE_CALLBACK_TOKEN";
const urlVariable = "NODE_CALLBACK_URL";
/** Address and token come from the environment, so that a scorer is the same check in every run and runs can be compared. */
const scorerCode = `
const answer = await fetch(process.env.${urlVariable} + context.config.path, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: \`Bearer \${process.env.${tokenVariable}}\` },
  body: JSON.stringify({ reply: output, context }),
}).catch(({ message, cause }) => {
  throw new Error(\`the scorer could not be reached: \${cause?.message || message}\`);
});
const text = await answer.text();
if (!answer.ok) throw new Error(text);
return JSON.parse(text);
`;

/**
 * Runs scenarios against an agent and scores every reply. The agent may be a function of this process.
 *
 * @example
 * const result = await evaluate({
 *   scenarios: "scenarios/",
 *   target: async (messages, { session }) => myAgent(messages, session.id),
 *   attempts: 3,
 *   gates: ["pass^3>=0.9"],
 * });
 * result.check();
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationResult> {
  const { target, model, config, scorers = [], signal, progress = process.stderr.isTTY } = options;
  if (target === undefined && model === undefined && config === undefined) {
    throw new TypeError("there is nothing to test: pass a target, or a model for Rehearsal's own agent backend");
  }
  const functions = functionsOf(scorers);
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-"));
  try {
    const isFunction = typeof target === "function";
    await using server =
      isFunction || functions.size > 0
        ? await serveCallbacks({ target: isFunction ? target : undefined, scorers: functions })
        : null;
    const parameters = await parametersOf(options, { folder, url: server?.url });
    const { exitCode, printed } = await runEngine(parameters, {
      environment: server ? callbackEnvironment(server, functions.size > 0) : {},
      show: progress,
      accept: withResults,
      signal,
    });
    const [run] = (JSON.parse(printed) as { runs: readonly EvaluatedRun[] }).runs;
    if (!run) throw new EngineError("the engine printed no run", exitCode);
    return toResult(run, exitCode);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    // The folder of this run means nothing to the caller.
    throw new EngineError(error.message.replaceAll(`${folder}${sep}`, ""), error.exitCode);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The ids of the scenarios in files, folders or patterns. */
export async function scenarioIds(files: readonly string[]): Promise<readonly string[]> {
  const { printed } = await runEngine(["export", "--to", "json", ...files]);
  const read = JSON.parse(printed) as { readonly id: string } | { test_batch: { id: string }[] } | { id: string }[];
  const list = Array.isArray(read) ? read : "test_batch" in read ? read.test_batch : [read];
  return list.map(({ id }) => id);
}

function callbackEnvironment(
  { url, token }: { readonly url: string; readonly token: string },
  hasScorers: boolean,
): Record<string, string> {
  if (!hasScorers) return { [tokenVariable]: token };
  // The engine hands only these variables to code of users.
  const shared = (process.env["REHEARSAL_CODE_ENV"] ?? "").split(",").filter((name) => name !== "");
  const REHEARSAL_CODE_ENV = [...shared, urlVariable, tokenVariable].join(",");
  return { [tokenVariable]: token, [urlVariable]: url, REHEARSAL_CODE_ENV };
}

interface Place {
  /** Files of this run. */
  readonly folder: string;
  readonly url: string | undefined;
}

async function parametersOf(options: EvaluateOptions, place: Place): Promise<string[]> {
  const flags = {
    "--model": options.model,
    "--attempts": options.attempts,
    "--baseline": options.baseline,
    "--not-worse-by": options.notWorseBy,
    "--concurrency": options.concurrency,
    "--max-cost": options.maxCost,
    "--max-seconds": options.maxSeconds,
    "--system": options.system,
    "--name": options.name,
    "--data-dir": options.dataDir,
  };
  return [
    "eval",
    "--json",
    ...(await scenarioFiles(options.scenarios, place.folder)),
    ...Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`])),
    ...listed(options.output ?? []).map((file) => `--output=${file}`),
    ...(options.gates ?? []).map((gate) => `--gate=${gate}`),
    ...(options.only ?? []).map((pattern) => `--filter=${pattern}`),
    ...(await selectionOf(options, place)),
  ];
}

const listed = <Value>(value: Value | readonly Value[]): readonly Value[] =>
  Array.isArray(value) ? (value as readonly Value[]) : [value as Value];

/** Files as they are; values are written to a file of the run. */
async function scenarioFiles(scenarios: EvaluateOptions["scenarios"], folder: string): Promise<string[]> {
  const all = listed<string | ScenarioValue>(scenarios);
  const files = all.filter((entry) => typeof entry === "string");
  const values = all.filter((entry) => typeof entry !== "string");
  if (values.length > 0) {
    const file = join(folder, "scenarios.json");
    await writeFile(file, JSON.stringify(values));
    files.push(file);
  }
  if (files.length === 0) throw new TypeError("there are no scenarios: pass files or scenarios");
  return files;
}

/** The options that name the configuration and the target. */
async function selectionOf(
  { target, config, scorers = [], useWorld = false }: EvaluateOptions,
  { folder, url }: Place,
): Promise<string[]> {
  const isAddress = typeof target === "string" && target.includes("://");
  const selected = typeof target === "string" ? [`--${isAddress ? "endpoint" : "target"}=${target}`] : [];
  if (typeof config === "string") {
    if ((target !== undefined && typeof target !== "string") || scorers.length > 0) {
      throw new TypeError("config is a file: with a target or scorers that are no names, pass its keys as an object");
    }
    return [...selected, `--config=${config}`];
  }
  if (config === undefined && scorers.length === 0 && typeof target === "string" && !isAddress) return selected;
  const targets =
    typeof target === "function"
      ? {
          targets: { [nameOf(target, "target")]: callbackTarget(url ?? "", useWorld) },
          target: nameOf(target, "target"),
        }
      : typeof target === "object"
        ? { targets: { agent: target }, target: "agent" }
        : {};
  const document = {
    ...located(config ?? {}),
    ...targets,
    ...(scorers.length > 0 && { scorers: scorers.map(scorerSetting) }),
  };
  const file = join(folder, "rehearsal.json");
  await writeFile(file, JSON.stringify(document));
  return [...selected, `--config=${file}`];
}

/** A function of this process as a target of the engine. */
const callbackTarget = (url: string, useWorld: boolean): Readonly<Record<string, unknown>> =>
  compact({
    url: `${url}/target`,
    headers: { authorization: { env: tokenVariable, prefix: "Bearer " } },
    body: { messages: "{{messages}}", session_id: "{{session_id}}", system: "{{system}}" },
    reply: "/text",
    tool_calls: "/tool_calls",
    usage: "/usage",
    labels: "/labels",
    context: { at: "/context" },
    // A function may keep its state by session, and may act: an answer that was lost is not asked for again.
    idempotent: false,
    world: useWorld ? { header: "x-rehearsal-world" } : undefined,
  });

/** The configuration with absolute paths: it is written to a folder of its own, but its paths start here. */
function located(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const paths = (entry: unknown, ...names: string[]): unknown => {
    if (typeof entry !== "object" || entry === null) return entry;
    const moved = Object.entries(entry).map(([key, value]) => [
      key,
      names.includes(key) && typeof value === "string" ? resolve(value) : value,
    ]);
    return Object.fromEntries(moved) as unknown;
  };
  const target = (entry: unknown): unknown =>
    paths(
      typeof entry === "object" && entry !== null && "command" in entry ? { folder: ".", ...entry } : entry,
      "module",
      "folder",
    );
  const { scorers, world, targets } = config;
  return compact({
    ...config,
    scorers: Array.isArray(scorers) ? scorers.map((scorer) => paths(scorer, "file")) : scorers,
    world: paths(world, "module", "state_file"),
    targets:
      typeof targets === "object" && targets !== null
        ? Object.fromEntries(Object.entries(targets).map(([name, entry]) => [name, target(entry)]))
        : targets,
  });
}

function scorerSetting(scorer: ScorerFunction | string | Readonly<Record<string, unknown>>): unknown {
  if (typeof scorer !== "function") return scorer;
  const name = nameOf(scorer, "scorer");
  // Results of two versions of a function are not compared as if they were of one.
  const source = createHash("sha256").update(scorer.toString()).digest("hex").slice(0, 16);
  return {
    type: "javascript",
    name,
    code: scorerCode,
    config: { path: `/scorer/${encodeURIComponent(name)}`, source },
  };
}

function functionsOf(scorers: NonNullable<EvaluateOptions["scorers"]>): ReadonlyMap<string, ScorerFunction> {
  const functions = new Map<string, ScorerFunction>();
  for (const scorer of scorers) {
    if (typeof scorer !== "function") continue;
    const name = nameOf(scorer, "scorer");
    if (functions.has(name)) {
      throw new TypeError(`two scorers are called ${JSON.stringify(name)}: give one of the functions another name`);
    }
    functions.set(name, scorer);
  }
  return functions;
}

/** The name of a function in the letters that the engine allows. */
const nameOf = ({ name }: { readonly name: string }, otherwise: string): string =>
  name.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, 64) || otherwise;
