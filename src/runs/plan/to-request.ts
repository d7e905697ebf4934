import type { z } from "zod";
import type { EvaluationRequest, RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { withoutUserTurns } from "../../evaluation/simulation/attempt-user.ts";
import { withoutOperatorDefaults } from "./model-target.ts";
import type { PlanHelpers } from "./option-problems.ts";

export type RepeatRequest = z.input<typeof EvaluationRequest>;

/** The request that repeats a run. Defaults and the operator's judge or labeller are left out, so that the current ones apply. */
export function toRepeatRequest(
  settings: RunSettings,
  { scenarios, helpers }: { scenarios: readonly Scenario[]; helpers: PlanHelpers },
): RepeatRequest {
  const {
    adaptive: _bounds,
    simulator: _simulator,
    judge,
    labeller,
    on_failure,
    tags,
    metadata,
    ...options
  } = settings;
  const batch = scenarios.map((scenario) => toInput(withoutUserTurns(scenario)));
  const [first] = batch;
  return {
    ...options,
    ...(on_failure !== "continue" && { on_failure }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(judge && { judge: withoutOperatorDefaults(judge, helpers.judge) }),
    ...(labeller && { labeller: withoutOperatorDefaults(labeller, helpers.labeller) }),
    ...ownSimulator(settings, helpers),
    test_batch: first && batch.length === 1 ? first : batch,
  };
}

/** A simulator that equals the operator's needs no mention: a scenario with a user is enough. */
function ownSimulator({ simulator }: RunSettings, helpers: PlanHelpers): Pick<RepeatRequest, "simulator"> {
  const own = simulator && withoutOperatorDefaults(simulator, helpers.simulator);
  return own && Object.keys(own).length > 0 ? { simulator: own } : {};
}

function toInput({ id, description, system_prompt, tags, interactions, ...acting }: Scenario) {
  return {
    id,
    ...(description !== "" && { description }),
    ...(system_prompt !== undefined && { system_prompt }),
    ...(tags.length > 0 && { tags }),
    ...acting,
    interactions: interactions.map(
      ({ simulated: _simulated, agent_reply: _reply, generated_metadata: _labels, ...interaction }) => {
        const { reference_metadata, ...input } = interaction;
        return { ...input, ...(Object.keys(reference_metadata).length > 0 && { reference_metadata }) };
      },
    ),
  };
}
