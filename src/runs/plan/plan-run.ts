import type { z } from "zod";
import { shuffle } from "../../base/random.ts";
import { ServiceError, type FieldError } from "../../contract/errors.ts";
import type { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { turnId, type Scenario, type ScenarioInput } from "../../contract/schemas/scenario.ts";
import { withUserTurns } from "../../evaluation/simulation/attempt-user.ts";
import { passRateMeasure } from "../../contract/schemas/margins.ts";
import { outcomeScoreNames } from "../../evaluation/tools/outcome.ts";
import { planAttempts, sequenceProblems } from "../sequence/plan-sequence.ts";
import { surveyActing } from "./acting-problems.ts";
import { surveyBatch } from "./batch-problems.ts";
import { refuseInvalid } from "./fields-error.ts";
import { enforceCallLimit, type PlanLimits } from "./limits.ts";
import { withOperatorDefaults } from "./model-target.ts";
import { optionProblems, scoresOfRun, type PlanHelpers } from "./option-problems.ts";
import { planTarget, recordedProblems, targetOptionProblems, withDeclaredTarget } from "./plan-target.ts";
import { locateChecks, verifyQuickChecks, type LocatedTurn, type RunPlan } from "./request-checks.ts";

/**
 * Checks a request and returns its plan with every default filled in. Refuses duplicate ids, too many calls or scores, oversized
 * labels, and scorers or judges that cannot be used.
 */
export function planRun(given: EvaluationRequest, limits: PlanLimits, helpers: PlanHelpers = {}): RunPlan {
  const request = withDeclaredTarget(given, helpers);
  const { test_batch, test_name, attempts: wanted, endpoint: asked, protocol: named, ...rest } = request;
  const { judge, labeller, simulator, replay_users: _, ...options } = rest;
  const { attempts, sequence } = planAttempts(wanted);
  const batch = surveyBatch(test_batch, limits);
  refuseInvalid(attemptProblems(attempts, limits));
  refuseInvalid(batch.problems);
  const acting = surveyActing(test_batch, { world: request.world, trust: helpers.trust });
  refuseInvalid(acting.problems);
  refuseInvalid(toolParameterProblems(request));
  refuseInvalid(targetOptionProblems(request, helpers));
  refuseInvalid(recordedProblems(request, attempts));
  refuseInvalid(optionProblems({ ...request, ...batch }, helpers));
  refuseInvalid(
    sequenceProblems(
      { attempts, ...(sequence && { sequence }) },
      { scenarios: [test_batch].flat().length, budget: request.budget, scores: knownScore(request, batch, helpers) },
    ),
  );
  const slow = verifyQuickChecks([...locateChecks(request.scorers ?? [], batch.turns), ...acting.checks]);
  enforceInteractionLimit(batch.interactions, limits);
  const listed = [test_batch]
    .flat()
    .map((input) => withUserTurns(scenarioFromInput(input, { recorded: named === "recorded" })));
  const scenarios = sequence ? shuffle(listed, sequence.seed) : listed;
  const target = planTarget({ endpoint: asked, protocol: named });
  enforceCallLimit({ ...request, ...target, attempts, scenarios }, limits);
  const asksSimulator = batch.simulated || simulator !== undefined;

  return {
    ...options,
    ...target,
    attempts,
    ...(sequence && { sequence }),
    ...(judge && { judge: withOperatorDefaults(judge, helpers.judge) }),
    ...(labeller && { labeller: withOperatorDefaults(labeller, helpers.labeller) }),
    ...(asksSimulator && { simulator: withOperatorDefaults(simulator ?? {}, helpers.simulator) }),
    scenarios,
    test_name: test_name ?? defaultTestName(scenarios),
    ...slow,
  };
}

/** True for the names of scores that this run will have. Names of labels, outcomes and conversations are not all known before. */
function knownScore(
  request: EvaluationRequest,
  { turns, expectsCalls }: { turns: readonly LocatedTurn[]; expectsCalls: boolean },
  helpers: PlanHelpers,
): (name: string) => boolean {
  const known = scoresOfRun({ ...request, turns, expectsCalls }, helpers);
  const ofScenarios = [request.test_batch].flat().flatMap(({ expect }) => (expect ? outcomeScoreNames(expect) : []));
  const names = new Set([...known, ...ofScenarios, "overall", passRateMeasure]);
  return (name) => names.has(name) || name.startsWith("metadata.") || name.startsWith("conversation");
}

/** A world offers its own tools; others in the request would replace them. */
function toolParameterProblems({ test_batch, world, parameters }: EvaluationRequest): FieldError[] {
  if (!world && ![test_batch].flat().some((scenario) => scenario.world)) return [];
  return ["tools", "tool_choice", "functions"].flatMap((name) =>
    parameters?.extra?.[name] === undefined
      ? []
      : [
          {
            pointer: `/parameters/extra/${name}`,
            code: "not_allowed",
            message: "must be left out where a scenario has a world: its tools are offered",
          },
        ],
  );
}

/** One scenario gives a run its name; several give it their common first tag, or their number and the date. */
export function defaultTestName(
  scenarios: readonly { readonly id: string; readonly tags?: readonly string[] | undefined }[],
  now = new Date(),
): string {
  const [first] = scenarios;
  if (scenarios.length < 2) return first?.id ?? "";
  const shared = first?.tags?.find((tag) => scenarios.every(({ tags = [] }) => tags.includes(tag)));
  return shared ?? `${scenarios.length} scenarios, ${now.toISOString().slice(0, 10)}`;
}

function attemptProblems(attempts: number, limits: PlanLimits): FieldError[] {
  if (attempts <= limits.attempts) return [];
  return [
    {
      pointer: "/attempts",
      code: "too_big",
      message: `must be at most ${limits.attempts} (limits.max_attempts)`,
      received: String(attempts),
    },
  ];
}

function enforceInteractionLimit(interactions: number, limits: PlanLimits): void {
  if (interactions <= limits.interactions) return;
  throw new ServiceError(
    "too_many_interactions",
    `The batch has ${interactions} interactions; at most ${limits.interactions} are allowed (limits.max_interactions).`,
  );
}

/** A scenario with every default filled in. Generated labels in the input are dropped, and replies unless they are the recorded ones. */
export function scenarioFromInput(
  input: z.output<typeof ScenarioInput>,
  { recorded = false }: { readonly recorded?: boolean } = {},
): Scenario {
  return {
    ...input,
    tags: input.tags ?? [],
    interactions: input.interactions.map(({ agent_reply, tool_calls, ...interaction }, index) => ({
      ...interaction,
      id: turnId(interaction, index),
      agent_reply: recorded ? agent_reply : "",
      ...(recorded && tool_calls && { tool_calls }),
      generated_metadata: {},
      interaction_type: interaction.interaction_type ?? (index === 0 ? "opening" : "follow_up"),
    })),
  };
}
