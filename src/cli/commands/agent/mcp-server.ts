import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { createProgressReporter } from "../../../agent/mcp/agent-mcp-server.ts";
import type { EvaluationInput } from "../../../client/evaluation-client.ts";
import type { EvaluationResponse } from "../../../contract/schemas/evaluation-response.ts";
import { Budget } from "../../../contract/schemas/budget.ts";
import { compact } from "../../../base/compact.ts";
import { errorLine } from "../../../base/format.ts";
import { importScenarios } from "../../../formats/import-scenarios.ts";
import type { ImportResult } from "../../../formats/scenario-file.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { followRunWithReporters } from "../../eval/follow-run.ts";
import { compareResponses, rankResponses } from "../../gates/compare-results.ts";
import type { SourceOptions } from "../../options/shared-options.ts";
import { loadEnvironment } from "../../config/load-settings.ts";
import type { Reporter } from "../../reporters/reporter.ts";
import { brokenScenariosExplained } from "../../scenarios/scenario-problems.ts";
import { noteLine } from "../../scenarios/read-scenarios.ts";
import { openSession } from "../../sources/open-session.ts";
import { openSource, serverClient, serverFromEnvironment } from "../../sources/open-source.ts";
import { loadResults } from "../../sources/read-results.ts";
import { resolveRunId, type RunSource } from "../../sources/run-source.ts";
import { version } from "../../terminal/version.ts";

/** Serves one assistant until it closes the connection. Stdout is reserved for the protocol. */
export async function serveMcp({
  allowRun = false,
  allowWrite,
  maxCalls,
  maxCost,
  ...where
}: SourceOptions & Partial<McpPermissions>): Promise<void> {
  loadEnvironment(where.envFile);
  const address = where.server ?? serverFromEnvironment(where.dataDir);
  // Reports an invalid address at start-up, instead of to the assistant with every call.
  if (address !== undefined) serverClient(address);
  // An assistant cannot make the folder itself, and its first run would.
  else if (where.dataDir !== undefined) await makeFolder(where.dataDir, "--data-dir");
  const server = createRunsMcpServer({
    openSource: () => openSource(where),
    version,
    budget: compact({ calls: maxCalls, money: maxCost }),
    writeScenarios: allowWrite === undefined ? undefined : (file) => writeNewFile(resolve(allowWrite), file),
    ...(allowRun && {
      evaluate: async (request, { signal, onProgress }) => {
        await using session = await openSession({ ...where, agent: request.endpoint === undefined });
        const endpoint = request.endpoint ?? session.agent ?? "";
        const protocol = request.endpoint === undefined ? ("agent" as const) : undefined;
        const { client } = session;
        const run = await client.start({ ...request, endpoint, ...(protocol && { protocol }) }, { signal });
        const progress: Reporter = { onTurn: (_turn, { done, turns }) => onProgress(done, turns) };
        await followRunWithReporters(run, { client, reporters: [progress], signal });
        return await client.results(run.run_id, { signal });
      },
    }),
  });
  await server.connect(new StdioServerTransport());
  await once(process.stdin, "end");
  await server.close();
}

async function makeFolder(path: string, option: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((cause: unknown) => {
    throw new CliError(`${option}: ${path} cannot be made: ${errorLine(cause)}`, undefined, { cause });
  });
}

/** What the operator allows an assistant, beyond reading. */
interface McpPermissions {
  readonly allowRun: boolean;
  /** The folder of scenario files. */
  readonly allowWrite: string;
  readonly maxCalls: number;
  readonly maxCost: number;
}

interface NewFile {
  readonly name: string;
  readonly text: string;
}

/** Writes a file that is not there yet, and returns its path. */
async function writeNewFile(folder: string, { name, text }: NewFile): Promise<string> {
  const path = join(folder, name);
  await makeFolder(folder, "--allow-write");
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === "EEXIST";
    const why = exists ? "it is there already; choose another name" : errorLine(cause);
    throw new CliError(`${name} cannot be written: ${why}`, undefined, { cause });
  }
  return path;
}

/** A request that may leave the endpoint to Rehearsal's own agent backend. */
type McpEvaluation = Omit<EvaluationInput, "endpoint"> & { endpoint?: string | undefined };

interface RunsMcpDependencies {
  /** Opens the runs for one call: another process may have created the store since the last one. */
  readonly openSource: () => Promise<RunSource>;
  readonly version: string;
  /** The most that one evaluation may use. */
  readonly budget: Budget;
  /** Absent when no files may be written. */
  readonly writeScenarios: ((file: NewFile) => Promise<string>) | undefined;
  /** Absent when evaluations may not be started. */
  readonly evaluate?: (request: McpEvaluation, options: EvaluateToolOptions) => Promise<EvaluationResponse>;
}

interface EvaluateToolOptions {
  readonly signal: AbortSignal;
  /** Called after every turn. */
  readonly onProgress: (done: number, turns: number) => void;
}

const run = z.string().min(1).max(200).describe("Run id, part of one, a test's name, or latest.");
const readOnly = { annotations: { readOnlyHint: true, openWorldHint: false } };

/** Offers runs and scenarios to an assistant: read-only, unless evaluations are allowed. */
function createRunsMcpServer({
  openSource,
  version,
  budget,
  writeScenarios,
  evaluate,
}: RunsMcpDependencies): McpServer {
  const server = new McpServer({ name: "rehearsal", version });
  const ask = (work: (source: RunSource) => Promise<unknown>) =>
    answerTool(async () => {
      await using source = await openSource();
      return await work(source);
    });
  const resultsOf = async (source: RunSource, text: string): Promise<EvaluationResponse> =>
    loadResults(source, await resolveRunId(source, text));

  server.registerTool(
    "list_runs",
    {
      title: "List runs",
      description: "Lists evaluation runs, newest first, with their scores.",
      inputSchema: z.object({ limit: z.int().min(1).max(100).default(20), test_name: z.string().optional() }),
      ...readOnly,
    },
    async ({ limit, test_name }) =>
      ask((source) => source.list({ limit, ...(test_name !== undefined && { test_name }) })),
  );
  server.registerTool(
    "get_run",
    {
      title: "Show a run",
      description: "State, scores with 95 % intervals and label metrics of one run.",
      inputSchema: z.object({ run }),
      ...readOnly,
    },
    async ({ run: text }) => ask(async (source) => source.get(await resolveRunId(source, text))),
  );
  server.registerTool(
    "list_failures",
    {
      title: "List failures",
      description: "The worst turns of a run: question, reference, reply and the reason for each score.",
      inputSchema: z.object({ run, limit: z.int().min(1).max(50).default(10) }),
      ...readOnly,
    },
    async ({ run: text, limit }) => ask(async (source) => failuresOf(await resultsOf(source, text), limit)),
  );
  server.registerTool(
    "get_transcript",
    {
      title: "Read a transcript",
      description: "Every turn of one scenario, attempt by attempt.",
      inputSchema: z.object({ run, scenario_id: z.string().min(1).max(512) }),
      ...readOnly,
    },
    async ({ run: text, scenario_id }) =>
      ask(async (source) => transcriptOf(await resultsOf(source, text), scenario_id)),
  );
  server.registerTool(
    "compare_runs",
    {
      title: "Compare two runs",
      description: "Tests whether the candidate is better or worse than the baseline, score by score.",
      inputSchema: z.object({ baseline: run, candidate: run }),
      ...readOnly,
    },
    async ({ baseline, candidate }) =>
      ask(async (source) => compareResponses(await resultsOf(source, baseline), await resultsOf(source, candidate))),
  );
  server.registerTool(
    "rank_runs",
    {
      title: "Rank several runs",
      description: "Ranks several runs of the same scenarios by one score, with runs that do not differ significantly.",
      inputSchema: z.object({ runs: z.array(run).min(2).max(10), score: z.string().min(1).max(200).optional() }),
      ...readOnly,
    },
    async ({ runs, score }) =>
      ask(async (source) => {
        const responses: EvaluationResponse[] = [];
        for (const text of runs) responses.push(await resultsOf(source, text));
        return rankResponses(responses, score);
      }),
  );
  server.registerTool(
    "validate_scenarios",
    {
      title: "Check scenarios",
      description:
        "Reads the text of a scenario file (JSON, YAML, CSV or another tool's format) and reports what is wrong.",
      inputSchema: z.object({ text: z.string().min(1).max(1_000_000), file_name: z.string().max(200).optional() }),
      ...readOnly,
    },
    async ({ text, file_name }) => answerTool(async () => importScenarios({ text, name: file_name })),
  );
  if (writeScenarios) addWriting(server, writeScenarios);
  if (evaluate) addEvaluation(server, evaluate, budget);
  return server;
}

function addWriting(server: McpServer, writeScenarios: NonNullable<RunsMcpDependencies["writeScenarios"]>): void {
  server.registerTool(
    "write_scenario",
    {
      title: "Write a scenario file",
      description: "Checks the text of a scenario file as validate_scenarios does, and writes it to a new file.",
      inputSchema: z.object({
        file_name: z
          .string()
          .regex(/^[\w-][\w.-]{0,99}\.(?:ya?ml|json)$/)
          .describe("A name without a folder, such as refund.yaml."),
        text: z.string().min(1).max(1_000_000),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async ({ file_name, text }) =>
      answerTool(async () => {
        const { scenarios, notes } = readAllScenarios(text);
        const path = await writeScenarios({ name: file_name, text });
        return { path, scenarios: scenarios.map(({ id }) => id), notes };
      }),
  );
}

function addEvaluation(server: McpServer, evaluate: NonNullable<RunsMcpDependencies["evaluate"]>, most: Budget): void {
  server.registerTool(
    "run_evaluation",
    {
      title: "Run an evaluation",
      description: "Runs scenarios against a model and scores the replies. Calls the model: this may cost money.",
      inputSchema: z.object({
        scenarios: z.string().min(1).max(1_000_000).describe("Text of a scenario file."),
        model_id: z.string().min(1).max(512),
        endpoint: z.string().max(2048).optional().describe("Default: Rehearsal's own agent backend."),
        attempts: z.int().min(1).max(20).default(1),
        test_name: z.string().max(200).optional(),
        budget: Budget.optional().describe("The run stops when it is used up. Never more than the operator allows."),
      }),
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    async ({ scenarios: text, endpoint, test_name, budget, ...rest }, { mcpReq }) =>
      answerTool(async () => {
        const { scenarios, notes } = readAllScenarios(text);
        const request = {
          ...rest,
          endpoint,
          budget: withinBudget(budget, most),
          test_batch: [...scenarios],
          ...(test_name !== undefined && { test_name }),
        };
        const { message, run_id, summary, warnings } = await evaluate(request, {
          signal: mcpReq.signal,
          onProgress: createProgressReporter(mcpReq),
        });
        return { message, run_id, summary, warnings, notes };
      }),
  );
}

/** The smaller of both limits. */
function withinBudget(wanted: Budget = {}, most: Budget): Budget {
  const smaller = (name: "calls" | "money"): number | undefined => {
    const limits = [wanted[name], most[name]].filter((limit) => limit !== undefined);
    return limits.length === 0 ? undefined : Math.min(...limits);
  };
  return compact({ ...wanted, calls: smaller("calls"), money: smaller("money") });
}

/** Refuses text with broken scenarios: an assistant would take the rest for the whole suite. */
function readAllScenarios(text: string): ImportResult {
  const read = importScenarios({ text, isClosed: true });
  const broken = brokenScenariosExplained(read).map((entry) => noteLine("scenarios", entry));
  if (broken.length > 0) throw new CliError(broken.join("\n"));
  if (read.scenarios.length === 0) throw new CliError("the text contains no scenario");
  return read;
}

const expected = new Set(["FormatError", "ServiceFailure", "ServiceUnreachable"]);

/** A tool's result as JSON text. Expected failures are results with a message; unexpected ones reveal nothing. */
async function answerTool(work: () => Promise<unknown>) {
  try {
    return { content: [{ type: "text" as const, text: JSON.stringify(await work()) }] };
  } catch (error) {
    const known = error instanceof CliError || (error instanceof Error && expected.has(error.name));
    const text = known ? (error as Error).message : "The tool failed with an internal error.";
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}

/** The worst turns, those without a reply first. */
function failuresOf({ run_id, results }: EvaluationResponse, limit: number): object {
  const turns = results.scenarios.flatMap(({ scenario_id, attempts }) =>
    attempts.flatMap(({ attempt, interactions }) =>
      interactions.map((turn) => ({
        scenario_id,
        attempt,
        turn,
        worth: turn.error ? -1 : (turn.scores["overall"] ?? 2),
      })),
    ),
  );
  const worst = turns
    .filter(({ worth }) => worth < 1)
    .toSorted((left, right) => left.worth - right.worth)
    .slice(0, limit);
  return {
    run_id,
    turns: worst.map(({ scenario_id, attempt, turn }) => ({
      scenario_id,
      attempt,
      interaction_id: turn.id,
      user_message: turn.user_message,
      reference_reply: turn.reference_reply,
      agent_reply: turn.agent_reply,
      error: turn.error,
      scores: turn.scores,
      score_reasons: turn.score_reasons,
    })),
  };
}

function transcriptOf({ run_id, results }: EvaluationResponse, scenarioId: string): object {
  const scenario = results.scenarios.find(({ scenario_id }) => scenario_id === scenarioId);
  if (!scenario) throw new CliError(`the run ${run_id} has no scenario "${scenarioId}"`);
  return { run_id, ...scenario };
}
