import { compact } from "../../base/compact.ts";
import { counted } from "../../base/text.ts";
import { redactEndpoint } from "../../base/secret.ts";
import type { EvaluationInput } from "../../client/evaluation-client.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import type { Range, RunEstimate } from "../../contract/schemas/budget.ts";
import { addRanges } from "../../evaluation/budget/estimate-run.ts";
import type { FileScenario, ScenarioVariant } from "../../formats/scenario-file.ts";
import { defaultTestName } from "../../runs/plan/plan-run.ts";
import { ownAgent, requireEndpoint } from "../options/addresses.ts";
import { quoted } from "../../settings/settings-error.ts";
import { CliError } from "../terminal/cli-error.ts";
import type { GateRule } from "../gates/parse-gate.ts";
import type { SourceOptions } from "../options/shared-options.ts";
import { openSource } from "../sources/open-source.ts";
import { printJson, printMessage } from "../terminal/output.ts";
import type { EvalSettings } from "./eval-settings.ts";
import type { Variants } from "./read-variants.ts";

interface PlannedRequest {
  readonly request: EvaluationInput;
  readonly scenarios: number;
  readonly turns: number;
  readonly attempts: number;
  /** Runs that the request makes. */
  readonly runs: number;
}

/** One request per model and wording of the messages, or one for all variants and models together. A system prompt from the options or the configuration outranks those of the scenarios. */
export function planRuns(
  { config, target: named, models, variants: tested, gates, requestGate, replayUsers, options }: EvalSettings,
  {
    scenarios,
    variants = [],
    agent,
  }: { scenarios: readonly FileScenario[]; variants?: readonly ScenarioVariant[]; agent: string | null },
): PlannedRequest[] {
  if (models.length === 0 && !tested?.namesModels)
    throw new CliError(
      "no model was given: use --model, or set model in the configuration (rehearsal models lists the agent's)",
    );
  const { system_prompt, attempts: asked = 1 } = config;
  const attempts = typeof asked === "number" ? asked : (asked.each ?? 1);
  requireAttempts(gates, attempts);
  const target = named ? { endpoint: named.target } : targetOf(config, agent);
  const test_name = config.name ?? defaultTestName(scenarios);
  const chosen = new Set(scenarios.map(({ id }) => id));
  const all = [
    { test_name, scenarios },
    ...variants.map((variant) => ({
      test_name: `${test_name} (${variant.name})`,
      scenarios: variant.scenarios.filter(({ id }) => chosen.has(id)),
    })),
  ].filter((variant) => variant.scenarios.length > 0);
  const stored = compact({ reuse: config.reuse || undefined, fresh: options.fresh });
  return all.flatMap((variant) =>
    (tested ? [models[0] ?? tested.models[0] ?? "agent"] : models).map((model_id) => ({
      request: {
        ...requestOptions(config),
        ...target,
        test_batch: system_prompt === undefined ? [...variant.scenarios] : variant.scenarios.map(withoutPrompt),
        model_id,
        test_name: variant.test_name,
        ...(system_prompt !== undefined && { system_prompt }),
        ...(requestGate && { gate: requestGate }),
        ...(replayUsers !== undefined && { replay_users: replayUsers }),
        ...stored,
        ...(tested && variantFields(tested, { models, agent, experiment: options.experiment })),
      },
      runs: tested ? tested.count * (hasModelLevels(tested, models) ? models.length : 1) : 1,
      scenarios: variant.scenarios.length,
      turns: variant.scenarios.reduce(
        (sum, { interactions, user }) => sum + interactions.length + (user?.max_turns ?? 0),
        0,
      ),
      attempts,
    })),
  );
}

/** Several models of the command are one more setting that varies. */
const hasModelLevels = ({ namesModels }: Variants, models: readonly string[]): boolean =>
  models.length > 1 && !namesModels;

function variantFields(
  tested: Variants,
  { models, agent, experiment }: { models: readonly string[]; agent: string | null; experiment: string | undefined },
): Pick<EvaluationInput, "variants" | "vary" | "experiment"> {
  const { variants, vary } = tested;
  const located = variants.map((variant) =>
    variant.endpoint === ownAgent
      ? { ...variant, endpoint: requireAgent(agent), protocol: variant.protocol ?? ("agent" as const) }
      : variant,
  );
  const varied = hasModelLevels(tested, models) ? { ...vary, model_id: [...models] } : vary;
  return compact({ variants: located.length > 0 ? located : undefined, vary: varied, experiment });
}

function requireAgent(agent: string | null): string {
  if (agent !== null) return agent;
  throw new CliError(
    "with --server, a variant cannot have the endpoint agent: name the endpoint as the service reaches it",
  );
}

/** Prints what an evaluation would do, with an estimate of calls, money and time. Calls no model. */
export async function printPlan(
  planned: readonly PlannedRequest[],
  {
    json,
    endpoint: asked,
    ...where
  }: SourceOptions & {
    json?: boolean | undefined;
    endpoint: string;
    concurrency?: number | undefined;
    targetSecrets?: EvalSettings["targetSecrets"];
  },
): Promise<void> {
  const endpoint = redactEndpoint(asked);
  await using source = await openSource(where);
  const runs = [];
  for (const { request, scenarios, turns, attempts, runs: count } of planned) {
    const { test_name, model_id } = request;
    // Refuses everything a run would be refused for.
    const estimate = await source.estimate(request);
    refuseUnpriced(estimate, request);
    const calls = estimate.model_calls.expected;
    const until = typeof request.attempts === "object" && { until: "decided" as const };
    const variants = count > 1 && { variants: count };
    runs.push({ test_name, endpoint, model_id, scenarios, turns, attempts, ...variants, ...until, calls, estimate });
  }
  const calls = runs.reduce((sum, run) => sum + run.calls, 0);
  if (json) return printJson({ runs, calls });
  const target = endpoint === ownAgent ? "Rehearsal's own agent" : endpoint;
  for (const run of runs) {
    const versions = "variants" in run ? [counted(run.variants, "variant")] : [];
    const times = "until" in run ? "until decided" : counted(run.attempts, "attempt");
    const size = [...versions, counted(run.scenarios, "scenario"), counted(run.turns, "turn"), times];
    printMessage(`${run.test_name} on ${run.model_id} at ${target}: ${size.join(", ")} = ${callsText(run.estimate)}`);
    printMessage(`  ${sentenceOf(run.estimate)}`);
    for (const { pointer, message } of run.estimate.warnings ?? []) printMessage(`  ${pointer} ${message}`);
  }
  if (runs.length > 1) printMessage(`${callsIn(runs.map(({ estimate }) => estimate.calls).reduce(addRanges))} in all`);
}

/** Refuses a limit of money for a model without a known price: it would never stop the run. */
export function refuseUnpriced({ warnings = [] }: RunEstimate, { model_id }: EvaluationInput): void {
  if (!warnings.some(({ pointer }) => pointer === "/budget/money")) return;
  const example = `prices: { ${JSON.stringify(model_id)}: { input: 0.5, output: 1.5 } }`;
  throw new CliError(
    `--max-cost and budget.money need a price, and none is known for the model ${quoted(model_id)}. ` +
      `Give it in rehearsal.yaml, in US dollars for a million tokens:\n  ${example}`,
  );
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
  if (endpoint !== ownAgent) return compact({ endpoint, protocol: protocol || undefined });
  if (agent === null) {
    throw new CliError(
      "no endpoint was given: with --server, use --endpoint to name the model endpoint as the service reaches it",
    );
  }
  return { endpoint: agent, protocol: protocol ?? "agent" };
}

/** Fields of a request that are not taken over from the configuration as they are. */
const ownFields: ReadonlySet<string> = new Set([
  "test_batch",
  "test_name",
  "model_id",
  "endpoint",
  "protocol",
  "system_prompt",
  "gate",
  "replay_users",
  "variants",
  "vary",
  "experiment",
  "reuse",
  "fresh",
]);

/** The settings that configuration and request have in common. */
function requestOptions(config: EvalSettings["config"]): Omit<EvaluationInput, "test_batch" | "endpoint" | "model_id"> {
  const isShared = (name: string): boolean => Object.hasOwn(EvaluationRequest.shape, name) && !ownFields.has(name);
  return Object.fromEntries(Object.entries(config).filter(([name, value]) => value !== undefined && isShared(name)));
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
  const others = helper_calls.high > 0 ? ` and ${figuresIn(helper_calls)} of judge, labeller or simulator` : "";
  return `${callsIn(model_calls)}${others}`;
}

const figuresIn = ({ low, high }: Range): string => (low < high ? `${low} to ${high}` : String(high));

const callsIn = (range: Range): string => `${figuresIn(range)} ${range.high === 1 ? "call" : "calls"}`;

const sentenceOf = ({ sentence, based_on }: RunEstimate): string => `${sentence} (${based_on})`;
