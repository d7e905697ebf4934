import type { ChatMessage, ChatModel, ReplyFormat } from "../../contract/ports/chat-model.ts";
import type { HelperUsage, JudgeVerdict } from "../../contract/schemas/judge.ts";
import type { Choices } from "../../contract/schemas/scorer-setting.ts";
import { askInForm } from "../ask-in-form.ts";
import { addHelperUsage, failedHelperUsage, helperUsageOf, noHelperUsage, type PriceOf } from "../helper-usage.ts";
import { isPartOf } from "../text/is-part-of.ts";
import { unwrapFence } from "../text/unwrap-fence.ts";

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

/** The one form an answer may have. The reason comes first, so that the verdict follows from it. */
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
  /** null: the answer could not be used. */
  readonly choice: string | null;
  readonly reason: string;
}

const maximumReason = 2_000;
const quoted = /"(?:[^"\\]|\\.)*"/gu;

/**
 * Reads an answer. Anything but exactly one object of the form is no vote: verdicts are never looked for inside other text. Only the
 * fence that models without structured output put around JSON is taken off.
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
    return unusable("the judge's answer is no object");
  const { verdict, reason, ...others } = value as Record<string, unknown>;
  if (Object.keys(others).length > 0) return unusable("the judge's answer has fields nobody asked for");
  if (typeof reason !== "string") return unusable("the judge gave no reason");
  // Of choices like 1 to 5, a model that is free to chooses a number.
  const choice = choices.find((name) => name === (isBare(verdict) ? String(verdict) : verdict));
  if (choice === undefined) return unusable("the judge's verdict is none of the choices");
  // Two names, two values. Of several fields of one name, parsing shows the last alone: a verdict that another one takes back.
  if (answer.match(quoted)?.length !== (isBare(verdict) ? 3 : 4))
    return unusable("the judge gave more than one reason or verdict");
  return { choice, reason: reason.slice(0, maximumReason) };
}

/** Written without quotes in JSON. */
function isBare(verdict: unknown): boolean {
  return typeof verdict === "number" || typeof verdict === "boolean";
}
