import { compact } from "../../base/compact.ts";
import type { SimulatedUser } from "../../contract/schemas/acting/simulated-user.ts";
import { SimulatorFailureKind, type UserEnd } from "../../contract/schemas/acting/user-turn.ts";
import type { StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { ConversationJudgement } from "../../contract/schemas/judging/judge.ts";
import { expectationScore } from "../../contract/schemas/outcome.ts";
import { simulatedUserScore } from "../../contract/schemas/scores/score-names.ts";
import type { HelperUsage } from "../../contract/schemas/shared/usage.ts";
import { addHelperUsage, hasHelperUsage, noHelperUsage } from "../helpers/helper-usage.ts";
import { askJudge, describeVerdict, type Judge } from "../judges/ask-judge.ts";
import type { JudgedTurn } from "../judges/judge-material.ts";
import { conversationPrompt } from "../judges/judge-prompt.ts";

/** The part of `outcome` that says whether the user ended the conversation. */
const userPart = "user";

/**
 * The judgement of a conversation with how its user ended it. Running out of turns is the agent's failure: `outcome` is 0. Without
 * `expect`, `outcome` says only that.
 */
export function withUserEnd(judged: ConversationJudgement | undefined, end: UserEnd): ConversationJudgement {
  const { ended, why } = end;
  const passed = ended !== "turns" && ended !== "no_reply";
  const reason = {
    done: `the user ended the conversation${why ? `: ${why}` : ""}`,
    recorded: "the recorded messages were sent",
    turns: "no turn was left before the user had ended the conversation",
    no_reply: "the agent gave no reply",
    failed: "the simulator gave no answer",
  }[ended];
  const before = judged?.outcome?.parts.filter(({ name }) => name !== userPart) ?? [];
  const parts = [...before, { name: userPart, passed, reason }];
  const earlier = before.length === 0 ? 1 : judged?.outcome?.value;
  const value = passed ? (earlier ?? null) : 0;
  const { outcome: _outcome, ...scores } = judged?.scores ?? {};
  return {
    judgements: {},
    ...judged,
    scores: {
      [expectationScore]: 1,
      ...scores,
      ...(value !== null && { outcome: value }),
      [simulatedUserScore]: 1,
    },
    score_reasons: {
      ...judged?.score_reasons,
      ...(!passed && { outcome: reason }),
      ...(before.length === 0 && { outcome: reason }),
      [simulatedUserScore]: "no rule found a failure of the simulator",
    },
    outcome: { ...judged?.outcome, value, parts },
    user: end,
  };
}

/** The judgement of a conversation that the simulator spoiled. Nothing else about it is scored. */
export function spoiledByUser(
  end: UserEnd & { readonly failure: NonNullable<UserEnd["failure"]> },
  helper_usage?: HelperUsage,
): ConversationJudgement {
  const { kind, reason } = end.failure;
  return compact({
    scores: { [simulatedUserScore]: 0 },
    score_reasons: { [simulatedUserScore]: `${kind}: ${reason}` },
    judgements: {},
    helper_usage: helper_usage && hasHelperUsage(helper_usage) ? helper_usage : undefined,
    user: end,
  });
}

/** The scores of a turn in a conversation that the simulator spoiled: they say nothing about the agent. */
export function withoutScores(stored: StoredScores): StoredScores {
  const { failed_scores: _failed, conflicts: _conflicts, judgements: _judgements, ...rest } = stored;
  return { ...rest, scores: {}, score_reasons: { simulated_user: "left out: the simulated user failed" } };
}

interface Review {
  /** With the judge's verdict, and its failure if it found one. */
  readonly end: UserEnd;
  readonly helper_usage: HelperUsage;
}

const soundVerdict = "sound";
const choices = { [soundVerdict]: 1, off_goal: 0, invented_fact: 0, spoke_as_agent: 0, repeated: 0 };

/** Asks the judge about the user of a conversation in which no rule found a failure, whatever its outcome was. */
export async function reviewUser(
  judge: Judge,
  {
    user,
    end,
    turns,
    signal,
  }: { user: SimulatedUser; end: UserEnd; turns: readonly JudgedTurn[]; signal: AbortSignal },
): Promise<Review> {
  const question = {
    name: simulatedUserScore,
    text: reviewQuestion(user),
    choices,
    weight: 1,
    needsReference: false,
    audited: false,
  };
  // The judge looks at the user alone, as the simulator did.
  const seen = turns.map(({ user_message, reply }) => ({ user_message, reply }));
  const judged = seen.flatMap(({ user_message, reply }) => [user_message, reply ?? ""]);
  const { verdict, helper_usage } = await askJudge(judge, {
    messages: conversationPrompt(question, seen).messages,
    choices,
    judged,
    signal,
  });
  const reason = describeVerdict(verdict);
  const review = { verdict: verdict.verdict, reason };
  const kind = SimulatorFailureKind.safeParse(verdict.verdict);
  const failed = kind.success && verdict.value !== null && verdict.value < 0.5;
  return {
    end: { ...end, review, ...(failed && { failure: { kind: kind.data, reason, found_by: "judge" } }) },
    helper_usage: addHelperUsage(noHelperUsage, helper_usage),
  };
}

function reviewQuestion({ goal, persona, knows }: SimulatedUser): string {
  const facts = knows === undefined ? "none" : typeof knows === "string" ? knows : JSON.stringify(knows);
  return `The user of this conversation was played by a model. Judge that user alone, not the assistant, and not whether the goal was reached.
The user's goal: ${goal}
The user: ${persona ?? "not described"}
Facts that the user knows: ${facts}
Choose "off_goal" if the user ended the conversation, or went on, without pursuing this goal; "invented_fact" if the user stated a fact that contradicts the known ones; "spoke_as_agent" if the user wrote as if it were the assistant; "repeated" if the user sent the same message again and again although the assistant had answered it; and "${soundVerdict}" if none of these happened.`;
}
