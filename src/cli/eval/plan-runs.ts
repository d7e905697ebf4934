import type { EvaluationInput } from "../../client/evaluation-input.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";
import { checkEndpoint, ownAgent } from "../config/endpoint.ts";
import type { Gate } from "../gates/parse-gate.ts";
import type { EvalSettings } from "./eval-settings.ts";

export interface PlannedRun {
  readonly request: EvaluationInput;
  readonly scenarios: number;
  readonly turns: number;
  readonly attempts: number;
}

/** One run per model. A system prompt that was typed or configured outranks those of the scenarios. */
export function planRuns(
  { config, models, gates, requestGate }: EvalSettings,
  { scenarios, agent }: { scenarios: readonly FileScenario[]; agent: string | null },
): PlannedRun[] {
  if (models.length === 0)
    throw new CliError(
      "which model? Give --model, or model in the configuration (rehearsal models lists those of the agent)",
    );
  const { system_prompt, attempts = 1 } = config;
  checkAttempts(gates, attempts);
  const test_batch = system_prompt === undefined ? [...scenarios] : scenarios.map(withoutPrompt);
  const turns = scenarios.reduce((sum, { interactions }) => sum + interactions.length, 0);
  const target = targetOf(config, agent);
  return models.map((model_id) => ({
    request: {
      ...requestOptions(config),
      ...target,
      test_batch,
      model_id,
      test_name: config.name ?? scenarios[0]?.id ?? "",
      ...(system_prompt !== undefined && { system_prompt }),
      ...(requestGate && { gate: requestGate }),
    },
    scenarios: scenarios.length,
    turns,
    attempts,
  }));
}

function withoutPrompt(scenario: FileScenario): FileScenario {
  const { system_prompt: _, ...rest } = scenario;
  return rest;
}

function targetOf(
  { endpoint = ownAgent, protocol }: EvalSettings["config"],
  agent: string | null,
): Pick<EvaluationInput, "endpoint" | "protocol"> {
  checkEndpoint(endpoint);
  if (endpoint !== ownAgent) return { endpoint, ...(protocol && { protocol }) };
  if (agent === null) {
    throw new CliError("which endpoint? With --server, give --endpoint: the model endpoint as the service sees it");
  }
  return { endpoint: agent, protocol: protocol ?? "agent" };
}

/** What the configuration and the request have in common. */
function requestOptions(config: EvalSettings["config"]): Omit<EvaluationInput, "test_batch" | "endpoint" | "model_id"> {
  const { attempts, parameters, stream, history, on_failure, concurrency, scorers, weights, threshold } = config;
  const { judge, labeller, label_rules, budget, tags, metadata, replay_first_bad_turn, priority } = config;
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
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** A gate on more attempts than are made can never pass: better said before the money is spent. */
function checkAttempts(gates: readonly Gate[], attempts: number): void {
  const short = gates.find(({ measure }) => measure.kind === "reliability" && measure.k > attempts);
  if (short?.measure.kind === "reliability") {
    throw new CliError(`the gate "${short.text}" needs at least ${short.measure.k} attempts; there are ${attempts}`);
  }
}
