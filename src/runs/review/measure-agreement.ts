import { compact } from "../../base/compact.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { Agreement } from "../../contract/schemas/judging/human-verdict.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { formatFigure } from "../../base/numbers.ts";
import {
  fleissKappa,
  krippendorffAlpha,
  pairKappa,
  type Coefficient,
  type Rating,
} from "../../evaluation/statistics/agreement.ts";
import { labelsAlone } from "../../evaluation/statistics/prediction-powered.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { readScoredTurns, toReviewedReplies } from "./judged-replies.ts";
import {
  questionsOfRun,
  readReplyVerdicts,
  replyKey,
  toReviewQuestion,
  verdictScore,
  type AskedQuestion,
  type ReplyVerdict,
} from "../stored/reply-verdicts.ts";
import { countByRater } from "./review-queue.ts";
import { findQuestion } from "./store-verdicts.ts";

const mostConflicts = 500;
/** Pairs of raters with a kappa of their own. */
const mostPairs = 15;

/** How far people agree with each other, and with the judge, on one question. */
export async function agreementOfRun(
  store: Store,
  run: RunRecord,
  query: { readonly question?: string | undefined; readonly against?: string | undefined },
): Promise<Agreement> {
  const scenarios = await store.runs.scenarios(run.id);
  const question = findQuestion(questionsOfRun(run, scenarios), { name: query.question, against: query.against });
  if ("problem" in question) throw invalidFieldsError([question.problem]);
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
    people: peopleMean(question, verdicts, scenarios),
    judge: question.judged ? await judgeKappa(store, run, { question, scenarios, verdicts }) : null,
    conflicts: conflicts
      .toSorted((left, right) => Number(left.adjudicated) - Number(right.adjudicated))
      .slice(0, mostConflicts)
      .map((verdict) => toConflict(verdict, scenarios)),
    open_conflicts: open,
    sentence: agreementSentence(nominal, { raters: names.length, open }),
  };
}

function peopleMean(
  question: AskedQuestion,
  verdicts: readonly ReplyVerdict[],
  scenarios: readonly Scenario[],
): Agreement["people"] {
  const sampled = verdicts.filter(({ sampled: isRandom }) => isRandom);
  const replies = sampled.map((reply) => ({
    cluster: clusterOf(scenarios, reply),
    judge: 0,
    human: verdictScore(question, reply),
  }));
  const alone = labelsAlone(replies);
  return {
    mean: alone?.mean ?? null,
    ci_lower: alone?.interval.lower ?? null,
    ci_upper: alone?.interval.upper ?? null,
  };
}

export const clusterOf = (scenarios: readonly Scenario[], { scenario_index }: { scenario_index: number }): string =>
  scenarios[scenario_index]?.id ?? "";

const toRatings = (reply: ReplyVerdict, scenarios: readonly Scenario[]): Rating[] =>
  reply.verdicts.map(({ rater, choice, value }) => ({
    unit: replyKey(reply),
    cluster: clusterOf(scenarios, reply),
    rater,
    category: choice,
    value,
  }));

const toCoefficient = ({ value, interval, method, units }: Coefficient): Agreement["fleiss"] => ({
  value,
  ci_lower: interval?.lower ?? null,
  ci_upper: interval?.upper ?? null,
  method,
  replies: units,
});

function toConflict(reply: ReplyVerdict, scenarios: readonly Scenario[]): Agreement["conflicts"][number] {
  const { attempt, turn_index, verdicts, adjudicated, choice } = reply;
  return {
    scenario_id: clusterOf(scenarios, reply),
    attempt,
    turn_index,
    verdicts: verdicts.map(({ rater, choice: given, comment }) =>
      compact({
        rater,
        choice: given,
        comment: comment ?? undefined,
      }),
    ),
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
  const judged = toReviewedReplies(await readScoredTurns(store, run), { question, scenarios });
  const scores = new Map(judged.map((reply) => [replyKey(reply), reply.judge]));
  const values = [...new Set(Object.values(question.choices))];
  const nearest = (score: number): number =>
    values.reduce((best, value) => (Math.abs(value - score) < Math.abs(best - score) ? value : best));
  const ratings = verdicts.flatMap((reply): Rating[] => {
    const score = scores.get(replyKey(reply));
    if (score === undefined || score === null) return [];
    const unit = { unit: replyKey(reply), cluster: clusterOf(scenarios, reply) };
    return [nearest(verdictScore(question, reply)), nearest(score)].map((value, index) => ({
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
      ? ` (no interval: ${alpha.method.replace(/^none: /, "")})`
      : ` (95 % interval ${formatFigure(alpha.ci_lower)} to ${formatFigure(alpha.ci_upper)})`;
  const conflicts = open === 0 ? "no conflict is open" : `${open} ${open === 1 ? "conflict is" : "conflicts are"} open`;
  return `Krippendorff's alpha of ${raters} people is ${formatFigure(alpha.value)}${interval} on ${alpha.replies} replies; ${conflicts}.`;
}
