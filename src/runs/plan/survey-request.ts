import { actsInWorld, isLocalTarget } from "../../contract/schemas/acting/target.ts";
import type { FieldError } from "../../contract/errors/errors.ts";
import { passRateMeasure } from "../../contract/schemas/margins.ts";
import type { Warning } from "../../contract/errors/problem.ts";
import type { EvaluationRequest, RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import { usesCode } from "../../contract/schemas/scores/scorer-setting.ts";
import type { PriceOf } from "../../evaluation/helpers/helper-usage.ts";
import { withUserTurns } from "../../evaluation/simulation/attempt-user.ts";
import { planAttempts, sequenceProblems, type PlannedAttempts } from "./plan-sequence.ts";
import { createActingSurvey } from "./acting-problems.ts";
import { createBatchSurvey } from "./batch-problems.ts";
import { planEndpoints, type PlannedEndpoint } from "./endpoints.ts";
import { createExpectationSurvey } from "./expectations.ts";
import { createCallCounter, type CallCounts, type PlanLimits } from "./limits.ts";
import { optionProblems, type PlanHelpers } from "./option-problems.ts";
import { createRecordedSurvey, recordedProblems, targetOptionProblems, type ResolvedRequest } from "./plan-target.ts";
import { locateChecks, type LocatedCheck } from "./request-checks.ts";
import { runScoreNames } from "./score-names.ts";
import { interactionFromInput } from "./to-scenario.ts";
import { walkScenarios, type ScenarioVisitor } from "./walk-scenarios.ts";
import { runWarnings } from "./warnings.ts";

/** All that planning, checking and storing a run need to know about its request. */
export interface RequestSurvey {
  /** The problems of the first group of rules that is broken; empty when the request can be planned. */
  readonly problems: readonly FieldError[];
  /** The scenarios with their defaults and a place for each message of a simulated user. */
  readonly scenarios: readonly Scenario[];
  /** Patterns and schemas that still have to be compiled. */
  readonly checks: readonly LocatedCheck[];
  readonly counts: RequestCounts;
  readonly attempts: PlannedAttempts;
  /** Every score that the run can have. */
  scoreNames(): ReadonlySet<string>;
  /** True when a run with these settings needs this machine: for code in checks, modules of worlds or a target that is a program. */
  code(settings: RunSettings): boolean;
  /** Settings that have no effect, or a surprising one. */
  warnings(settings: RunSettings, priceOf: PriceOf | undefined): readonly Warning[];
  /** Every endpoint that a run with these settings would call. */
  endpoints(settings: RunSettings): readonly PlannedEndpoint[];
}

interface RequestCounts extends CallCounts {
  readonly scenarios: number;
  /** Interactions by the limit of a batch: the scripted ones, and the most that simulated users may add. */
  readonly planned: number;
  /** True when a scenario needs a simulator. */
  readonly simulated: boolean;
}

/** Surveys a request, whose shape has been validated, in one walk over its scenarios. */
export function surveyRequest(
  request: ResolvedRequest,
  { limits, helpers }: { readonly limits: PlanLimits; readonly helpers: PlanHelpers },
): RequestSurvey {
  const { scorers = [], world, budget } = request;
  const isRecorded = request.protocol === "recorded";
  const batch = createBatchSurvey(limits);
  const acting = createActingSurvey({ world, trust: helpers.trust });
  const expected = createExpectationSurvey(world);
  const recorded = createRecordedSurvey();
  const planned = createScenarioBuilder(request);
  walkScenarios(request.test_batch, [batch, acting, expected, planned, ...(isRecorded ? [recorded] : [])]);

  const { expectations } = expected;
  const { scenarios, counts, facts } = planned;
  const attemptPlan = planAttempts(request.attempts);
  const { attempts, sequence } = attemptPlan;
  const { customScorers = [], semantic } = helpers;
  // Computed when a rule, a gate or a caller asks: most requests name no score.
  const scoreNames = (): ReadonlySet<string> => runScoreNames(request, { expectations, customScorers, semantic });
  /** In the order in which they are told. */
  const rules: readonly (() => readonly FieldError[])[] = [
    () => attemptProblems(attempts, limits),
    () => batch.problems(),
    () => acting.problems(),
    () => toolParameterProblems(request, expectations.hasWorlds),
    () => targetOptionProblems(request, helpers),
    () => (isRecorded ? recordedProblems(request, { attempts, ofScenarios: recorded.problems }) : []),
    () => optionProblems({ ...request, ...facts, turns: batch.turns, expectations }, helpers),
    () => {
      if (!sequence) return [];
      const known = scoreNames();
      const scores = (name: string): boolean => known.has(name) || name === passRateMeasure;
      return sequenceProblems(attemptPlan, { scenarios: scenarios.length, budget, scores });
    },
  ];

  return {
    problems: firstProblems(rules),
    scenarios,
    attempts: attemptPlan,
    checks: [...locateChecks(scorers, batch.turns), ...acting.checks()],
    counts: { ...counts, scenarios: scenarios.length, planned: facts.planned, simulated: facts.simulated },
    scoreNames,
    code: (settings) =>
      facts.runsCode ||
      (facts.hasModules && actsInWorld(settings)) ||
      (settings.target !== undefined && isLocalTarget(settings.target)),
    warnings: (settings, priceOf) => runWarnings(settings, { expectations, customScorers, scoreNames, priceOf }),
    endpoints: planEndpoints,
  };
}

function firstProblems(rules: readonly (() => readonly FieldError[])[]): readonly FieldError[] {
  for (const rule of rules) {
    const problems = rule();
    if (problems.length > 0) return problems;
  }
  return [];
}

type BatchItem = Exclude<EvaluationRequest["test_batch"], readonly unknown[]>;

/** Makes the scenarios of the run, counts their calls and notes what they need. */
function createScenarioBuilder(request: ResolvedRequest) {
  const { scorers = [], world: ofRun, protocol } = request;
  const options = { recorded: protocol === "recorded" };
  const { counts, count } = createCallCounter(request);
  const scenarios: Scenario[] = [];
  const facts = {
    planned: 0,
    simulated: false,
    /** The first scenario with a simulated user. */
    userPointer: null as string | null,
    runsCode: scorers.some(usesCode),
    hasModules: false,
  };
  let interactions: Interaction[] = [];
  const visitor: ScenarioVisitor<BatchItem> = {
    enter() {
      interactions = [];
    },
    turn(turn, _pointer, index) {
      interactions.push(interactionFromInput(turn, index, options));
      facts.runsCode ||= (turn.checks ?? []).some(usesCode);
    },
    leave(input, pointer) {
      const { user, world = ofRun } = input;
      facts.runsCode ||= input.expect?.code !== undefined;
      const scenario = withUserTurns({ ...input, tags: input.tags ?? [], interactions });
      scenarios.push(scenario);
      count(scenario);
      facts.planned += interactions.length + (user?.max_turns ?? 0);
      facts.simulated ||= user !== undefined && !user.recorded;
      if (user) facts.userPointer ??= `${pointer}/user`;
      facts.hasModules ||= world?.module !== undefined;
    },
  };
  return { ...visitor, scenarios, counts, facts };
}

/** A world offers its own tools; others in the request would replace them. */
function toolParameterProblems({ world, parameters }: ResolvedRequest, hasWorlds: boolean): FieldError[] {
  if (!world && !hasWorlds) return [];
  const given = ["tools", "tool_choice", "functions"].filter((name) => parameters?.extra?.[name] !== undefined);
  return given.map((name) => ({
    pointer: `/parameters/extra/${name}`,
    code: "not_allowed",
    message: "must be left out where a scenario has a world: its tools are offered",
  }));
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
