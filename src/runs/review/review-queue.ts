import { compact } from "../../base/compact.ts";
import { createRandom } from "../../base/random.ts";
import type { RunRecord, SkipRecord, Store } from "../../contract/ports/store.ts";
import type {
  ReviewItem,
  ReviewProgress,
  ReviewQuery,
  ReviewQueue,
} from "../../contract/schemas/judging/human-verdict.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { referenceReply } from "../../evaluation/conversation/conversation.ts";
import { findReplyPairs, readReplyPair, type ReplyPair } from "../stored/reply-pairs.ts";
import { createTranscript } from "../stored/transcript.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { getOwnedRun, requireEndedRun } from "../stored/find-run.ts";
import { readScoredTurns, toReviewedReplies, type ReviewedReply } from "./judged-replies.ts";
import {
  isSampled,
  preferenceQuestion,
  questionAt,
  questionsOfRun,
  readReplyVerdicts,
  replyKey,
  toReviewQuestion,
  type AskedQuestion,
  type ReplyVerdict,
} from "../stored/reply-verdicts.ts";
import { findQuestion } from "./store-verdicts.ts";

/** A person is taken to be reviewing for this long after a verdict. */
const activeMs = 10 * 60_000;

type Order = ReviewQuery["order"];

/** Hands out replies to judge, without scores and the verdicts of others. */
export function createReviewQueue({ store, now }: { readonly store: Store; readonly now: () => number }) {
  return async (run: RunRecord, query: ReviewQuery & { readonly rater: string }): Promise<ReviewQueue> => {
    requireEndedRun(run, "its replies cannot be judged yet");
    const scenarios = await store.runs.scenarios(run.id);
    const questions = questionsOfRun(run, scenarios);
    const question = findQuestion(questions, { name: query.question, against: query.against });
    if ("problem" in question) throw invalidFieldsError([question.problem]);
    const pairs = query.against === undefined ? null : await reviewPairs(store, run, query.against);
    const replies = pairs
      ? [...pairs.values()].map(({ reply }) => reply)
      : toReviewedReplies(await readScoredTurns(store, run), { question, scenarios });
    const verdicts = await readReplyVerdicts(store, run.id, { question: question.name, against: query.against });
    const known = new Map(verdicts.map((verdict) => [replyKey(verdict), verdict]));
    const place = `${run.id} ${question.name} ${query.against ?? ""}`;
    const ordered = orderReplies(replies, { order: query.order, seed: place, verdicts: known });
    const wanted = ordered.filter((reply) => isWanted(known.get(replyKey(reply)), query));
    const active = activeRaters(verdicts, now() - activeMs);
    const { mine = [], others = [] } = Object.groupBy(wanted, (reply) =>
      isMine(reply, { ...query, verdict: known.get(replyKey(reply)), active }) ? "mine" : "others",
    );
    const chosen = [...mine, ...others].slice(0, query.limit);
    const read = await readItems(store, { run, scenarios, question, chosen, pairs });
    const items = read.map((item) => ({ ...item, sampling: query.order }));
    return {
      rater: query.rater,
      question: toReviewQuestion(question),
      questions: (pairs ? [preferenceQuestion] : questions).map(toReviewQuestion),
      items,
      progress: progressOf(replies, {
        verdicts,
        skips: (await store.verdicts.skips(run.id)).filter(
          (skip) => skip.question === question.name && skip.against === (query.against ?? ""),
        ),
        rater: query.rater,
        raters: query.raters,
      }),
    };
  };
}

/**
 * False for replies that this person has judged, or that enough people have. In random order a verdict on a reply that was
 * not chosen at random is asked for again: otherwise such replies would be missing from the sample.
 */
function isWanted(
  verdict: ReplyVerdict | undefined,
  { rater, raters, order }: Pick<ReviewQuery, "raters" | "order"> & { readonly rater: string },
): boolean {
  if (!verdict) return true;
  const counted = countedRaters(verdict, order);
  if (counted.has(rater)) return false;
  if (order === "disagreement" && verdict.differs && !verdict.adjudicated) return true;
  return counted.size < raters;
}

const countedRaters = (verdict: ReplyVerdict | undefined, order: Order): ReadonlySet<string> =>
  new Set(
    (verdict?.verdicts ?? [])
      .filter(({ sampling }) => order === "disagreement" || isSampled(sampling))
      .map(({ rater }) => rater),
  );

const activeRaters = (verdicts: readonly ReplyVerdict[], since: number): ReadonlySet<string> =>
  new Set(
    verdicts
      .flatMap((reply) => reply.verdicts)
      .filter(({ given_at }) => given_at >= since)
      .map(({ rater }) => rater),
  );

/**
 * Shares the replies out among the people who are reviewing: a reply that wants n more verdicts is for the n of them whose
 * seeded random numbers are lowest. That needs no state, so that all processes agree; at worst a reply gets one verdict more than wanted.
 */
function isMine(
  reply: ReviewedReply,
  {
    rater,
    raters,
    order,
    verdict,
    active,
  }: Pick<ReviewQuery, "raters" | "order"> & {
    readonly rater: string;
    readonly verdict: ReplyVerdict | undefined;
    readonly active: ReadonlySet<string>;
  },
): boolean {
  const counted = countedRaters(verdict, order);
  const rank = (name: string): number => createRandom(`${replyKey(reply)} ${name}`)();
  const before = [...active].filter((other) => other !== rater && !counted.has(other) && rank(other) < rank(rater));
  return before.length < Math.max(1, raters - counted.size);
}

/** A seeded order: the same for everyone, so that people judge the same replies first. */
export function orderReplies(
  replies: readonly ReviewedReply[],
  { order, seed, verdicts }: { order: Order; seed: string; verdicts: ReadonlyMap<string, ReplyVerdict> },
): readonly ReviewedReply[] {
  const random = createRandom(seed);
  const shuffled = replies.map((reply) => ({ reply, at: random() })).toSorted((left, right) => left.at - right.at);
  if (order === "random") return shuffled.map(({ reply }) => reply);
  if (order === "stratified") return stratify(shuffled);
  return shuffled
    .map(({ reply, at }) => ({ reply, at: at - disagreement(reply, verdicts.get(replyKey(reply))) }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ reply }) => reply);
}

/**
 * The r-th of the n replies of a stratum, in random order, comes at (r − u) / n for a random u: every beginning of the list
 * holds each stratum in proportion, and every reply is equally likely to be in it. So the estimate needs no weights.
 */
function stratify(shuffled: readonly { readonly reply: ReviewedReply; readonly at: number }[]): ReviewedReply[] {
  const sizes = new Map<number | null, number>();
  for (const { reply } of shuffled) sizes.set(reply.judge, (sizes.get(reply.judge) ?? 0) + 1);
  const ranks = new Map<number | null, number>();
  return shuffled
    .map(({ reply, at }) => {
      const rank = (ranks.get(reply.judge) ?? 0) + 1;
      ranks.set(reply.judge, rank);
      // The digits behind those that ordered the list are as good as a second random number.
      const second = (at * 65_536) % 1;
      return { reply, at: (rank - second) / (sizes.get(reply.judge) ?? 1) };
    })
    .toSorted((left, right) => left.at - right.at)
    .map(({ reply }) => reply);
}

/** Conflicts between people first, then between people and judge, then scores between the choices. */
function disagreement({ judge }: ReviewedReply, verdict: ReplyVerdict | undefined): number {
  if (verdict?.differs) return verdict.adjudicated ? 0 : 10;
  if (verdict && judge !== null) return 2 + 4 * Math.abs(verdict.value - judge);
  return judge === null ? 1 : 1 - 2 * Math.abs(judge - 0.5);
}

function progressOf(
  replies: readonly ReviewedReply[],
  {
    verdicts,
    skips,
    rater,
    raters,
  }: { verdicts: readonly ReplyVerdict[]; skips: readonly SkipRecord[]; rater: string; raters: number },
): ReviewProgress {
  const judged = new Set(verdicts.map(replyKey));
  const skipped = new Set(skips.map(replyKey).filter((key) => !judged.has(key))).size;
  const byRater = countByRater(verdicts);
  return compact({
    replies: replies.length,
    judged: verdicts.length,
    complete: verdicts.filter((verdict) => verdict.raters >= raters).length,
    mine: byRater.find((entry) => entry.rater === rater)?.verdicts ?? 0,
    skipped: skipped || undefined,
    conflicts: verdicts.filter(({ differs, adjudicated }) => differs && !adjudicated).length,
    raters: byRater,
  });
}

export function countByRater(verdicts: readonly ReplyVerdict[]): { rater: string; verdicts: number }[] {
  const counts = new Map<string, number>();
  for (const { rater } of verdicts.flatMap((verdict) => verdict.verdicts))
    counts.set(rater, (counts.get(rater) ?? 0) + 1);
  return [...counts].map(([rater, count]) => ({ rater, verdicts: count })).toSorted((a, b) => b.verdicts - a.verdicts);
}

interface PairPlace {
  readonly reply: ReviewedReply;
  readonly pair: ReplyPair;
}

/** The pairs of a run with another, by the reply of this run. */
async function reviewPairs(store: Store, run: RunRecord, against: string): Promise<ReadonlyMap<string, PairPlace>> {
  const baseline = await getOwnedRun(store, against, run.owner);
  requireEndedRun(baseline, "its replies cannot be compared yet");
  const places = new Map<string, PairPlace>();
  const { signal } = new AbortController();
  for await (const pair of findReplyPairs(store, { baseline, candidate: run, signal })) {
    const reply = { scenario_index: pair.indexes.candidate, attempt: 1, turn_index: pair.right.turn, judge: null };
    places.set(replyKey(reply), { reply, pair });
  }
  return places;
}

interface ReadItems {
  readonly run: RunRecord;
  readonly scenarios: readonly Scenario[];
  readonly question: AskedQuestion;
  readonly chosen: readonly ReviewedReply[];
  readonly pairs?: ReadonlyMap<string, PairPlace> | null;
}

/** The texts of these replies, each with the conversation before it. */
export async function readItems(
  store: Store,
  { run, scenarios, question, chosen, pairs }: ReadItems,
): Promise<ReviewItem[]> {
  const items: ReviewItem[] = [];
  for (const reply of chosen) {
    const scenario = scenarios[reply.scenario_index];
    const pair = pairs?.get(replyKey(reply))?.pair;
    const item =
      scenario &&
      (pair
        ? await pairItem(store, { reply, pair, scenario })
        : await replyItem(store, { run, reply, scenario, question }));
    if (item) items.push(item);
  }
  return items;
}

const placeOf = ({ attempt, turn_index }: ReviewedReply, { id, interactions }: Scenario) => ({
  scenario_id: id,
  attempt,
  turn_index,
  interaction_id: interactions[turn_index]?.id ?? "",
});

type ReviewTurns = ReviewItem["conversation_before"];

const toTurns = (turns: readonly { readonly user_message: string; readonly reply: string | null }[]): ReviewTurns =>
  turns.map(({ user_message, reply }) => ({ user_message, reply: reply ?? "" }));

async function replyItem(
  store: Store,
  {
    run,
    reply,
    scenario,
    question,
  }: { run: RunRecord; reply: ReviewedReply; scenario: Scenario; question: AskedQuestion },
): Promise<ReviewItem | null> {
  for await (const { attempt, interactions } of store.attempts.withInteractions(run.id, reply.scenario_index)) {
    if (attempt !== reply.attempt) continue;
    const transcript = createTranscript(scenario, run.settings);
    for (const { turn_index, reply: stored } of interactions) transcript.replies.set(turn_index, stored);
    const isWhole = question.scope === "conversation";
    // A simulated user may end a conversation before the last turn of the scenario.
    const shown = isWhole
      ? Math.max(...scenario.interactions.keys().filter((turn) => transcript.replies.has(turn)))
      : reply.turn_index;
    const interaction = transcript.interactionAt(shown);
    const before = isWhole ? transcript.conversation().slice(0, -1) : transcript.before(shown);
    const asked = question.varies && questionAt(question, reply);
    return compact({
      ...placeOf(reply, scenario),
      conversation_before: toTurns(before),
      user_message: interaction.user_message,
      reply: transcript.replies.get(shown)?.agent_reply ?? "",
      reference_reply: referenceReply(interaction) ?? "",
      question: asked ? { text: asked.text, choices: asked.choices } : undefined,
    });
  }
  return null;
}

async function pairItem(
  store: Store,
  { reply, pair, scenario }: { reply: ReviewedReply; pair: ReplyPair; scenario: Scenario },
): Promise<ReviewItem> {
  const { user_message, left, right, before, references = [] } = await readReplyPair(store, pair);
  return {
    ...placeOf(reply, scenario),
    conversation_before: toTurns(before?.right ?? []),
    conversation_before_other: toTurns(before?.left ?? []),
    user_message,
    reply: right,
    other_reply: left,
    reference_reply: references[0] ?? "",
  };
}
