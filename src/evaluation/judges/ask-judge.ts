import type { ChatMessage, ChatModel, ReplyFormat } from "../../contract/ports/chat-model.ts";
import type { Choices } from "../../scoring/checks/rubric.ts";
import { unauditedMark } from "../../contract/schemas/judging/unaudited.ts";
import type { JudgeEvidence, JudgeVerdict } from "../../contract/schemas/judging/judge.ts";
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
import { compact } from "../../base/compact.ts";
import { isRecord } from "../../base/json.ts";
import type { QuotedMaterial } from "./evidence.ts";
import { isSubstring } from "../../scoring/text/is-substring.ts";

/** A judge model and how it is used. */
export interface Judge {
  readonly model: ChatModel;
  /** Further models that vote as often. */
  readonly panel?: readonly {
    readonly model: ChatModel;
    readonly name: string;
    readonly priceOf?: PriceOf | undefined;
  }[];
  /** The first model's name in votes of a panel. */
  readonly name?: string;
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

/** Asks the judge one question once per vote and model. Failed and unreadable votes do not count. */
export async function askJudge(
  judge: Judge,
  { choices, quotes, leftOut = [], ...asking }: JudgeAsking & QuestionForm,
): Promise<JudgeAnswer> {
  const form = quotes
    ? { format: evidenceFormat(Object.keys(choices)), read: (text: string) => parseEvidenceVote(text, choices, quotes) }
    : { format: verdictFormat(Object.keys(choices)), read: (text: string) => parseVote(text, Object.keys(choices)) };
  const asked = await askAllVoters(judge, { ...asking, ...form, failed: (reason) => ({ choice: null, reason }) });
  return {
    verdict: withLeftOut(countVotes(asked.votes, { choices, audited: judge.audited }), leftOut),
    helper_usage: asked.helper_usage,
  };
}

interface QuestionForm {
  readonly choices: Choices;
  /** Set when the verdict must quote: where its quotes may stand. */
  readonly quotes?: QuotedMaterial | undefined;
  /** What of the material was shortened. */
  readonly leftOut?: readonly string[];
}

/** Asks several questions about the same material in one call per vote and model. */
export async function askTogether(
  judge: Judge,
  {
    questions,
    quotes,
    leftOut = [],
    ...asking
  }: JudgeAsking & {
    readonly questions: readonly { readonly name: string; readonly choices: Choices; readonly audited?: boolean }[];
    readonly quotes: QuotedMaterial;
    readonly leftOut?: readonly string[];
  },
): Promise<{ readonly verdicts: ReadonlyMap<string, JudgeVerdict>; readonly helper_usage: HelperUsage }> {
  type Votes = ReadonlyMap<string, Vote>;
  const failed = (reason: string): Votes => new Map(questions.map(({ name }) => [name, { choice: null, reason }]));
  const asked = await askAllVoters<Votes>(judge, {
    ...asking,
    format: togetherFormat(questions),
    read: (text) => parseTogether(text, questions, quotes),
    failed,
  });
  const verdicts = questions.map(({ name, choices, audited = judge.audited }): [string, JudgeVerdict] => {
    const votes = asked.votes.flatMap((each) => each.get(name) ?? []);
    return [name, withLeftOut(countVotes(votes, { choices, audited }), leftOut)];
  });
  return { verdicts: new Map(verdicts), helper_usage: asked.helper_usage };
}

const withLeftOut = (verdict: JudgeVerdict, leftOut: readonly string[]): JudgeVerdict =>
  leftOut.length === 0 ? verdict : { ...verdict, left_out: [...leftOut] };

interface Voting<Answer> extends JudgeAsking {
  readonly format: ReplyFormat;
  readonly read: (text: string) => Answer;
  readonly failed: (reason: string) => Answer;
}

async function askAllVoters<Answer>(
  judge: Judge,
  asking: Voting<Answer>,
): Promise<{ readonly votes: readonly Answer[]; readonly helper_usage: HelperUsage }> {
  const { model, name, priceOf, panel = [], votes } = judge;
  const voters = [{ model, name, priceOf }, ...panel];
  const asked = await Promise.all(
    voters.flatMap((voter) =>
      Array.from({ length: votes }, async () => {
        const { vote, spent } = await askOnce(voter, asking);
        return { vote: panel.length > 0 ? named(vote, voter.name) : vote, spent };
      }),
    ),
  );
  return {
    votes: asked.map(({ vote }) => vote),
    helper_usage: asked.reduce((sum, { spent }) => addHelperUsage(sum, spent), noHelperUsage),
  };
}

/** A vote, or several, with the model that gave it. */
function named<Answer>(answer: Answer, model: string | undefined): Answer {
  if (model === undefined || typeof answer !== "object" || answer === null) return answer;
  if (answer instanceof Map) return new Map([...answer].map(([key, vote]) => [key, { ...vote, model }])) as Answer;
  return { ...answer, model };
}

async function askOnce<Answer>(
  { model, priceOf }: Pick<Judge, "model" | "priceOf">,
  { messages, judged = [], format, read, failed, signal }: Voting<Answer>,
): Promise<{ vote: Answer; spent: HelperUsage }> {
  const reply = await askStructured(model, { messages, format }, { signal });
  if (!reply.ok) {
    const { code, detail } = reply.error;
    return { vote: failed(`the judge could not be asked: ${code}: ${detail}`), spent: failedHelperUsage(reply) };
  }
  const spent = helperUsageOf(reply, priceOf);
  if (reply.text === "" && reply.refusal !== null) return { vote: failed("the judge refused"), spent };
  if (judged.some((text) => isRepeated(reply.text, text)))
    return { vote: failed("the judge repeated the text it had to judge"), spent };
  return { vote: read(reply.text), spent };
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
    votes: votes.map((vote) => compact({ ...vote })),
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
  readonly evidence?: JudgeEvidence[] | undefined;
  readonly model?: string | undefined;
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

const evidenceSchema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      turn: { type: "integer" },
      call: { type: "string" },
      quote: { type: "string", description: "Copied exactly, at most 200 characters." },
    },
    required: ["turn", "call", "quote"],
    additionalProperties: false,
  },
} as const;

function answerSchema(choices: readonly string[]): Readonly<Record<string, unknown>> {
  return {
    type: "object",
    properties: {
      reason: { type: "string", description: "Two or three sentences that lead to the verdict." },
      evidence: evidenceSchema,
      verdict: { type: "string", enum: [...choices] },
    },
    required: ["reason", "evidence", "verdict"],
    additionalProperties: false,
  };
}

const evidenceFormat = (choices: readonly string[]): ReplyFormat => ({
  name: "verdict",
  schema: answerSchema(choices),
});

const togetherFormat = (questions: readonly { readonly name: string; readonly choices: Choices }[]): ReplyFormat => ({
  name: "verdicts",
  schema: {
    type: "object",
    properties: Object.fromEntries(questions.map(({ name, choices }) => [name, answerSchema(Object.keys(choices))])),
    required: questions.map(({ name }) => name),
    additionalProperties: false,
  },
});

/** Pieces of evidence that are kept of a vote. */
const mostEvidence = 10;

/** Reads an answer with evidence. A quote that does not occur makes it void. */
export function parseEvidenceVote(text: string, choices: Choices, quotes: QuotedMaterial): Vote {
  const parsed = parseObject(text);
  if (typeof parsed === "string") return { choice: null, reason: parsed };
  if (text.match(verdictField)?.length !== 1) return { choice: null, reason: "the judge gave more than one verdict" };
  return readAnswer(parsed, choices, quotes);
}

/** A field name, and not one inside a quoted text. */
const verdictField = /(?<!\\)"verdict"\s{0,9}:/g;

function parseTogether(
  text: string,
  questions: readonly { readonly name: string; readonly choices: Choices }[],
  quotes: QuotedMaterial,
): ReadonlyMap<string, Vote> {
  const parsed = parseObject(text);
  const verdicts = text.match(verdictField)?.length ?? 0;
  return new Map(
    questions.map(({ name, choices }): [string, Vote] => {
      if (typeof parsed === "string") return [name, { choice: null, reason: parsed }];
      if (verdicts > questions.length)
        return [name, { choice: null, reason: "the judge gave more verdicts than questions" }];
      const answer = Object.hasOwn(parsed, name) ? parsed[name] : undefined;
      if (!isRecord(answer)) return [name, { choice: null, reason: "the judge did not answer this question" }];
      return [name, readAnswer(answer, choices, quotes)];
    }),
  );
}

function parseObject(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const value: unknown = JSON.parse(unwrapFence(text));
    return isRecord(value) ? value : "the judge's answer is not an object";
  } catch {
    return "the judge's answer is not JSON";
  }
}

function readAnswer(answer: Readonly<Record<string, unknown>>, choices: Choices, quotes: QuotedMaterial): Vote {
  const { verdict, reason, evidence } = answer;
  const void_ = (why: string): Vote => ({
    choice: null,
    reason: typeof reason === "string" ? `${why} (it said: ${reason.slice(0, maximumReason)})` : why,
  });
  if (typeof reason !== "string") return void_("the judge gave no reason");
  const choice = Object.keys(choices).find((name) => name === (isUnquoted(verdict) ? String(verdict) : verdict));
  if (choice === undefined) return void_("the judge's verdict is none of the choices");
  const given = Array.isArray(evidence) ? evidence.map(toEvidence) : [];
  if (given.length === 0) return void_("the verdict is void: it quotes nothing");
  for (const piece of given.slice(0, mostEvidence)) {
    const missing = piece ? quotes.missing(piece) : "evidence without a turn and a quote";
    if (missing !== null) return void_(`the verdict is void: ${missing}`);
  }
  const kept = given.slice(0, mostEvidence).flatMap((piece) => piece ?? []);
  return { choice, reason: reason.slice(0, maximumReason), evidence: kept };
}

const longestQuote = 1_000;

function toEvidence(value: unknown): JudgeEvidence | null {
  if (!isRecord(value)) return null;
  const { turn, call, quote } = value;
  const number = typeof turn === "string" ? Number(turn) : turn;
  if (typeof quote !== "string" || typeof number !== "number" || !Number.isInteger(number) || number < 0) return null;
  return compact({
    turn: number,
    call: typeof call === "string" && call !== "" ? call : undefined,
    quote: quote.slice(0, longestQuote).toWellFormed(),
  });
}
