import { compact } from "../../base/compact.ts";
import { canonicalJson } from "../../base/json.ts";
import type { FieldError } from "../../contract/errors/errors.ts";
import type { NewFigures } from "../../contract/ports/store.ts";
import {
  scoringFields,
  type EvaluationRequest,
  type RescoreRequest,
  type RunSettings,
} from "../../contract/schemas/evaluation-request.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import { scriptedTurns } from "../../evaluation/simulation/attempt-user.ts";
import { referenceReply } from "../../evaluation/conversation/conversation.ts";
import { labelCandidates } from "../../evaluation/labels/label-candidates.ts";
import { turnRubrics } from "../../evaluation/judges/judge-question.ts";
import { createActingSurvey } from "../plan/acting-problems.ts";
import { createBatchSurvey } from "../plan/batch-problems.ts";
import { createExpectationSurvey } from "../plan/expectations.ts";
import { refuseInvalid } from "../plan/fields-error.ts";
import { createCallCounter, enforceHelperCallLimit, type PlanLimits } from "../plan/limits.ts";
import { withOperatorDefaults } from "../plan/model-target.ts";
import { optionProblems, type PlanHelpers } from "../plan/option-problems.ts";
import { locateChecks, verifyQuickChecks, type LocatedCheck } from "../plan/request-checks.ts";
import { walkScenarios } from "../plan/walk-scenarios.ts";

/** The settings and scenarios that a run is scored by. */
export interface ScoringBasis {
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
}

/** The new scoring basis. */
export interface RescorePlan extends ScoringBasis {
  /** Names of the settings that change. */
  readonly replaced: readonly string[];
  /** Scenarios whose expectations change. */
  readonly changed: NonNullable<NewFigures["scenarios"]>;
  /** Checks that still have to be verified, since compiling them may be slow. */
  readonly slowChecks?: readonly LocatedCheck[];
}

/** Settings whose replacement may require model calls. */
const asking: ReadonlySet<string> = new Set(["judge", "labeller", "test_batch"]);

/** Applies the settings of a request to a run's scoring basis, and refuses what cannot be used. */
export function planRescore(
  run: ScoringBasis,
  request: Omit<RescoreRequest, "ask_models">,
  { limits, helpers }: { readonly limits: PlanLimits; readonly helpers: PlanHelpers },
): RescorePlan {
  const given = scoringFields.filter((name) => request[name] !== undefined);
  const { test_batch } = request;
  if (given.length === 0 && test_batch === undefined) return { ...run, replaced: [], changed: [] };

  const settings = settingsOf(run.settings, request, helpers);
  if (test_batch) {
    const { batch, acting, expectations } = surveyExpectations(test_batch, limits);
    refuseInvalid(batch.problems());
    refuseInvalid(acting.problems());
    refuseInvalid(optionProblems({ ...settings, turns: batch.turns, expectations }, helpers));
  }
  const scenarios = test_batch ? applyNewExpectations(run, test_batch) : run.scenarios;
  const { batch, acting, expectations } = surveyExpectations(scenarios, limits);
  refuseInvalid(optionProblems({ ...settings, turns: batch.turns, expectations }, helpers));
  const changed = scenarios.flatMap((scenario, index) =>
    isSame(scenario, run.scenarios[index]) ? [] : [{ index, scenario }],
  );
  const replaced = [
    ...given.filter((name) => !isSame(settings[name], run.settings[name])),
    ...(changed.length > 0 ? ["test_batch"] : []),
  ];
  if (replaced.some((name) => asking.has(name))) {
    const calls = createCallCounter(settings);
    for (const scenario of scenarios) calls.count(scenario);
    enforceHelperCallLimit(settings, calls.counts, limits);
  }
  const checks = [...locateChecks(settings.scorers ?? [], batch.turns), ...acting.checks()];
  return { settings, scenarios, replaced, changed, ...verifyQuickChecks(checks) };
}

/** Surveys expectations in one walk. A scenario may act in the world of the run, which is not known here. */
function surveyExpectations(scenarios: Batch | readonly Scenario[], limits: PlanLimits) {
  const batch = createBatchSurvey(limits);
  const acting = createActingSurvey({ inRun: false });
  const { expectations, ...expected } = createExpectationSurvey();
  walkScenarios<ScenarioInput>(scenarios, [batch, acting, expected]);
  return { batch, acting, expectations };
}

/** The reason why earlier model verdicts cannot be kept, or null. */
export function reasonToAskModels(
  before: ScoringBasis,
  after: RescorePlan,
  { semantic, newlySemantic }: { readonly semantic: boolean; readonly newlySemantic: boolean },
): string | null {
  const { judge, labeller } = after.settings;
  if (judge && !isSame(judge, before.settings.judge)) return "the judge is new and has no verdicts yet";
  if (labeller && !isSame(labeller, before.settings.labeller)) return "the labeller is new and has no labels yet";
  if (newlySemantic) return "no embedder has seen the replies yet";
  const differs = (part: (turn: Interaction) => unknown): boolean =>
    after.changed.some(
      ({ index, scenario }) =>
        !isSame(before.scenarios[index]?.interactions.map(part), scenario.interactions.map(part)),
    );
  if (judge && differs(turnRubrics)) return "the rubrics of some turns have changed";
  const hasNewRubric = after.changed.some(
    ({ index, scenario }) =>
      scenario.expect?.rubric !== undefined && scenario.expect.rubric !== before.scenarios[index]?.expect?.rubric,
  );
  if (judge && hasNewRubric) return "the rubrics of some expected outcomes have changed";
  if ((judge || semantic) && differs(referencesOf)) return "the references of some turns have changed";
  if (!labeller) return null;
  const isOther = differs(kindsOf) || (after.changed.length > 0 && hasNewLabels(before.scenarios, after.scenarios));
  return isOther ? "the labels to choose from have changed" : null;
}

/** A labeller chooses among the labels of the batch, so it could not have chosen a new one. */
function hasNewLabels(before: ScoringBasis["scenarios"], after: ScoringBasis["scenarios"]): boolean {
  const known = labelCandidates(before);
  for (const [key, labels] of labelCandidates(after))
    for (const label of labels.keys()) if (!known.get(key)?.has(label)) return true;
  return false;
}

const kindsOf = ({ reference_metadata }: Interaction): unknown =>
  Object.fromEntries(Object.entries(reference_metadata).map(([key, value]) => [key, typeof value]));

function settingsOf(
  before: RunSettings,
  request: Omit<RescoreRequest, "ask_models">,
  helpers: PlanHelpers,
): RunSettings {
  const { judge, labeller } = request;
  const named = compact({
    ...request,
    judge: judge && withOperatorDefaults(judge, helpers.judge),
    labeller: labeller && withOperatorDefaults(labeller, helpers.labeller),
  });
  const given = scoringFields.flatMap((name) => (named[name] === undefined ? [] : [[name, named[name]]]));
  const settings = Object.entries({ ...before, ...Object.fromEntries(given) });
  return Object.fromEntries(settings.filter(([, value]) => value !== null)) as RunSettings;
}

const referencesOf = ({ reference_reply, references = [] }: Interaction): unknown => [reference_reply, references];

const isSame = (left: unknown, right: unknown): boolean =>
  left === right || canonicalJson(left ?? null) === canonicalJson(right ?? null);

type Batch = EvaluationRequest["test_batch"];
type ScenarioInput = Exclude<Batch, readonly unknown[]>;

/**
 * The scenarios with their new expectations. A reply belongs to its question, so a batch that changes what the model was asked
 * is refused.
 */
function applyNewExpectations({ settings, scenarios }: ScoringBasis, batch: Batch): readonly Scenario[] {
  const several = Array.isArray(batch);
  const inputs = several ? batch : [batch];
  const located = new Map(inputs.map((input, index) => [input.id, { input, pointer: several ? `/${index}` : "" }]));
  const hasReferencePass = settings.history === "reference" || settings.history === "both";
  const showsReferences = hasReferencePass || settings.replay_first_bad_turn === true;
  const errors: FieldError[] = [];

  const now = scenarios.map((scenario) => {
    const found = located.get(scenario.id);
    if (!found) return scenario;
    const problems = problemsOf(scenario, found.input, showsReferences);
    errors.push(...problems.map((error) => ({ ...error, pointer: `/test_batch${found.pointer}${error.pointer}` })));
    return problems.length > 0 ? scenario : withExpectations(scenario, found.input);
  });
  if (!scenarios.some(({ id }) => located.has(id))) {
    errors.push({ pointer: "/test_batch", code: "unknown_scenario", message: "contains no scenario of this run" });
  }
  refuseInvalid(errors);
  return now;
}

function problemsOf(scenario: Scenario, input: ScenarioInput, showsReferences: boolean): FieldError[] {
  const { expect } = scenario;
  const interactions = scriptedTurns(scenario);
  for (const part of ["state", "state_after"] as const) {
    const isNew = input.expect?.[part] !== undefined && !isSame(input.expect[part], expect?.[part]);
    if (isNew) {
      const message =
        "must be that of the run: the final states of its attempts are not stored. Make a new run instead";
      return [{ pointer: `/expect/${part}`, code: "conflict", message }];
    }
  }
  if (input.interactions.length !== interactions.length) {
    const message = `must be the ${interactions.length} of the run: replies do not apply to other turns`;
    return [{ pointer: "/interactions", code: "conflict", message, received: String(input.interactions.length) }];
  }
  return interactions.flatMap((asked, turn) => {
    const given = input.interactions[turn]!;
    const at = (field: string, message: string): FieldError[] => [
      { pointer: `/interactions/${turn}/${field}`, code: "conflict", message },
    ];
    if (given.id !== asked.id) return at("id", `must be "${asked.id}", as in the run`);
    if (given.prompt !== undefined && given.prompt !== asked.prompt) return at("prompt", "must be what the run sent");
    if (given.user_message !== asked.user_message) return at("user_message", "must be what the run sent");
    const { reference_reply, references = [] } = given;
    if (showsReferences && referenceReply({ ...asked, reference_reply, references }) !== referenceReply(asked)) {
      return at("reference_reply", "must be that of the run: the model saw it as history");
    }
    return [];
  });
}

function withExpectations(before: Scenario, input: ScenarioInput): Scenario {
  const { tool_matching: _matching, expect: _expect, ...scenario } = before;
  const { tool_matching, expect } = input;
  return compact({
    ...scenario,
    tool_matching,
    expect,
    interactions: scenario.interactions.map((asked, turn): Interaction => {
      if (asked.simulated) return asked;
      const { references: _references, reference_tool_calls: _calls, checks: _checks, ...rest } = asked;
      const { reference_reply, references, reference_tool_calls, reference_metadata, checks } =
        input.interactions[turn]!;
      return compact({
        ...rest,
        reference_reply,
        references,
        reference_tool_calls,
        reference_metadata,
        checks,
      });
    }),
  });
}
