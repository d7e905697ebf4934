import { compact } from "../../base/compact.ts";
import type { RunRecord, SkipRecord, Store, VerdictRecord } from "../../contract/ports/store.ts";
import type { CorrectedEffect, CorrectedMean, Corrections } from "../../contract/schemas/judging/human-verdict.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { correctEffect, correctMean } from "../../evaluation/judges/correct-judge.ts";
import { judgeQuestions } from "../../evaluation/judges/judge-question.ts";
import type { JudgedReply } from "../../evaluation/statistics/prediction-powered.ts";
import { findReplyPairs, type ReplyPair } from "../stored/reply-pairs.ts";
import { requireEndedRun } from "../stored/find-run.ts";
import {
  readScoredTurns,
  toJudgedReplies,
  toReviewedReplies,
  type ReviewedReply,
  type SampledVerdict,
} from "./judged-replies.ts";
import { clusterOf } from "./measure-agreement.ts";
import {
  preferenceName,
  questionAt,
  questionsOfRun,
  readReplyVerdicts,
  replyKey,
  reviewQuestionName,
  toReplyVerdicts,
  verdictScore,
  type AskedQuestion,
  type ReplyVerdict,
} from "../stored/reply-verdicts.ts";
import { orderReplies } from "./review-queue.ts";

const mostNext = 20;

/** The corrected mean of every score of the judge, and the replies to label next. */
export async function correctionsOfRun(store: Store, run: RunRecord): Promise<Corrections> {
  requireEndedRun(run, "its scores cannot be corrected yet");
  const scenarios = await store.runs.scenarios(run.id);
  const scores = await readCorrectableScores(store, run, scenarios);
  return {
    scores: scores.map((score) => correctMean(score.name, toJudgedReplies(score.replies, { ...score, scenarios }))),
    label_next: scores.filter(({ isCombined }) => !isCombined).map((score) => labelNext(run, score, scenarios)),
    notes: scores.flatMap(({ notes }) => notes),
  };
}

function labelNext(
  run: RunRecord,
  { name, replies, verdicts }: CorrectableScore,
  scenarios: readonly Scenario[],
): Corrections["label_next"][number] {
  const known = new Set(verdicts.map(replyKey));
  const seed = `${run.id} ${name} `;
  const next = orderReplies(replies, { order: "stratified", seed, verdicts: new Map() })
    .filter((reply) => !known.has(replyKey(reply)))
    .slice(0, mostNext);
  return {
    question: name,
    replies: next.map((reply) => ({
      scenario_id: clusterOf(scenarios, reply),
      attempt: reply.attempt,
      turn_index: reply.turn_index,
    })),
  };
}

/** A score of the judge with the verdicts of people that correct it. */
interface CorrectableScore {
  readonly name: string;
  /** Equal for two runs whose judges were asked the same. */
  readonly asked: string;
  readonly replies: readonly ReviewedReply[];
  readonly verdicts: readonly SampledVerdict[];
  /** Keys of the replies that were drawn and skipped. */
  readonly skipped: ReadonlySet<string>;
  readonly notes: readonly string[];
  /** True for the mean of rubrics, which follows from the answers to each. */
  readonly isCombined?: true;
}

/** The judge's scores of a run; the general question only if people answered it. */
async function readCorrectableScores(
  store: Store,
  run: RunRecord,
  scenarios: readonly Scenario[],
): Promise<readonly CorrectableScore[]> {
  const turns = await readScoredTurns(store, run);
  const records = (await store.verdicts.ofRun(run.id)).filter(({ against }) => against === "");
  const skips = (await store.verdicts.skips(run.id)).filter(({ against }) => against === "");
  const byQuestion = Map.groupBy(records, ({ question }) => question);
  const scores = questionsOfRun(run, scenarios).flatMap((question): CorrectableScore[] => {
    const given = byQuestion.get(question.name) ?? [];
    if (question.name === reviewQuestionName && given.length === 0) return [];
    const { name, asked } = question;
    const skipped = skippedReplies(question, skips);
    return [
      {
        name,
        asked,
        skipped,
        replies: toReviewedReplies(turns, { question, scenarios }),
        ...validVerdicts(question, given),
      },
    ];
  });
  const combined = combineRubrics(run, scores, (question) => toReviewedReplies(turns, { question, scenarios }));
  return [...scores, ...(combined ? [combined] : [])];
}

const skippedReplies = (question: AskedQuestion, skips: readonly SkipRecord[]): ReadonlySet<string> =>
  new Set(
    skips.flatMap((skip) =>
      skip.question === question.name && skip.asked === questionAt(question, skip)?.asked ? replyKey(skip) : [],
    ),
  );

/** Verdicts on an earlier form of the question answer something else, and are left out. */
function validVerdicts(
  question: AskedQuestion,
  records: readonly VerdictRecord[],
): Pick<CorrectableScore, "verdicts" | "notes"> {
  const all = toReplyVerdicts(records);
  const valid = all.filter((reply) =>
    reply.verdicts.every(({ asked }) => asked === questionAt(question, reply)?.asked),
  );
  const picked = valid.filter(({ sampled }) => !sampled).length;
  const earlier = all.length - valid.length;
  return {
    verdicts: valid.map((reply) => ({ ...reply, value: verdictScore(question, reply) })),
    notes: [
      ...(earlier > 0
        ? [`${question.name}: ${earlier} verdicts answer an earlier form of the question and were left out.`]
        : []),
      ...(picked > 0
        ? [
            `${question.name}: ${picked} verdicts are on replies that were not chosen at random, and correct nothing. If they were, store them again with the sampling random.`,
          ]
        : []),
    ],
  };
}

/** The weighted mean of a judge's rubrics. People's is known for replies on which they answered each rubric that weighs. */
function combineRubrics(
  { settings: { judge } }: RunRecord,
  scores: readonly CorrectableScore[],
  repliesOf: (question: AskedQuestion) => readonly ReviewedReply[],
): CorrectableScore | null {
  if (!judge?.rubrics) return null;
  const weights = new Map(judgeQuestions(judge).map(({ name, weight }) => [name, weight]));
  const parts = scores.flatMap((score) => {
    const weight = weights.get(score.name) ?? 0;
    return weight > 0 ? [{ ...score, weight }] : [];
  });
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const byReply = Map.groupBy(
    parts.flatMap(({ verdicts, weight }) => verdicts.map((verdict) => ({ ...verdict, weight }))),
    replyKey,
  );
  const verdicts = [...byReply.values()].flatMap((group): SampledVerdict[] => {
    const [first] = group;
    if (!first || group.length < parts.length) return [];
    const value = group.reduce((sum, verdict) => sum + verdict.weight * verdict.value, 0) / total;
    return [{ ...first, value, sampled: group.every(({ sampled }) => sampled) }];
  });
  const scope = judge.scope ?? "turn";
  const name = scope === "turn" ? "judge_rubrics" : "conversation_rubrics";
  const question = {
    name,
    text: "",
    choices: {},
    scope,
    judged: true,
    needsReference: false,
    asked: "",
    toScore: Number,
  };
  return {
    name,
    asked: JSON.stringify(parts.map(({ asked, weight }) => [asked, weight])),
    replies: repliesOf(question),
    verdicts,
    skipped: new Set(parts.flatMap(({ skipped }) => [...skipped])),
    notes:
      byReply.size === 0 ? [] : [`${name}: a reply counts when people answered all ${parts.length} rubrics on it.`],
    isCombined: true,
  };
}

interface CorrectedRuns {
  readonly baseline: RunRecord;
  readonly candidate: RunRecord;
}

/**
 * The corrected differences of two runs in the scores of a judge that asked both the same. Empty when neither has verdicts.
 * Only scenarios with the same turns in both runs count.
 */
export async function correctedEffects(
  store: Store,
  { baseline, candidate, names }: CorrectedRuns & { names: ReadonlySet<string> },
): Promise<CorrectedEffect[]> {
  const [left, right] = [await store.verdicts.ofRun(baseline.id), await store.verdicts.ofRun(candidate.id)];
  if (left.length + right.length === 0) return [];
  const [theirs, ours] = await Promise.all([readSide(store, baseline), readSide(store, candidate)]);
  const shared = sharedScenarios(theirs.scenarios, ours.scenarios);
  return ours.scores
    .filter(({ name }) => names.has(name))
    .flatMap((score) => {
      const other = theirs.scores.find(({ name, asked }) => name === score.name && asked === score.asked);
      if (!other) return [];
      const sides = {
        baseline: sharedReplies(other, theirs.scenarios, shared),
        candidate: sharedReplies(score, ours.scenarios, shared),
      };
      const isJudged = [...sides.baseline, ...sides.candidate].some(({ human }) => human !== undefined);
      return isJudged ? [correctEffect(score.name, sides)] : [];
    });
}

async function readSide(store: Store, run: RunRecord) {
  const scenarios = await store.runs.scenarios(run.id);
  return { scenarios, scores: await readCorrectableScores(store, run, scenarios) };
}

const sharedReplies = (
  { replies, verdicts, skipped }: CorrectableScore,
  scenarios: readonly Scenario[],
  shared: ReadonlySet<string>,
): readonly JudgedReply[] =>
  toJudgedReplies(replies, { verdicts, skipped, scenarios }).filter(({ cluster }) => shared.has(cluster));

function sharedScenarios(left: readonly Scenario[], right: readonly Scenario[]): ReadonlySet<string> {
  const asked = ({ interactions, expect }: Scenario): string =>
    JSON.stringify([interactions.map(({ user_message, checks }) => [user_message, checks]), expect?.rubric]);
  const known = new Map(left.map((scenario) => [scenario.id, asked(scenario)]));
  return new Set(right.filter((scenario) => known.get(scenario.id) === asked(scenario)).map(({ id }) => id));
}

/** A pair of replies with the preference of a judge: 1 for the candidate, 0 for the baseline, 0.5 for a tie. */
interface PairPreference {
  readonly pair: ReplyPair;
  readonly judge: number;
}

/** The win rate of the candidate, corrected by people's choices between the same replies. Null when there are none. */
export async function correctWinRate(
  store: Store,
  runs: CorrectedRuns,
  preferences: readonly PairPreference[],
): Promise<CorrectedMean | null> {
  const people = await readPreferences(store, runs);
  if (people.size === 0) return null;
  const skipped = await readSkippedPairs(store, runs);
  const counts = new Map<string, number>();
  for (const { pair } of preferences) counts.set(pair.right.scenario.id, (counts.get(pair.right.scenario.id) ?? 0) + 1);
  const replies = preferences.map(({ pair, judge }) => {
    const { id } = pair.right.scenario;
    const human =
      people.get(`candidate ${pairPlace(pair, "candidate")}`) ?? people.get(`baseline ${pairPlace(pair, "baseline")}`);
    const isSkipped = (["candidate", "baseline"] as const).some((side) => skipped[side].has(pairPlace(pair, side)));
    return compact({ cluster: id, judge, human, weight: 1 / (counts.get(id) ?? 1), skipped: isSkipped || undefined });
  });
  return correctMean("win_rate", replies);
}

const pairPlace = ({ indexes, left, right }: ReplyPair, side: keyof CorrectedRuns): string =>
  replyKey({ scenario_index: indexes[side], attempt: 1, turn_index: (side === "candidate" ? right : left).turn });

/** Pairs that were drawn and skipped, by the reply of the run that was reviewed. */
async function readSkippedPairs(
  store: Store,
  { baseline, candidate }: CorrectedRuns,
): Promise<Readonly<Record<keyof CorrectedRuns, ReadonlySet<string>>>> {
  const read = async (run: RunRecord, against: string): Promise<ReadonlySet<string>> =>
    new Set((await store.verdicts.skips(run.id)).flatMap((skip) => (skip.against === against ? replyKey(skip) : [])));
  return { candidate: await read(candidate, baseline.id), baseline: await read(baseline, candidate.id) };
}

/** People's choices between two runs, whichever of them was the candidate when they chose. */
async function readPreferences(
  store: Store,
  { baseline, candidate }: CorrectedRuns,
): Promise<ReadonlyMap<string, number>> {
  const read = (run: RunRecord, against: string): Promise<readonly ReplyVerdict[]> =>
    readReplyVerdicts(store, run.id, { question: preferenceName, against });
  const given = (await read(candidate, baseline.id)).filter(({ sampled }) => sampled);
  const swapped = (await read(baseline, candidate.id)).filter(({ sampled }) => sampled);
  return new Map([
    ...given.map((verdict) => [`candidate ${replyKey(verdict)}`, verdict.value] as const),
    ...swapped.map((verdict) => [`baseline ${replyKey(verdict)}`, 1 - verdict.value] as const),
  ]);
}

/** The corrected win rate of two runs whose replies a judge scored one by one: the higher score is its preference. */
export async function winRateOfScores(store: Store, runs: CorrectedRuns): Promise<CorrectedMean | null> {
  if ((await readPreferences(store, runs)).size === 0) return null;
  const [left, right] = await Promise.all([readScores(store, runs.baseline), readScores(store, runs.candidate)]);
  const name = [...right.keys()].find((question) => left.has(question)) ?? "";
  const preferences: PairPreference[] = [];
  const { signal } = new AbortController();
  for await (const pair of findReplyPairs(store, { ...runs, signal })) {
    const [old, now] = [
      left.get(name)?.get(pairPlace(pair, "baseline")),
      right.get(name)?.get(pairPlace(pair, "candidate")),
    ];
    const difference = typeof old === "number" && typeof now === "number" ? now - old : 0;
    preferences.push({ pair, judge: (1 + Math.sign(difference)) / 2 });
  }
  return correctWinRate(store, runs, preferences);
}

/** The scores of single replies, by question and reply; those of the judge first, `overall` last. */
async function readScores(
  store: Store,
  run: RunRecord,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number | null>>> {
  const scenarios = await store.runs.scenarios(run.id);
  const turns = await readScoredTurns(store, run);
  const questions = questionsOfRun(run, scenarios).filter(({ scope, varies }) => scope === "turn" && !varies);
  return new Map(
    questions.map((question) => {
      const replies = toReviewedReplies(turns, { question, scenarios });
      return [`${question.name} ${question.asked}`, new Map(replies.map((reply) => [replyKey(reply), reply.judge]))];
    }),
  );
}
