import type { z } from "zod";
import type { EvaluationRequest, RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { withoutOperator } from "./operator-helper.ts";
import type { PlanHelpers } from "./option-problems.ts";

export type RequestAgain = z.input<typeof EvaluationRequest>;

/**
 * The request that makes the same run again. What stands at its default is left out, and so is what the operator brought to it:
 * another operator's judge, or a later one, is then used in its place.
 */
export function toRequest(
  settings: RunSettings,
  { scenarios, helpers }: { scenarios: readonly Scenario[]; helpers: PlanHelpers },
): RequestAgain {
  const { adaptive: _bounds, judge, labeller, on_failure, tags, metadata, ...options } = settings;
  const batch = scenarios.map(toInput);
  const [first] = batch;
  return {
    ...options,
    ...(on_failure !== "continue" && { on_failure }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(judge && { judge: withoutOperator(judge, helpers.judge) }),
    ...(labeller && { labeller: withoutOperator(labeller, helpers.labeller) }),
    test_batch: first && batch.length === 1 ? first : batch,
  };
}

function toInput({ id, description, system_prompt, tags, interactions }: Scenario) {
  return {
    id,
    ...(description !== "" && { description }),
    ...(system_prompt !== undefined && { system_prompt }),
    ...(tags.length > 0 && { tags }),
    interactions: interactions.map(({ agent_reply: _reply, generated_metadata: _labels, ...interaction }) => {
      const { reference_metadata, ...input } = interaction;
      return { ...input, ...(Object.keys(reference_metadata).length > 0 && { reference_metadata }) };
    }),
  };
}
