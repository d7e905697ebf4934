import type { SimulatedUser } from "../../contract/schemas/acting/simulated-user.ts";
import type { SimulatorFailure } from "../../contract/schemas/acting/user-turn.ts";

/** A turn of the conversation so far. */
export interface JudgedUserTurn {
  readonly turn_index: number;
  readonly message: string;
  /** True when the simulator wrote the message. */
  readonly simulated: boolean;
  /** Null while the agent has not answered. */
  readonly reply: string | null;
}

/**
 * The failure that the simulator's newest message shows, else null. The rules read messages only, never the outcome, and what a
 * message answers: leaving out attempts in which the agent got stuck, or asked for the words, would make its figures too good.
 */
export function messageFailure(user: SimulatedUser, said: readonly JudgedUserTurn[]): SimulatorFailure | null {
  const last = said.at(-1);
  if (!last?.simulated) return null;
  const turns = withinReach(said);
  const before = turns.slice(0, -1);
  const found = speaksAsAgent(last, before) ?? contradicts(user, last, before) ?? repeats(turns);
  return found && { ...found, turn_index: last.turn_index, found_by: "rule" };
}

/** The failure of a conversation that the simulator ended, or that ran out of turns: the goal was never pursued. */
export function goalFailure(user: SimulatedUser, turns: readonly JudgedUserTurn[]): SimulatorFailure | null {
  const failure = (reason: string): SimulatorFailure => ({ kind: "off_goal", reason, found_by: "rule" });
  const texts = turns.map(({ message }) => message);
  if (texts.length === 0) return failure("the simulator ended the conversation before its first message");
  // After a mere greeting, the user may end the conversation because of what the agent answered.
  if (texts.every((text) => wordsOfContent(text).length === 0)) return null;
  const known = new Set([user.goal, ...factTexts(user)].flatMap((text) => wordsOfContent(text)));
  if (known.size === 0 || !isComparable(user.goal, texts.join(" "))) return null;
  if (texts.some((text) => wordsOfContent(text).some((word) => known.has(word)))) return null;
  return failure("no message of the user has a word of the goal or of the known facts");
}

/** Characters of replies that the rules read, the newest ones. */
const mostRead = 1_000_000;

/** The turns without the older replies of a conversation that is too long to be read before every message. */
function withinReach(turns: readonly JudgedUserTurn[]): JudgedUserTurn[] {
  let left = mostRead;
  const read = turns.toReversed().map(({ reply, ...turn }) => {
    const kept = reply === null ? null : reply.slice(0, left);
    left -= kept?.length ?? 0;
    return { ...turn, reply: kept };
  });
  return read.toReversed();
}

type FoundFailure = Pick<SimulatorFailure, "kind" | "reason">;

/** Sentences that only the other side of a service conversation writes. A user may ask "Is there anything else I can do?" */
const agentPhrases: readonly RegExp[] = [
  /^\W*(?:agent|assistant|support|bot|chatbot|customer service)\s*:/iu,
  /\bhow (?:can|may|could) (?:i|we) (?:help|assist|be of (?:help|service))(?: you)?(?=[^\p{L}]*(?:$|[.?!,;:]| (?:today|further|now)\b)| you with\b)/iu,
  /\bis there anything else (?:i|we) (?:can|could|may) (?:help|assist|do for you)\b/iu,
  /\bas an? (?:ai|artificial intelligence|(?:large )?language model|virtual assistant)\b/iu,
  /\bthank(?:s| you) for (?:contacting|reaching out to|calling) (?:us|our|support|customer)\b/iu,
  /\bi(?:'m| am) (?:here|happy|glad) to (?:help|assist) you(?=[^\p{L}]*(?:$|[.?!,;:]| today\b)| with your\b)/iu,
  /\b(?:i(?:'ve| have)|we(?:'ve| have)) (?:cancell?ed|refunded|processed|updated|changed|booked) your (?:order|booking|reservation|refund|request|return|payment|ticket)\b/iu,
];
/** Shorter texts, such as "Thank you!", are written by both sides. */
const leastCopiedWords = 5;

/** A sentence of the agent's side, unless the agent's last reply has those words: it may have asked for them. */
function speaksAsAgent({ message }: JudgedUserTurn, before: readonly JudgedUserTurn[]): FoundFailure | null {
  const answered = plainText(before.at(-1)?.reply ?? "");
  const phrase = agentPhrases.map((pattern) => pattern.exec(message)?.[0]).find((found) => found !== undefined);
  const words = plainText(message);
  if (phrase !== undefined && words !== answered && !answered.includes(plainText(phrase))) {
    return { kind: "spoke_as_agent", reason: `the user says "${phrase.trim()}"` };
  }
  const isCopy = words === answered && words.split(" ").length >= leastCopiedWords;
  // An agent that echoes its user wrote nothing of its own.
  if (!isCopy || before.some((turn) => plainText(turn.message) === words)) return null;
  return { kind: "spoke_as_agent", reason: "the user sends a reply of the agent back as its own message" };
}

const repetitions = 3;
/** "Yes." and "No, thanks." may answer several questions. */
const shortWords = 2;

/** The same message again and again, each time after the agent had answered it. Asking again after anything else is the agent's doing. */
function repeats(turns: readonly JudgedUserTurn[]): FoundFailure | null {
  const message = turns.at(-1)?.message ?? "";
  const text = plainText(message);
  if (text.split(" ").length <= shortWords) return null;
  const isSame = turns.map((turn) => turn.simulated && plainText(turn.message) === text);
  const count = isSame.filter(Boolean).length;
  if (count < repetitions || needlessIn(turns, isSame) < repetitions - 1) return null;
  return {
    kind: "repeated",
    reason: `the user sends the same message for the ${ordinal(count)} time, although it was answered`,
  };
}

/** How many of the same messages, after the first one, the reply before them had answered. */
function needlessIn(turns: readonly JudgedUserTurn[], isSame: readonly boolean[]): number {
  const heard = new Set<string>();
  const first = isSame.indexOf(true);
  let needless = 0;
  let reply = "";
  for (const [index, turn] of turns.entries()) {
    if (isSame[index] && index > first && isAnswered(turn.message, { reply, heard })) needless += 1;
    for (const word of wordsOf(`${turn.message} ${reply}`)) heard.add(word);
    reply = turn.reply ?? "";
  }
  return needless;
}

/** A question takes up nothing: what is left of the reply counts. */
const questions = /(?<![^.!?？؟。！\n])[^.!?？؟。！\n]*[?？؟]/gu;
/** A reply that says less that is new repeats the agent, or its user. */
const leastNew = 0.5;

/** True when the agent's reply says something new about what the message says: about its values, if it has any. */
function isAnswered(message: string, { reply, heard }: { reply: string; heard: ReadonlySet<string> }): boolean {
  const said = reply.replaceAll(questions, " ");
  const words = new Set(wordsOf(said));
  const fresh = [...words].filter((word) => !heard.has(word));
  if (words.size === 0 || fresh.length < words.size * leastNew) return false;
  const values = wordsOf(message).filter((word) => /\d/u.test(word));
  if (values.length > 0) return values.some((value) => words.has(value));
  const meant = new Set(wordsOfContent(message));
  return wordsOfContent(said).some((word) => meant.has(word));
}

function ordinal(count: number): string {
  return count === 3 ? "third" : `${count}th`;
}

/** Words that belong to most names of facts and identify none. */
const vagueNames = new Set(["id", "ids", "number", "no", "nr", "code", "name", "my", "the", "of", "user", "customer"]);
const email = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}/giu;
/** Words that may stand between the name of a fact and its value: "my order number is 1043", but not "an order of 2024". */
const connecting = new Set([...vagueNames, "is", "was", "it", "s", "its", "#"]);

/** A value of a known kind that differs from the known one, and that appears nowhere else in what the user may know. */
function contradicts(
  user: SimulatedUser,
  last: JudgedUserTurn,
  before: readonly JudgedUserTurn[],
): FoundFailure | null {
  const { knows } = user;
  if (knows === undefined || typeof knows === "string") return null;
  const heard = [user.goal, user.persona, user.opening, ...Object.values(knows).map(String)];
  for (const { message, reply } of before) heard.push(message, reply ?? "");
  const known = new Set(valuesIn(heard.join("\n")));
  for (const [name, fact] of Object.entries(knows)) {
    const value = String(fact);
    const claimed = isEmailAddress(value) ? (last.message.match(email) ?? []) : claimsOf(name, value, last.message);
    const wrong = claimed.find((claim) => !known.has(claim.toLowerCase()));
    if (wrong !== undefined)
      return { kind: "invented_fact", reason: `the user gives ${name} as ${wrong}, but knows ${value}` };
  }
  return null;
}

function isEmailAddress(text: string): boolean {
  return text.match(email)?.[0] === text;
}

/** Values in the form of the known one that follow the name of the fact. Only numbers and codes have a form to compare. */
function claimsOf(name: string, value: string, message: string): string[] {
  if (!/^[\p{L}-]*\d[\p{L}\d-]*$/u.test(value)) return [];
  const names = new Set(
    name
      .replace(/(?<=[a-z])(?=[A-Z])/gu, " ")
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== "" && !vagueNames.has(word)),
  );
  const words = message.match(/[\p{L}\p{N}#-]+/gu) ?? [];
  return words.flatMap((word, index) => {
    const claim = word.replace(/^#/u, "");
    if (shapeOf(claim) !== shapeOf(value)) return [];
    let before = index - 1;
    while (before >= 0 && connecting.has(words[before]?.toLowerCase() ?? "")) before--;
    return names.has(words[before]?.toLowerCase() ?? "") ? [claim] : [];
  });
}

/** Digits and letters in the order of their runs, with the number of digits: `A-1042` and `A-1043` have the same shape. */
function shapeOf(text: string): string {
  return text.replace(/\p{L}+/gu, "a").replace(/\d/gu, "0");
}

function valuesIn(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}-]+/gu) ?? [];
  return [...words, ...(text.match(email) ?? [])].map((word) => word.toLowerCase());
}

function factTexts({ knows }: SimulatedUser): string[] {
  if (knows === undefined) return [];
  return typeof knows === "string" ? [knows] : Object.entries(knows).map(([name, value]) => `${name} ${value}`);
}

const functionWords = new Set(
  (
    "a about after again all also am an and any are as at be because been before but by can could did do does for from get give got " +
    "had has have he her here him his how i if in into is it its just know let like me more my need no not now of on one only or our " +
    "out please she so some than that the their them then there they this to too up us want was we were what when where which who " +
    "why will with would yes you your user agent wants asks thanks thank hello hi ok okay"
  ).split(" "),
);

/**
 * False when goal and messages may be in different languages, so that they share no words anyway. English is recognised by its
 * function words; other languages by a short word that both have.
 */
function isComparable(goal: string, messages: string): boolean {
  const [wanted, said] = [wordsOf(goal), wordsOf(messages)];
  const isEnglish = (words: readonly string[]): boolean => words.some((word) => functionWords.has(word));
  if (isEnglish(wanted) || wanted.length < 4) return isEnglish(said);
  const short = new Set(wanted.filter((word) => word.length <= 4));
  return said.some((word) => short.has(word));
}

/** Long enough to tell words apart, short enough for "cancel" and "cancellation" to agree. */
const stemLength = 5;

/** The beginnings of the words that carry meaning. */
function wordsOfContent(text: string): string[] {
  return wordsOf(text)
    .filter((word) => !functionWords.has(word) && (word.length > 2 || /\d/u.test(word)))
    .map((word) => (/\d/u.test(word) ? word : word.slice(0, stemLength)));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function plainText(text: string): string {
  return wordsOf(text).join(" ");
}
