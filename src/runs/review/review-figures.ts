import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { Agreement, CorrectedEffect, Corrections } from "../../contract/schemas/judging/human-verdict.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { formatFigure } from "../../base/numbers.ts";
import { correctEffect, correctMean } from "../../evaluation/judges/correct-judge.ts";
import {
  fleissKappa,
  krippendorffAlpha,
  pairKappa,
  type Coefficient,
  type Rating,
} from "../../evaluation/statistics/agreement.ts";
import { labelsAlone, type JudgedReply } from "../../evaluation/statistics/prediction-powered.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { requireEndedRun } from "../results/find-run.ts";
import { readReviewedReplies, toJudgedReplies, type ReviewedReply } from "./judged-replies.ts";
import {
  questionsOfRun,
  readReplyVerdicts,
  replyKey,
  reviewQuestionName,
  toReviewQuestion,
  type AskedQuestion,
  type ReplyVerdict,
} from "./reply-verdicts.ts";
import { countByRater, orderReplies } from "./review-queue.ts";
import { findQuestion } from "./store-verdicts.ts";

const mostConflicts = 500;
/** Pairs of raters with a kappa of their own. */
const mostPairs = 15;
const mostNext = 20;

/** How far people agree with each other, and with the judge, on one question. */
export async function agreementOfRun(
  store: Store,
  run: RunRecord,
  query: { readonly question?: string | undefined; readonly against?: string | undefined },
): Promise<Agreement> {
  const question = findQuestion(run, { name: query.question, against: query.against });
  if ("problem" in question) throw invalidFieldsError([question.problem]);
  const scenarios = await store.runs.scenarios(run.id);
  const filter = { question: question.name, against: query.against };
  const verdicts = await readReplyVerdicts(store, run.id, filter);
  const ratings = verdicts.flatMap((verdict) => toRatings(verdict, scenarios));
  const raters = countByRater(verdicts);
  const names = raters.map(({ rater }) => rater);
  const pairs = names.flatMap((left, index) =>
    names.slice(index + 1).map((right) => [left, right] as [string, string]),
  );
  const alpha = (metric: "nominal" | "ordinal" | "interval") => toCoefficient(krippendorffAlpha(ratings, { metric }));
  const nominal = alpha("nominal");
  const conflicts = verdicts.filter(({ differs }) => differs);
  const open = conflicts.filter(({ adjudicated }) => !adjudicated).length;
  return {
    question: toReviewQuestion(question),
    raters,
    replies: verdicts.length,
    alpha: { nominal, ordinal: alpha("ordinal"), interval: alpha("interval") },
    fleiss: toCoefficient(fleissKappa(ratings)),
    pairs: pairs.slice(0, mostPairs).map((both) => ({ raters: both, kappa: toCoefficient(pairKappa(ratings, both)) })),
    people: peopleMean(verdicts, scenarios),
    judge: question.judged ? await judgeKappa(store, run, { question, scenarios, verdicts }) : null,
    conflicts: conflicts
      .toSorted((left, right) => Number(left.adjudicated) - Number(right.adjudicated))
      .slice(0, mostConflicts)
      .map((verdict) => toConflict(verdict, scenarios)),
    open_conflicts: open,
    sentence: agreementSentence(nominal, { raters: names.length, open }),
  };
}

function peopleMean(verdicts: readonly ReplyVerdict[], scenarios: readonly Scenario[]): Agreement["people"] {
  const sampled = verdicts.filter(({ sampled: isRandom }) => isRandom);
  const replies = sampled.map((reply) => ({ cluster: clusterOf(scenarios, reply), judge: 0, human: reply.value }));
  const alone = labelsAlone(replies);
  return {
    mean: alone?.mean ?? null,
    ci_lower: alone?.interval.lower ?? null,
    ci_upper: alone?.interval.upper ?? null,
  };
}

const clusterOf = (scenarios: readonly Scenario[], { scenario_index }: { scenario_index: number }): string =>
  scenarios[scenario_index]?.id ?? "";

const toRatings = (reply: ReplyVerdict, scenarios: readonly Scenario[]): Rating[] =>
  reply.verdicts.map(({ rater, choice, value }) => ({
    unit: replyKey(reply),
    cluster: clusterOf(scenarios, reply),
    rater,
    category: choice,
    value,
  }));

const toCoefficient = ({ value, interval, units }: Coefficient): Agreement["fleiss"] => ({
  value,
  ci_lower: interval?.lower ?? null,
  ci_upper: interval?.upper ?? null,
  replies: units,
});

function toConflict(reply: ReplyVerdict, scenarios: readonly Scenario[]): Agreement["conflicts"][number] {
  const { attempt, turn_index, verdicts, adjudicated, choice } = reply;
  return {
    scenario_id: clusterOf(scenarios, reply),
    attempt,
    turn_index,
    verdicts: verdicts.map(({ rater, choice: given, comment }) => ({
      rater,
      choice: given,
      ...(comment !== null && { comment }),
    })),
    adjudicated: adjudicated ? choice : null,
  };
}

/** Judge and people as two raters. The judge's score names the choice with that value, or the nearest. */
async function judgeKappa(
  store: Store,
  run: RunRecord,
  {
    question,
    scenarios,
    verdicts,
  }: { question: AskedQuestion; scenarios: readonly Scenario[]; verdicts: readonly ReplyVerdict[] },
): Promise<Agreement["fleiss"]> {
  const scores = new Map(
    (await readReviewedReplies(store, run, { question, scenarios })).map((reply) => [replyKey(reply), reply.judge]),
  );
  const values = [...new Set(Object.values(question.choices))];
  const nearest = (score: number): number =>
    values.reduce((best, value) => (Math.abs(value - score) < Math.abs(best - score) ? value : best));
  const ratings = verdicts.flatMap((reply): Rating[] => {
    const score = scores.get(replyKey(reply));
    if (score === undefined || score === null) return [];
    const unit = { unit: replyKey(reply), cluster: clusterOf(scenarios, reply) };
    return [nearest(reply.value), nearest(score)].map((value, index) => ({
      ...unit,
      rater: index === 0 ? "people" : "judge",
      category: String(value),
      value,
    }));
  });
  return toCoefficient(pairKappa(ratings, ["people", "judge"]));
}

function agreementSentence(
  alpha: Agreement["fleiss"],
  { raters, open }: { readonly raters: number; readonly open: number },
): string {
  if (raters < 2) return "Agreement needs verdicts of two people or more on the same replies.";
  if (alpha.replies === 0) return "No reply has verdicts of two people, so their agreement is unknown.";
  if (alpha.value === null) return "All verdicts are the same choice, so agreement beyond chance is undefined.";
  const interval =
    alpha.ci_lower === null || alpha.ci_upper === null
      ? ""
      : ` (95 % interval ${formatFigure(alpha.ci_lower)} to ${formatFigure(alpha.ci_upper)})`;
  const conflicts = open === 0 ? "no conflict is open" : `${open} ${open === 1 ? "conflict is" : "conflicts are"} open`;
  return `Krippendorff's alpha of ${raters} people is ${formatFigure(alpha.value)}${interval} on ${alpha.replies} replies; ${conflicts}.`;
}

/** The corrected mean of every score of the judge, and the replies to label next. */
export async function correctionsOfRun(store: Store, run: RunRecord): Promise<Corrections> {
  requireEndedRun(run, "its scores cannot be corrected yet");
  const scenarios = await store.runs.scenarios(run.id);
  const scores: Corrections["scores"] = [];
  const label_next: Corrections["label_next"] = [];
  const notes: string[] = [];
  for (const question of questionsOfRun(run)) {
    const read = await readCorrectable(store, run, { question, scenarios });
    if (!question.judged && read.verdicts.length === 0) continue;
    notes.push(...read.notes);
    scores.push(correctMean(question.name, toJudgedReplies(read.replies, { verdicts: read.verdicts, scenarios })));
    const known = new Map(read.verdicts.map((verdict) => [replyKey(verdict), verdict]));
    const seed = `${run.id} ${question.name} `;
    const next = orderReplies(read.replies, { order: "stratified", seed, verdicts: known })
      .filter((reply) => !known.has(replyKey(reply)))
      .slice(0, mostNext);
    label_next.push({
      question: question.name,
      replies: next.map((reply) => ({
        scenario_id: clusterOf(scenarios, reply),
        attempt: reply.attempt,
        turn_index: reply.turn_index,
      })),
    });
  }
  return { scores, label_next, notes };
}

interface Correctable {
  readonly replies: readonly ReviewedReply[];
  readonly verdicts: readonly ReplyVerdict[];
  readonly notes: readonly string[];
}

/** Verdicts on an earlier form of the question answer something else, and are left out. */
async function readCorrectable(
  store: Store,
  run: RunRecord,
  { question, scenarios }: { question: AskedQuestion; scenarios: readonly Scenario[] },
): Promise<Correctable> {
  const all = await readReplyVerdicts(store, run.id, { question: question.name });
  const verdicts = all.filter((reply) => reply.verdicts.every(({ asked }) => asked === question.asked));
  const replies =
    all.length === 0 && question.name === reviewQuestionName
      ? []
      : await readReviewedReplies(store, run, { question, scenarios });
  const picked = verdicts.filter(({ sampled }) => !sampled).length;
  const notes = [
    ...(all.length > verdicts.length
      ? [
          `${question.name}: ${all.length - verdicts.length} verdicts answer an earlier form of the question and were left out.`,
        ]
      : []),
    ...(picked > 0
      ? [`${question.name}: ${picked} verdicts are on replies that were not chosen at random, and correct nothing.`]
      : []),
  ];
  return { replies, verdicts, notes };
}

/**
 * The corrected differences of two runs in the scores of a judge that asked both the same. Empty when neither has verdicts.
 * Only scenarios with the same turns in both runs count.
 */
export async function correctedEffects(
  store: Store,
  { baseline, candidate, names }: { baseline: RunRecord; candidate: RunRecord; names: ReadonlySet<string> },
): Promise<CorrectedEffect[]> {
  const [left, right] = [await store.verdicts.ofRun(baseline.id), await store.verdicts.ofRun(candidate.id)];
  if (left.length + right.length === 0) return [];
  const sides = await Promise.all(
    [baseline, candidate].map(async (run) => ({ run, scenarios: await store.runs.scenarios(run.id) })),
  );
  const shared = sharedScenarios(sides.map(({ scenarios }) => scenarios));
  const effects: CorrectedEffect[] = [];
  for (const question of questionsOfRun(candidate).filter(({ judged, name }) => judged && names.has(name))) {
    const asked = questionsOfRun(baseline).find(({ name }) => name === question.name)?.asked;
    if (asked !== question.asked) continue;
    const [theirs = [], ours = []] = await Promise.all(
      sides.map(async ({ run, scenarios }): Promise<readonly JudgedReply[]> => {
        const { replies, verdicts } = await readCorrectable(store, run, { question, scenarios });
        return toJudgedReplies(replies, { verdicts, scenarios }).filter(({ cluster }) => shared.has(cluster));
      }),
    );
    if (![...theirs, ...ours].some(({ human }) => human !== undefined)) continue;
    effects.push(correctEffect(question.name, { baseline: theirs, candidate: ours }));
  }
  return effects;
}

function sharedScenarios([left = [], right = []]: readonly (readonly Scenario[])[]): ReadonlySet<string> {
  const messages = ({ interactions }: Scenario): string =>
    JSON.stringify(interactions.map(({ user_message }) => user_message));
  const known = new Map(left.map((scenario) => [scenario.id, messages(scenario)]));
  return new Set(right.filter((scenario) => known.get(scenario.id) === messages(scenario)).map(({ id }) => id));
}
