import { redactEndpoint } from "../../base/secret.ts";
import type { EvaluationInput } from "../../client/evaluation-client.ts";
import type { Range, RunEstimate } from "../../contract/schemas/budget.ts";
import { addRanges } from "../../evaluation/budget/estimate-run.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { defaultTestName } from "../../runs/plan/plan-run.ts";
import { ownAgent, requireEndpoint } from "../addresses.ts";
import { CliError } from "../cli-error.ts";
import type { GateRule } from "../gates/parse-gate.ts";
import type { SourceOptions } from "../options.ts";
import { openSource } from "../sources/open-source.ts";
import { printJson, printMessage } from "../terminal/output.ts";
import { counted } from "../terminal/text.ts";
import type { EvalSettings } from "./eval-settings.ts";

interface PlannedRequest {
  readonly request: EvaluationInput;
  readonly scenarios: number;
  readonly turns: number;
  readonly attempts: number;
}

/** One request per model. A system prompt from the options or the configuration outranks those of the scenarios. */
export function planRuns(
  { config, models, gates, requestGate }: EvalSettings,
  { scenarios, agent }: { scenarios: readonly FileScenario[]; agent: string | null },
): PlannedRequest[] {
  if (models.length === 0)
    throw new CliError(
      "no model was given: use --model, or set model in the configuration (rehearsal models lists the agent's)",
    );
  const { system_prompt, attempts: asked = 1 } = config;
  const attempts = typeof asked === "number" ? asked : (asked.each ?? 1);
  requireAttempts(gates, attempts);
  const test_batch = system_prompt === undefined ? [...scenarios] : scenarios.map(withoutPrompt);
  const turns = scenarios.reduce((sum, { interactions }) => sum + interactions.length, 0);
  const target = targetOf(config, agent);
  return models.map((model_id) => ({
    request: {
      ...requestOptions(config),
      ...target,
      test_batch,
      model_id,
      test_name: config.name ?? defaultTestName(scenarios),
      ...(system_prompt !== undefined && { system_prompt }),
      ...(requestGate && { gate: requestGate }),
    },
    scenarios: scenarios.length,
    turns,
    attempts,
  }));
}

/** Prints what an evaluation would do, with an estimate of calls, money and time. Calls no model. */
export async function printPlan(
  planned: readonly PlannedRequest[],
  {
    json,
    endpoint: asked,
    ...where
  }: SourceOptions & { json?: boolean; endpoint: string; concurrency?: number | undefined },
): Promise<void> {
  const endpoint = redactEndpoint(asked);
  await using source = await openSource(where);
  const runs = [];
  for (const { request, scenarios, turns, attempts } of planned) {
    const { test_name, model_id } = request;
    // Refuses everything a run would be refused for.
    const estimate = await source.estimate(request);
    const calls = estimate.model_calls.expected;
    const until = typeof request.attempts === "object" && { until: "decided" as const };
    runs.push({ test_name, endpoint, model_id, scenarios, turns, attempts, ...until, calls, estimate });
  }
  const calls = runs.reduce((sum, run) => sum + run.calls, 0);
  if (json) return printJson({ runs, calls });
  const target = endpoint === ownAgent ? "Rehearsal's own agent" : endpoint;
  for (const run of runs) {
    const times = "until" in run ? "until decided" : counted(run.attempts, "attempt");
    const size = [counted(run.scenarios, "scenario"), counted(run.turns, "turn"), times];
    printMessage(`${run.test_name} on ${run.model_id} at ${target}: ${size.join(", ")} = ${callsText(run.estimate)}`);
    printMessage(`  ${sentenceOf(run.estimate)}`);
    for (const { pointer, message } of run.estimate.warnings ?? []) printMessage(`  ${pointer} ${message}`);
  }
  if (runs.length > 1) printMessage(`${callsIn(runs.map(({ estimate }) => estimate.calls).reduce(addRanges))} in all`);
}

function withoutPrompt(scenario: FileScenario): FileScenario {
  const { system_prompt: _, ...rest } = scenario;
  return rest;
}

function targetOf(
  { endpoint = ownAgent, protocol }: EvalSettings["config"],
  agent: string | null,
): Pick<EvaluationInput, "endpoint" | "protocol"> {
  requireEndpoint(endpoint);
  if (endpoint !== ownAgent) return { endpoint, ...(protocol && { protocol }) };
  if (agent === null) {
    throw new CliError(
      "no endpoint was given: with --server, use --endpoint to name the model endpoint as the service reaches it",
    );
  }
  return { endpoint: agent, protocol: protocol ?? "agent" };
}

/** The settings that configuration and request have in common. */
function requestOptions(config: EvalSettings["config"]): Omit<EvaluationInput, "test_batch" | "endpoint" | "model_id"> {
  const { attempts, parameters, stream, history, on_failure, concurrency, scorers, weights, threshold } = config;
  const { judge, labeller, label_rules, budget, tags, metadata, replay_first_bad_turn, priority } = config;
  const { world, tool_matching } = config;
  const options = {
    attempts,
    parameters,
    stream,
    history,
    on_failure,
    concurrency,
    scorers,
    weights,
    threshold,
    judge,
    labeller,
    label_rules,
    budget,
    tags,
    metadata,
    replay_first_bad_turn,
    priority,
    world,
    tool_matching,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Refuses a gate on more attempts than are made before any money is spent: it can never pass. */
function requireAttempts(gates: readonly GateRule[], attempts: number): void {
  const short = gates.find(({ measure }) => measure.kind === "reliability" && measure.k > attempts);
  if (short?.measure.kind === "reliability") {
    throw new CliError(`the gate "${short.text}" needs at least ${short.measure.k} attempts; there are ${attempts}`);
  }
}

/** Names helper calls too, because the estimate's sentence counts all calls. */
function callsText({ model_calls, helper_calls }: RunEstimate): string {
  const others = helper_calls.high > 0 ? ` and ${figuresIn(helper_calls)} of judge or labeller` : "";
  return `${callsIn(model_calls)}${others}`;
}

const figuresIn = ({ low, high }: Range): string => (low < high ? `${low} to ${high}` : String(high));

const callsIn = (range: Range): string => `${figuresIn(range)} ${range.high === 1 ? "call" : "calls"}`;

const sentenceOf = ({ sentence, based_on }: RunEstimate): string => `${sentence} (${based_on})`;
