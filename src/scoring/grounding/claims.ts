import { isRecord } from "../../base/json.ts";
import { actionOf, adverbs, hedges, readingWords, type ActionClass } from "./action-words.ts";
import { findFacts } from "./facts.ts";
import { toTokens, type Token } from "./tokens.ts";

/** A tool call with its outcome, as far as it is known. */
export interface OutcomeCall {
  readonly name: string;
  readonly arguments?: unknown;
  readonly result?: unknown;
  readonly error?: string | undefined;
}

/** What an agent can do. */
export interface NamedTool {
  readonly name: string;
  readonly description?: string | undefined;
}

export interface ClaimInput {
  readonly reply: string;
  /** The calls of this turn, and of those before. */
  readonly calls: readonly OutcomeCall[];
  readonly earlierCalls: readonly OutcomeCall[];
  readonly tools: readonly NamedTool[];
  /** What users said and tools answered: "your flight has been cancelled" may report it. */
  readonly told: readonly unknown[];
}

/** "I have cancelled", and what became of it. */
export interface Claim {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** True: a successful call did it. False: none did. Null: that cannot be told. */
  readonly held: boolean | null;
  readonly reason: string;
}

/** The statements in a reply that something was done, each compared with the calls. */
export function checkClaims(input: ClaimInput): Claim[] {
  const found = findClaims(input.reply, input.tools);
  return found.map((claim) => ({ ...claim, ...decide(claim, input) }));
}

interface FoundClaim {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly participle: string;
  readonly action: ActionClass;
  /** The agent says that it did so itself. */
  readonly isOwn: boolean;
  readonly sentence: string;
}

function findClaims(reply: string, tools: readonly NamedTool[]): FoundClaim[] {
  const own = actionsOfTools(tools);
  const tokens = toTokens(reply);
  const claims: FoundClaim[] = [];
  for (let from = 0; from < tokens.length;) {
    const to = sentenceEnd(tokens, from);
    const sentence = tokens.slice(from, to);
    if (tokens[to - 1]?.text !== "?") claims.push(...claimsIn(sentence, reply, own));
    from = to;
  }
  return claims;
}

/** Most words of a sentence that are read. */
const longestSentence = 120;

function sentenceEnd(tokens: readonly Token[], from: number): number {
  for (let at = from; at < tokens.length; at++) {
    const { type, text, end } = tokens[at] as Token;
    const isLast =
      tokens[at + 1] === undefined || (tokens[at + 1] as Token).start > end || tokens[at + 1]?.type === "line";
    if (type === "line" || (/^[.!?;。！？]$/u.test(text) && isLast) || at - from >= longestSentence) return at + 1;
  }
  return tokens.length;
}

function claimsIn(sentence: readonly Token[], reply: string, own: ReadonlyMap<string, ActionClass>): FoundClaim[] {
  const claims: FoundClaim[] = [];
  const actionAt = (at: number): ActionClass | undefined => {
    const { lower = "", type } = sentence[at] ?? {};
    return type === "word" ? (actionOf(lower) ?? own.get(lower)) : undefined;
  };
  for (let at = 0; at < sentence.length; at++) {
    const start = claimStart(sentence, at, actionAt);
    if (!start) continue;
    const participle = sentence[start.at] as Token;
    const action = actionAt(start.at);
    const isHedged =
      sentence.slice(0, at).some(({ lower }) => hedges.has(lower)) ||
      sentence.slice(at, start.at).some(({ lower }) => hedges.has(lower));
    if (!action || isHedged || claims.some(({ end }) => end >= participle.end)) continue;
    const first = sentence[start.from] as Token;
    claims.push({
      text: reply.slice(first.start, participle.end),
      start: first.start,
      end: participle.end,
      participle: participle.lower,
      action,
      isOwn: start.isOwn,
      sentence: reply.slice(sentence[0]?.start, sentence.at(-1)?.end),
    });
  }
  return claims;
}

interface ClaimStart {
  readonly from: number;
  /** Where the participle is. */
  readonly at: number;
  readonly isOwn: boolean;
}

/** Recognises a claim by its auxiliary at this place: "I have", "has been", "ich habe", "wurde", "j'ai", "a été", "he", "se ha". */
function claimStart(
  sentence: readonly Token[],
  at: number,
  actionAt: (at: number) => ActionClass | undefined,
): ClaimStart | null {
  const word = (offset: number): string => sentence[at + offset]?.lower ?? "";
  const next = (from: number): number => {
    let to = from;
    while (to - from < 5 && adverbs.has(sentence[to]?.lower ?? "")) to++;
    return to;
  };
  const beside = (isOwn: boolean, from: number, after = at + 1): ClaimStart | null => {
    const participle = next(after);
    return actionAt(participle) ? { from: at + from, at: participle, isOwn } : null;
  };
  const atEnd = (isOwn: boolean): ClaimStart | null => {
    for (let to = at + 1; to < Math.min(sentence.length, at + 30); to++) {
      if (/^[,:]$/.test(sentence[to]?.text ?? "")) return null;
      if (actionAt(to)) return { from: at, at: to, isOwn };
    }
    return null;
  };
  switch (word(0)) {
    case "have":
    case "ve": {
      const subject = word(-1) === "'" || word(-1) === "’" ? -2 : -1;
      const isSubject = /^(?:i|we)$/.test(word(subject)) || (adverbs.has(word(-1)) && /^(?:i|we)$/.test(word(-2)));
      return isSubject ? beside(true, subject) : null;
    }
    case "i":
      return adverbs.has(word(1)) || actionAt(at + 1) ? beside(true, 0) : null;
    case "been":
      if (word(1) === "successfully") return null;
      return /^(?:has|have|s)$/.test(word(-1)) || /^(?:has|have|s)$/.test(word(-2)) ? beside(false, -1) : null;
    case "now":
      return /^(?:is|are)$/.test(word(-1)) ? beside(false, -1) : null;
    case "successfully":
      return /^(?:was|were|is|are|been)$/.test(word(-1)) ? beside(true, -1) : null;
    case "habe":
      return word(-1) === "ich" || word(1) === "ich" ? atEnd(true) : null;
    case "haben":
      return word(-1) === "wir" || word(1) === "wir" ? atEnd(true) : null;
    case "wurde":
    case "wurden":
      return atEnd(false);
    case "ai":
      return /^(?:'|’)$/.test(word(-1)) && word(-2) === "j" ? beside(true, -2) : null;
    case "avons":
      return word(-1) === "nous" ? beside(true, -1) : null;
    case "été":
      return /^(?:a|ont|bien)$/.test(word(-1)) ? beside(false, -1) : null;
    case "he":
    case "hemos":
      return beside(true, 0);
    case "ha":
    case "han":
      return word(1) === "sido" ? beside(false, 0, at + 2) : word(-1) === "se" ? beside(false, -1) : null;
    default:
      return null;
  }
}

function decide(
  { action, participle, isOwn, sentence }: FoundClaim,
  input: ClaimInput,
): Pick<Claim, "held" | "reason"> {
  const all = [...input.earlierCalls, ...input.calls];
  const matching = all.filter((call) => does(call, action, input.tools));
  const done = matching.filter((call) => failureOf(call) === null);
  if (done.length > 0) return decideByIds(done, sentence, all);
  const failed = matching.at(-1);
  if (failed) return { held: false, reason: `${failed.name} failed: ${failureOf(failed) ?? ""}` };
  const unclear = input.calls.find((call) => !isReading(call.name) && failureOf(call) === null);
  if (unclear) return { held: null, reason: `${unclear.name} may have done it` };
  if (!isOwn && isTold(participle, input.told))
    return { held: null, reason: "it may report what a user or a tool said" };
  const able = input.tools
    .filter((tool) => does(tool, action, input.tools))
    .toSorted((left, right) => rankOf(left, action) - rankOf(right, action))[0];
  if (able) return { held: false, reason: `no call of ${able.name}` };
  if (isOwn && action.needsTool) return { held: false, reason: "no call that could have done it" };
  return { held: null, reason: "no tool is known to do it" };
}

/** A claim that names codes has to name one that a call had. */
function decideByIds(
  done: readonly OutcomeCall[],
  sentence: string,
  all: readonly OutcomeCall[],
): Pick<Claim, "held" | "reason"> {
  const by = { held: true as const, reason: `done by ${done.at(-1)?.name ?? ""}` };
  const codes = findFacts(sentence).flatMap(({ kind, start, end }) =>
    kind === "id" ? sentence.slice(start, end).toLowerCase() : [],
  );
  if (codes.length === 0) return by;
  const isIn = (calls: readonly OutcomeCall[], code: string): boolean =>
    calls.some((call) => JSON.stringify([call.arguments, call.result]).toLowerCase().includes(code));
  const isNamed = codes.some((code) => isIn(done, code));
  // A code that no call ever had is a matter of grounded_facts, and one of another kind than those of the call no contradiction.
  const hasOther = codes.some(
    (code) => isIn(all, code) && done.some((call) => textsIn(call.arguments).some((text) => isSameShape(text, code))),
  );
  if (isNamed || !hasOther) return by;
  return { held: false, reason: `${done.at(-1)?.name ?? ""} was called for something else than ${codes[0] ?? ""}` };
}

const textsIn = (value: unknown): string[] =>
  typeof value === "string" ? [value] : isRecord(value) ? Object.values(value).flatMap(textsIn) : [];

/** Codes of the same length, with a digit and a letter each. */
const isSameShape = (text: string, code: string): boolean =>
  text.length === code.length && !/\s/.test(text) && /\d/.test(text) && text.toLowerCase() !== code;

function does({ name }: NamedTool, action: ActionClass, tools: readonly NamedTool[]): boolean {
  const about = wordsOfTool(name);
  if (readingWords.has(about[0] ?? "")) return false;
  const description = tools.find((tool) => tool.name === name)?.description ?? "";
  const first = (/^[^.\n]{0,200}/.exec(description)?.[0] ?? "").toLowerCase().match(/[\p{L}]+/gu) ?? [];
  const doing = first.slice(0, 12);
  return action.tools.some(
    (stem) => about.some((word) => word.startsWith(stem)) || doing.some((word) => word.startsWith(stem)),
  );
}

/** Tools whose name is nearest to the action come first. */
function rankOf({ name }: NamedTool, { tools }: ActionClass): number {
  const rank = tools.findIndex((stem) => wordsOfTool(name).some((word) => word.startsWith(stem)));
  return rank === -1 ? tools.length : rank;
}

const isReading = (name: string): boolean => readingWords.has(wordsOfTool(name)[0] ?? "");

/** `cancelOrder`, `cancel_order` and `orders.cancel` in words. A server's name before two underscores is left out. */
function wordsOfTool(name: string): string[] {
  return name
    .replace(/^.*__/, "")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
}

/** Why a call did not succeed; null when nothing says so. */
function failureOf({ error, result }: OutcomeCall): string | null {
  if (error !== undefined) return shortText(error);
  const value = typeof result === "string" ? (parsed(result) ?? result) : result;
  if (typeof value === "string")
    return /^\W{0,3}(?:error|failed|failure|exception|fehler|erreur)\b/i.test(value) ? shortText(value) : null;
  if (!isRecord(value)) return null;
  const { error: told, success, ok, status } = value;
  if (told !== undefined && told !== null && told !== false && told !== "")
    return shortText(typeof told === "string" ? told : JSON.stringify(told));
  if (success === false || ok === false) return "it reports no success";
  return typeof status === "string" && /^(?:error|failed|failure|rejected|denied)$/i.test(status)
    ? `status ${status}`
    : null;
}

const shortText = (text: string): string => (text.length > 120 ? `${text.slice(0, 119).toWellFormed()}…` : text);

function parsed(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Characters of what was told that are searched. */
const maxTold = 2_000_000;

function isTold(participle: string, told: readonly unknown[]): boolean {
  let left = maxTold;
  return told.some((value) => {
    if (left <= 0) return false;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    left -= text.length;
    return text.toLowerCase().includes(participle);
  });
}

const ofTools = new WeakMap<object, ReadonlyMap<string, ActionClass>>();

/** The actions that only these tools name: with `archive_mail`, "I have archived" is a claim. */
function actionsOfTools(tools: readonly NamedTool[]): ReadonlyMap<string, ActionClass> {
  const known = ofTools.get(tools);
  if (known) return known;
  const actions = new Map<string, ActionClass>();
  for (const { name } of tools) {
    const [verb = ""] = wordsOfTool(name);
    if (verb.length < 3 || readingWords.has(verb) || !/^[a-z]+$/.test(verb)) continue;
    for (const said of pastOf(verb))
      if (!actionOf(said)) actions.set(said, { name: verb, said: [said], tools: [verb], needsTool: false });
  }
  ofTools.set(tools, actions);
  return actions;
}

/** The regular past of an English verb. */
function pastOf(verb: string): string[] {
  if (verb.endsWith("e")) return [`${verb}d`];
  if (/[^aeiou]y$/.test(verb)) return [`${verb.slice(0, -1)}ied`];
  return [`${verb}ed`, `${verb}${verb.at(-1) ?? ""}ed`];
}
