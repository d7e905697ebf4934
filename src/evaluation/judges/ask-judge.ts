import type { Choices, HelperUsage, JudgeVerdict } from "../../contract/schemas/judge.ts";
import type { ChatMessage, ChatModel } from "../../contract/ports/chat-model.ts";
import { askInForm } from "../ask-in-form.ts";
import { addHelperUsage, failedHelperUsage, helperUsageOf, noHelperUsage, type PriceOf } from "../helper-usage.ts";
import { isPartOf } from "../text/is-part-of.ts";
import { unwrapFence } from "../text/unwrap-fence.ts";
import { parseVote, verdictFormat, type Vote } from "./verdict-format.ts";

/** A judge model and how it is used. */
export interface Judge {
  readonly model: ChatModel;
  readonly votes: number;
  /** Whether this judge was checked against people for this question. */
  readonly audited: boolean;
  readonly priceOf?: PriceOf | undefined;
}

interface JudgeAnswer {
  readonly verdict: JudgeVerdict;
  readonly helper_usage: HelperUsage;
}

interface JudgeAsking {
  readonly messages: readonly ChatMessage[];
  /** The texts under judgement: an answer that is a part of one of them is no vote. */
  readonly judged?: readonly string[];
  readonly signal: AbortSignal;
}

/** Puts one question to the judge as often as it has votes. A vote that failed or cannot be read counts for nothing. */
export async function askJudge(
  judge: Judge,
  { choices, ...asking }: JudgeAsking & { readonly choices: Choices },
): Promise<JudgeAnswer> {
  const asked = await Promise.all(
    Array.from({ length: judge.votes }, () => askOnce(judge, { ...asking, choices: Object.keys(choices) })),
  );
  return {
    verdict: countVotes(
      asked.map(({ vote }) => vote),
      { choices, audited: judge.audited },
    ),
    helper_usage: asked.reduce((sum, { spent }) => addHelperUsage(sum, spent), noHelperUsage),
  };
}

async function askOnce(
  { model, priceOf }: Judge,
  { messages, judged = [], choices, signal }: JudgeAsking & { readonly choices: readonly string[] },
): Promise<{ vote: Vote; spent: HelperUsage }> {
  const reply = await askInForm(model, { messages, format: verdictFormat(choices) }, { signal });
  if (!reply.ok) {
    const { code, detail } = reply.error;
    const vote = { choice: null, reason: `the judge could not be asked: ${code}: ${detail}` };
    return { vote, spent: failedHelperUsage(reply) };
  }
  const spent = helperUsageOf(reply, priceOf);
  if (reply.text === "" && reply.refusal !== null)
    return { vote: { choice: null, reason: "the judge refused" }, spent };
  if (judged.some((text) => isRepeated(reply.text, text))) {
    return { vote: { choice: null, reason: "the judge repeated what it was to judge" }, spent };
  }
  return { vote: parseVote(reply.text, choices), spent };
}

/** An answer that stands in the judged text, however it is spaced or fenced, was written by whoever wrote that text. */
function isRepeated(answer: string, judged: string): boolean {
  const bare = (text: string) => text.replace(/\s+/gu, "");
  const said = bare(unwrapFence(answer));
  return said !== "" && isPartOf(said, bare(judged));
}

/** Mean of the usable votes' values. A tie between choices has a value but no verdict. */
export function countVotes(
  votes: readonly Vote[],
  { choices, audited }: { choices: Choices; audited: boolean },
): JudgeVerdict {
  const counts = new Map<string, number>();
  for (const { choice } of votes) if (choice !== null) counts.set(choice, (counts.get(choice) ?? 0) + 1);
  const [first, second] = [...counts].toSorted(([, left], [, right]) => right - left);
  const usable = votes.flatMap(({ choice }) => (choice === null ? [] : [choices[choice] ?? 0]));
  return {
    value: usable.length === 0 ? null : usable.reduce((sum, value) => sum + value, 0) / usable.length,
    verdict: first && first[1] !== second?.[1] ? first[0] : null,
    votes: votes.map((vote) => ({ ...vote })),
    agreement: first ? first[1] / usable.length : null,
    judge_audited: audited,
  };
}

/** The verdict as a sentence for the score's reason. */
export function describeVerdict({ value, verdict, votes, agreement, judge_audited }: JudgeVerdict): string {
  const usable = votes.filter(({ choice }) => choice !== null);
  const mark = judge_audited ? "" : " (judge not audited)";
  if (value === null) return `unscored: ${votes[0]?.reason ?? "the judge was not asked"}${mark}`;
  const reason = usable.find(({ choice }) => choice === verdict)?.reason ?? usable[0]?.reason ?? "";
  const split = agreement === 1 ? "" : ` by ${Math.round((agreement ?? 0) * usable.length)} of ${usable.length} votes`;
  const unread = votes.length - usable.length;
  const lost = unread === 0 ? "" : `; ${unread} ${unread === 1 ? "vote" : "votes"} could not be read`;
  return `${verdict ?? "votes are tied"}${split}: ${reason}${lost}${mark}`;
}
