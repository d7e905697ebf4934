import { canonicalJson } from "../base/json.ts";
import type { NewFigures } from "../contract/ports/store.ts";
import { scoringFields, type RescoreRequest, type RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Interaction } from "../contract/schemas/scenario.ts";
import { labelCandidates } from "../evaluation/labels/label-candidates.ts";
import { turnRubrics } from "../evaluation/judges/judge-question.ts";
import { batchProblems } from "./batch-problems.ts";
import { boundHelperCalls } from "./bound-calls.ts";
import { expectNow } from "./expect-now.ts";
import { refuse } from "./fields-error.ts";
import { withOperator } from "./operator-helper.ts";
import { optionProblems, type PlanHelpers } from "./option-problems.ts";
import type { PlacedCheck } from "./placed-checks.ts";
import type { PlanLimits } from "./plan-limits.ts";
import type { ScoredBy } from "./scored-by.ts";
import { triedChecks } from "./tried-checks.ts";

/** What it is scored by from now on. */
export interface RescorePlan extends ScoredBy {
  /** Names of what is not as it was. */
  readonly replaced: readonly string[];
  /** Scenarios that expect something else than before. */
  readonly changed: NonNullable<NewFigures["scenarios"]>;
  /** Checks nobody has tried yet, since that may take long. */
  readonly untried?: readonly PlacedCheck[];
}

/** What models may have to be asked for, once it is another. */
const asking: ReadonlySet<string> = new Set(["judge", "labeller", "test_batch"]);

/** Puts what a request names in place of what the run was scored by, and refuses what cannot be used. */
export function planRescore(
  run: ScoredBy,
  request: Omit<RescoreRequest, "ask_models">,
  { limits, helpers }: { readonly limits: PlanLimits; readonly helpers: PlanHelpers },
): RescorePlan {
  const given = scoringFields.filter((name) => request[name] !== undefined);
  const { test_batch } = request;
  if (given.length === 0 && test_batch === undefined) return { ...run, replaced: [], changed: [] };

  const settings = settingsOf(run.settings, request, helpers);
  if (test_batch) {
    refuse(batchProblems(test_batch, limits));
    refuse(optionProblems({ ...settings, test_batch }, helpers));
  }
  const scenarios = test_batch ? expectNow(run, test_batch) : run.scenarios;
  const all = { ...settings, test_batch: [...scenarios] };
  refuse(optionProblems(all, helpers));
  const changed = scenarios.flatMap((scenario, index) =>
    isSame(scenario, run.scenarios[index]) ? [] : [{ index, scenario }],
  );
  const replaced = [
    ...given.filter((name) => !isSame(settings[name], run.settings[name])),
    ...(changed.length > 0 ? ["test_batch"] : []),
  ];
  if (replaced.some((name) => asking.has(name))) boundHelperCalls({ ...settings, scenarios }, limits);
  return { settings, scenarios, replaced, changed, ...triedChecks(all) };
}

/** Why what models said of the replies cannot be kept; null when it can. */
export function whyAsk(
  before: ScoredBy,
  after: RescorePlan,
  { semantic, newlySemantic }: { readonly semantic: boolean; readonly newlySemantic: boolean },
): string | null {
  const { judge, labeller } = after.settings;
  if (judge && !isSame(judge, before.settings.judge)) return "the judge is another one, and has said nothing yet";
  if (labeller && !isSame(labeller, before.settings.labeller))
    return "the labeller is another one, and has said nothing yet";
  if (newlySemantic) return "no embedder has seen the replies yet";
  const differs = (part: (turn: Interaction) => unknown): boolean =>
    after.changed.some(
      ({ index, scenario }) =>
        !isSame(before.scenarios[index]?.interactions.map(part), scenario.interactions.map(part)),
    );
  if (judge && differs(turnRubrics)) return "the judge was asked something else about some turns";
  if ((judge || semantic) && differs(referencesOf)) return "the replies were held against other references";
  if (!labeller) return null;
  const isOther = differs(kindsOf) || (after.changed.length > 0 && hasNewLabels(before.scenarios, after.scenarios));
  return isOther ? "the labeller was asked for other labels" : null;
}

/** A labeller chooses among the labels of the batch: one that was not among them it could not give. */
function hasNewLabels(before: ScoredBy["scenarios"], after: ScoredBy["scenarios"]): boolean {
  const known = labelCandidates(before);
  for (const [key, labels] of labelCandidates(after))
    for (const label of labels.keys()) if (!known.get(key)?.has(label)) return true;
  return false;
}

/** A label is text, a number or a yes or no, by what is expected. */
const kindsOf = ({ reference_metadata }: Interaction): unknown =>
  Object.fromEntries(Object.entries(reference_metadata).map(([key, value]) => [key, typeof value]));

function settingsOf(
  before: RunSettings,
  request: Omit<RescoreRequest, "ask_models">,
  helpers: PlanHelpers,
): RunSettings {
  const { judge, labeller } = request;
  const named = {
    ...request,
    ...(judge && { judge: withOperator(judge, helpers.judge) }),
    ...(labeller && { labeller: withOperator(labeller, helpers.labeller) }),
  };
  const given = scoringFields.flatMap((name) => (named[name] === undefined ? [] : [[name, named[name]]]));
  const settings = Object.entries({ ...before, ...Object.fromEntries(given) });
  return Object.fromEntries(settings.filter(([, value]) => value !== null)) as RunSettings;
}

const referencesOf = ({ reference_reply, references = [] }: Interaction): unknown => [reference_reply, references];

const isSame = (left: unknown, right: unknown): boolean =>
  left === right || canonicalJson(left ?? null) === canonicalJson(right ?? null);
