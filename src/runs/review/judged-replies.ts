import type { RunRecord, ScoredTurn, Store } from "../../contract/ports/store.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { referenceReplies } from "../../evaluation/conversation.ts";
import type { JudgedReply } from "../../evaluation/statistics/prediction-powered.ts";
import { replyKey, reviewQuestionName, type AskedQuestion, type ReplyVerdict } from "./reply-verdicts.ts";

/** A reply that a question can be asked about, with the judge's score of it. */
export interface ReviewedReply {
  readonly scenario_index: number;
  readonly attempt: number;
  readonly turn_index: number;
  /** Null when the judge gave none that could be read. */
  readonly judge: number | null;
}

/** The replies of a run that a question is about, in the order of the suite. Conversations count by their last turn. */
export async function readReviewedReplies(
  store: Store,
  run: Pick<RunRecord, "id">,
  { question, scenarios }: { readonly question: AskedQuestion; readonly scenarios: readonly Scenario[] },
): Promise<readonly ReviewedReply[]> {
  const replies: ReviewedReply[] = [];
  for await (const turns of store.interactions.scored(run.id)) {
    for (const turn of turns) {
      const scenario = scenarios[turn.scenario_index];
      if (!scenario || !isAskedAbout(turn, scenario, question)) continue;
      const { scenario_index, attempt, turn_index } = turn;
      replies.push({ scenario_index, attempt, turn_index, judge: judgeScore(turn, question) });
    }
  }
  return replies.toSorted(
    (left, right) =>
      left.scenario_index - right.scenario_index || left.attempt - right.attempt || left.turn_index - right.turn_index,
  );
}

/** Turns after those of the scenario belong to a second pass, which is not part of a run's figures. */
function isAskedAbout(
  { turn_index, scores }: ScoredTurn,
  { interactions }: Scenario,
  { scope, needsReference }: AskedQuestion,
): boolean {
  const interaction = interactions[turn_index];
  if (!interaction) return false;
  if (scope === "conversation") return turn_index === interactions.length - 1;
  return scores["success"] !== 0 && (!needsReference || referenceReplies(interaction).length > 0);
}

/** The general question has no score of its own; `overall` is the best guess at its answer. */
function judgeScore({ scores, conversation }: ScoredTurn, { name, scope }: AskedQuestion): number | null {
  if (scope === "conversation") return conversation?.scores[name] ?? null;
  return scores[name === reviewQuestionName ? "overall" : name] ?? null;
}

/** The judge's scores with people's verdicts on a random part of them, weighted so that every scenario counts the same. */
export function toJudgedReplies(
  replies: readonly ReviewedReply[],
  { verdicts, scenarios }: { readonly verdicts: readonly ReplyVerdict[]; readonly scenarios: readonly Scenario[] },
): readonly JudgedReply[] {
  const human = new Map(verdicts.filter(({ sampled }) => sampled).map((verdict) => [replyKey(verdict), verdict.value]));
  const judged = replies.flatMap(({ judge, ...reply }) => (judge === null ? [] : [{ ...reply, judge }]));
  const turns = new Map<string, number>();
  const attempts = new Map<number, Set<number>>();
  for (const { scenario_index, attempt } of judged) {
    const key = `${scenario_index} ${attempt}`;
    turns.set(key, (turns.get(key) ?? 0) + 1);
    attempts.set(scenario_index, (attempts.get(scenario_index) ?? new Set()).add(attempt));
  }
  return judged.map((reply) => ({
    cluster: scenarios[reply.scenario_index]?.id ?? "",
    judge: reply.judge,
    human: human.get(replyKey(reply)),
    weight:
      1 /
      ((turns.get(`${reply.scenario_index} ${reply.attempt}`) ?? 1) * (attempts.get(reply.scenario_index)?.size ?? 1)),
  }));
}
