import type { ChatMessage, ChatModel, ReplyFormat } from "../../contract/ports/chat-model.ts";
import type { Choices } from "../../scoring/checks/rubric.ts";
import { unauditedMark } from "../../contract/schemas/judging/unaudited.ts";
import type { JudgeVerdict } from "../../contract/schemas/judging/judge.ts";
import type { HelperUsage } from "../../contract/schemas/shared/usage.ts";
import { unwrapFence } from "../../scoring/text/unwrap-fence.ts";
import { askStructured } from "../helpers/structured-output.ts";
import {
  addHelperUsage,
  failedHelperUsage,
  helperUsageOf,
  noHelperUsage,
  type PriceOf,
} from "../helpers/helper-usage.ts";
import { isSubstring } from "../../scoring/text/is-substring.ts";

/** A judge model and how it is used. */
export interface Judge {
  readonly model: ChatModel;
  readonly votes: number;
  /** True when the judge passed an audit with this question. */
  readonly audited: boolean;
  readonly priceOf?: PriceOf | undefined;
}

interface JudgeAnswer {
  readonly verdict: JudgeVerdict;
  readonly helper_usage: HelperUsage;
}

interface JudgeAsking {
  readonly messages: readonly ChatMessage[];
  /** The judged texts: an answer copied from one of them is not a vote. */
  readonly judged?: readonly string[];
  readonly signal: AbortSignal;
}

/** Asks the judge one question once per vote. Failed and unreadable votes do not count. */
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
  const reply = await askStructured(model, { messages, format: verdictFormat(choices) }, { signal });
  if (!reply.ok) {
    const { code, detail } = reply.error;
    const vote = { choice: null, reason: `the judge could not be asked: ${code}: ${detail}` };
    return { vote, spent: failedHelperUsage(reply) };
  }
  const spent = helperUsageOf(reply, priceOf);
  if (reply.text === "" && reply.refusal !== null)
    return { vote: { choice: null, reason: "the judge refused" }, spent };
  if (judged.some((text) => isRepeated(reply.text, text))) {
    return { vote: { choice: null, reason: "the judge repeated the text it had to judge" }, spent };
  }
  return { vote: parseVote(reply.text, choices), spent };
}

/** An answer found in the judged text, ignoring white space and fences, was written by the judged model. */
function isRepeated(answer: string, judged: string): boolean {
  const compact = (text: string) => text.replace(/\s+/gu, "");
  const given = compact(unwrapFence(answer));
  return given !== "" && isSubstring(given, compact(judged));
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
  const mark = judge_audited ? "" : ` (${unauditedMark})`;
  if (value === null) return `unscored: ${votes[0]?.reason ?? "the judge was not asked"}${mark}`;
  const reason = usable.find(({ choice }) => choice === verdict)?.reason ?? usable[0]?.reason ?? "";
  const split = agreement === 1 ? "" : ` by ${Math.round((agreement ?? 0) * usable.length)} of ${usable.length} votes`;
  const unread = votes.length - usable.length;
  const lost = unread === 0 ? "" : `; ${unread} ${unread === 1 ? "vote" : "votes"} could not be read`;
  return `${verdict ?? "votes are tied"}${split}: ${reason}${lost}${mark}`;
}

/** The reason comes first, so that the verdict follows from it. */
function verdictFormat(choices: readonly string[]): ReplyFormat {
  return {
    name: "verdict",
    schema: {
      type: "object",
      properties: {
        reason: { type: "string", description: "Two or three sentences that lead to the verdict." },
        verdict: { type: "string", enum: [...choices] },
      },
      required: ["reason", "verdict"],
      additionalProperties: false,
    },
  };
}

interface Vote {
  /** Null when the answer is unusable. */
  readonly choice: string | null;
  readonly reason: string;
}

const maximumReason = 2_000;
const quoted = /"(?:[^"\\]|\\[^])*"?/gu;

/**
 * Reads an answer, which must be exactly one object in the verdict format, optionally in a code fence. Verdicts are never
 * searched for inside other text.
 */
export function parseVote(text: string, choices: readonly string[]): Vote {
  const unusable = (reason: string): Vote => ({ choice: null, reason });
  const answer = unwrapFence(text);
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    return unusable("the judge's answer is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return unusable("the judge's answer is not an object");
  const { verdict, reason, ...others } = value as Record<string, unknown>;
  if (Object.keys(others).length > 0) return unusable("the judge's answer has unexpected fields");
  if (typeof reason !== "string") return unusable("the judge gave no reason");
  // For choices like 1 to 5, models without structured output answer with a number.
  const choice = choices.find((name) => name === (isUnquoted(verdict) ? String(verdict) : verdict));
  if (choice === undefined) return unusable("the judge's verdict is none of the choices");
  // Two names and two values: JSON.parse keeps only the last of duplicate fields, so a contradicting verdict would go unnoticed.
  if (answer.match(quoted)?.length !== (isUnquoted(verdict) ? 3 : 4))
    return unusable("the judge gave more than one reason or verdict");
  return { choice, reason: reason.slice(0, maximumReason) };
}

/** Written without quotes in JSON. */
function isUnquoted(verdict: unknown): boolean {
  return typeof verdict === "number" || typeof verdict === "boolean";
}
