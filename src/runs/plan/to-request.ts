import type { z } from "zod";
import type { EvaluationRequest, RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { withoutOperatorDefaults } from "./model-target.ts";
import type { PlanHelpers } from "./option-problems.ts";

export type RepeatRequest = z.input<typeof EvaluationRequest>;

/** The request that repeats a run. Defaults and the operator's judge or labeller are left out, so that the current ones apply. */
export function toRepeatRequest(
  settings: RunSettings,
  { scenarios, helpers }: { scenarios: readonly Scenario[]; helpers: PlanHelpers },
): RepeatRequest {
  const { adaptive: _bounds, sequence, attempts, judge, labeller, on_failure, tags, metadata, ...options } = settings;
  const batch = scenarios.map(toInput);
  const [first] = batch;
  return {
    ...options,
    attempts: requestedAttempts(attempts, sequence),
    ...(on_failure !== "continue" && { on_failure }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(judge && { judge: withoutOperatorDefaults(judge, helpers.judge) }),
    ...(labeller && { labeller: withoutOperatorDefaults(labeller, helpers.labeller) }),
    test_batch: first && batch.length === 1 ? first : batch,
  };
}

/** The other model of a comparison had no choice of its own: repeated alone, it runs every scenario. */
function requestedAttempts(attempts: number, sequence: RunSettings["sequence"]): RepeatRequest["attempts"] {
  if (sequence?.side !== "candidate") return attempts;
  const { side: _side, opponent: _opponent, seed: _order, ...comparison } = sequence;
  return { until: "decided", ...comparison, ...(attempts !== 1 && { each: attempts }) };
}

function toInput({ id, description, system_prompt, tags, interactions, ...acting }: Scenario) {
  return {
    id,
    ...(description !== "" && { description }),
    ...(system_prompt !== undefined && { system_prompt }),
    ...(tags.length > 0 && { tags }),
    ...acting,
    interactions: interactions.map(({ agent_reply: _reply, generated_metadata: _labels, ...interaction }) => {
      const { reference_metadata, ...input } = interaction;
      return { ...input, ...(Object.keys(reference_metadata).length > 0 && { reference_metadata }) };
    }),
  };
}
