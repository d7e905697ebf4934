import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { createProgressReporter } from "../../agent/mcp/agent-mcp-server.ts";
import type { EvaluationInput } from "../../client/evaluation-input.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { importScenarios } from "../../formats/import-scenarios.ts";
import type { ImportResult } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";
import { compareResponses } from "../gates/check-baseline.ts";
import { rankResponses } from "../gates/rank-responses.ts";
import { explainedBreaks } from "../scenarios/lost-scenarios.ts";
import { noteLine } from "../scenarios/read-scenarios.ts";
import { findRun } from "../sources/find-run.ts";
import { readResults } from "../sources/read-results.ts";
import type { RunSource } from "../sources/run-source.ts";

/** A request that may leave the endpoint to Rehearsal's own agent backend. */
type McpEvaluation = Omit<EvaluationInput, "endpoint"> & { endpoint?: string | undefined };

interface RunsMcpDependencies {
  /** Opens the runs for one question: another process may have made the first ones since the last. */
  readonly openSource: () => Promise<RunSource>;
  readonly version: string;
  /** Absent: evaluations cannot be started. */
  readonly evaluate?: (request: McpEvaluation, options: EvaluateOptions) => Promise<EvaluationResponse>;
}

interface EvaluateOptions {
  readonly signal: AbortSignal;
  /** Told after every turn how many of how many are done. */
  readonly onProgress: (done: number, turns: number) => void;
}

const run = z.string().min(1).max(200).describe("Run id, part of one, a test's name, or latest.");
const readOnly = { annotations: { readOnlyHint: true, openWorldHint: false } };

/** Runs and scenarios for an assistant. It can look at everything and change nothing, unless evaluations were allowed. */
export function createRunsMcpServer({ openSource, version, evaluate }: RunsMcpDependencies): McpServer {
  const server = new McpServer({ name: "rehearsal", version });
  /** Answers from the runs. */
  const ask = (work: (source: RunSource) => Promise<unknown>) =>
    answer(async () => {
      await using source = await openSource();
      return await work(source);
    });
  const resultsOf = async (source: RunSource, text: string): Promise<EvaluationResponse> =>
    readResults(source, await findRun(source, text));

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
    async ({ run: text }) => ask(async (source) => source.get(await findRun(source, text))),
  );
  server.registerTool(
    "list_failures",
    {
      title: "List failures",
      description: "The turns of a run that did worst: question, reference, reply and why each score is what it is.",
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
      description: "Whether the candidate is really better or worse than the baseline, score by score, in words.",
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
      description: "Which of several runs of the same scenarios is best by one score, and which cannot be told apart.",
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
        "Reads the text of a scenario file (JSON, YAML, CSV or another tool's format) and says what is wrong.",
      inputSchema: z.object({ text: z.string().min(1).max(1_000_000), file_name: z.string().max(200).optional() }),
      ...readOnly,
    },
    async ({ text, file_name }) => answer(async () => importScenarios({ text, name: file_name })),
  );
  if (evaluate) addEvaluation(server, evaluate);
  return server;
}

function addEvaluation(server: McpServer, evaluate: NonNullable<RunsMcpDependencies["evaluate"]>): void {
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
      }),
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    async ({ scenarios: text, endpoint, test_name, ...rest }, { mcpReq }) =>
      answer(async () => {
        const { scenarios, notes } = readWhole(text);
        const request = {
          ...rest,
          endpoint,
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

/** Nobody looks over an assistant's shoulder: a suite that lost a scenario on the way would pass for the whole one. */
function readWhole(text: string): ImportResult {
  const read = importScenarios({ text });
  const broken = explainedBreaks(read).map((entry) => noteLine("scenarios", entry));
  if (broken.length > 0) throw new CliError(broken.join("\n"));
  if (read.scenarios.length === 0) throw new CliError("there is no scenario in this text");
  return read;
}

const expected = new Set(["FormatError", "ServiceFailure", "ServiceUnreachable"]);

/** What a tool found, as JSON text. A failure is a result that says so; what we did not foresee says nothing more. */
async function answer(work: () => Promise<unknown>) {
  try {
    return { content: [{ type: "text" as const, text: JSON.stringify(await work()) }] };
  } catch (error) {
    const known = error instanceof CliError || (error instanceof Error && expected.has(error.name));
    const text = known ? (error as Error).message : "This could not be done.";
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}

/** The turns that did worst, those without a reply first. */
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
