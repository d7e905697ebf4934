import { compact } from "../../base/compact.ts";
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
  const { adaptive: _bounds, sequence, attempts, judge, labeller, simulator: _simulator, ...others } = settings;
  // The request is that of the variant alone.
  const { on_failure, tags, metadata, target, experiment: _variant, reuse: _sources, ...rest } = others;
  const { protocol: _protocol, world_address: _address, ...withoutProtocol } = rest;
  const options = target ? { ...withoutProtocol, endpoint: target } : rest;
  const batch = scenarios.map((scenario) => toInput(withoutUserTurns(scenario), settings));
  const [first] = batch;
  return compact({
    ...options,
    attempts: requestedAttempts(attempts, sequence),
    on_failure: on_failure !== "continue" ? on_failure : undefined,
    tags: tags.length > 0 ? tags : undefined,
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    judge: judge && withoutOperatorDefaults(judge, helpers.judge),
    labeller: labeller && withoutOperatorDefaults(labeller, helpers.labeller),
    ...ownSimulator(settings, helpers),
    test_batch: first && batch.length === 1 ? first : batch,
  });
}

/** A simulator that equals the operator's needs no mention: a scenario with a user is enough. */
function ownSimulator({ simulator }: RunSettings, helpers: PlanHelpers): Pick<RepeatRequest, "simulator"> {
  const own = simulator && withoutOperatorDefaults(simulator, helpers.simulator);
  return own && Object.keys(own).length > 0 ? { simulator: own } : {};
}

/** The baseline side of a sequential comparison repeats with all scenarios, and so does a variant. */
function requestedAttempts(attempts: number, sequence: RunSettings["sequence"]): RepeatRequest["attempts"] {
  if (sequence?.side !== "candidate" || sequence.against.variant !== undefined) return attempts;
  const { side: _side, opponent: _opponent, rivals: _rivals, seed: _order, ...comparison } = sequence;
  return compact({ until: "decided", ...comparison, each: attempts !== 1 ? attempts : undefined });
}

function toInput(
  { id, description, system_prompt, tags, interactions, ...acting }: Scenario,
  { protocol }: Pick<RunSettings, "protocol">,
) {
  return compact({
    id,
    description: description || undefined,
    system_prompt,
    tags: tags.length > 0 ? tags : undefined,
    ...acting,
    interactions: interactions.map(
      ({ simulated: _simulated, agent_reply, generated_metadata: _labels, ...interaction }) => {
        const { reference_metadata, ...input } = interaction;
        return compact({
          ...input,
          agent_reply: protocol === "recorded" ? agent_reply : undefined,
          reference_metadata: Object.keys(reference_metadata).length > 0 ? reference_metadata : undefined,
        });
      },
    ),
  });
}
