import { compact } from "../../base/compact.ts";
import type { RunRecord, ScoredTurn, Store } from "../../contract/ports/store.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { simulatedUserScore } from "../../contract/schemas/scores/score-names.ts";
import { referenceReplies } from "../../evaluation/conversation/conversation.ts";
import type { JudgedReply } from "../../evaluation/statistics/prediction-powered.ts";
import {
  questionAt,
  replyKey,
  reviewQuestionName,
  type AskedQuestion,
  type ReplyVerdict,
} from "../stored/reply-verdicts.ts";

/** A reply that a question can be asked about, with the judge's score of it. */
export interface ReviewedReply {
  readonly scenario_index: number;
  readonly attempt: number;
  readonly turn_index: number;
  /** Null when the judge gave none that could be read. */
  readonly judge: number | null;
}

/** The scored turns of a run, in the order of the suite. Attempts that a simulated user spoiled are left out, as in the figures. */
export async function readScoredTurns(store: Store, run: Pick<RunRecord, "id">): Promise<readonly ScoredTurn[]> {
  const turns = (await Array.fromAsync(store.interactions.scored(run.id))).flat();
  const spoiled = new Set(
    turns.filter(({ conversation }) => conversation?.scores[simulatedUserScore] === 0).map(attemptKey),
  );
  return turns
    .filter((turn) => !spoiled.has(attemptKey(turn)))
    .toSorted(
      (left, right) =>
        left.scenario_index - right.scenario_index ||
        left.attempt - right.attempt ||
        left.turn_index - right.turn_index,
    );
}

const attemptKey = ({ scenario_index, attempt }: Pick<ScoredTurn, "scenario_index" | "attempt">): string =>
  `${scenario_index} ${attempt}`;

/** The replies that a question is about, in the order of the suite. Conversations count by the last turn of their scenario. */
export function toReviewedReplies(
  turns: readonly ScoredTurn[],
  { question, scenarios }: { readonly question: AskedQuestion; readonly scenarios: readonly Scenario[] },
): readonly ReviewedReply[] {
  return turns.flatMap((turn): ReviewedReply[] => {
    const { scenario_index, attempt } = turn;
    const scenario = scenarios[scenario_index];
    if (!scenario || !isAskedAbout(turn, scenario, question)) return [];
    const turn_index = question.scope === "conversation" ? scenario.interactions.length - 1 : turn.turn_index;
    if (!questionAt(question, { scenario_index, turn_index })) return [];
    return [{ scenario_index, attempt, turn_index, judge: judgeScore(turn, question) }];
  });
}

/** Turns after those of the scenario belong to a second pass, which is not part of a run's figures. */
function isAskedAbout(
  { turn_index, scores, conversation }: ScoredTurn,
  { interactions }: Scenario,
  { scope, needsReference }: AskedQuestion,
): boolean {
  const interaction = interactions[turn_index];
  if (!interaction) return false;
  // The scores of a conversation are stored with the turn that ended it.
  if (scope === "conversation") return conversation !== null || turn_index === interactions.length - 1;
  return scores["success"] !== 0 && (!needsReference || referenceReplies(interaction).length > 0);
}

/** The general question has no score of its own; `overall` is the best guess at its answer. */
function judgeScore({ scores, conversation }: ScoredTurn, { name, scope }: AskedQuestion): number | null {
  if (scope === "conversation") return conversation?.scores[name] ?? null;
  return scores[name === reviewQuestionName ? "overall" : name] ?? null;
}

/** People's verdict on a reply, as a score. */
export type SampledVerdict = Pick<ReplyVerdict, "scenario_index" | "attempt" | "turn_index" | "value" | "sampled">;

/** The judge's scores with people's verdicts on a random part of them, weighted so that every scenario counts the same. */
export function toJudgedReplies(
  replies: readonly ReviewedReply[],
  {
    verdicts,
    skipped = new Set(),
    scenarios,
  }: {
    readonly verdicts: readonly SampledVerdict[];
    /** Keys of the replies that were drawn and skipped. */
    readonly skipped?: ReadonlySet<string>;
    readonly scenarios: readonly Scenario[];
  },
): readonly JudgedReply[] {
  const human = new Map(verdicts.filter(({ sampled }) => sampled).map((verdict) => [replyKey(verdict), verdict.value]));
  const judged = replies.flatMap(({ judge, ...reply }) => (judge === null ? [] : [{ ...reply, judge }]));
  const turns = new Map<string, number>();
  const attempts = new Map<number, Set<number>>();
  for (const { scenario_index, attempt } of judged) {
    const key = attemptKey({ scenario_index, attempt });
    turns.set(key, (turns.get(key) ?? 0) + 1);
    attempts.set(scenario_index, (attempts.get(scenario_index) ?? new Set()).add(attempt));
  }
  return judged.map((reply) =>
    compact({
      cluster: scenarios[reply.scenario_index]?.id ?? "",
      judge: reply.judge,
      human: human.get(replyKey(reply)),
      skipped: skipped.has(replyKey(reply)) || undefined,
      weight: 1 / ((turns.get(attemptKey(reply)) ?? 1) * (attempts.get(reply.scenario_index)?.size ?? 1)),
    }),
  );
}
