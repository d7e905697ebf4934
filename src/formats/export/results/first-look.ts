import type { ScenarioResult } from "../../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/schemas/interaction-result.ts";
import { findFacts } from "../../../scoring/grounding/facts.ts";

/** What can be said about replies that nothing decides about. */
export interface FirstLook {
  readonly replies: number;
  /** Replies by what looks wrong, most frequent first. A reply may have several. */
  readonly signs: readonly { readonly sign: string; readonly replies: number }[];
  readonly grounded: { readonly replies: number; readonly mean: number } | null;
  readonly medianLatencyMs: number | null;
  /** US dollars; null when no price is known. */
  readonly cost: number | null;
  /** The conversations with most signs first. */
  readonly worst: readonly {
    readonly scenario_id: string;
    readonly attempt: number;
    readonly turn: number;
    readonly signs: readonly string[];
    readonly reply: string;
  }[];
  /** What the references say that a right reply has to say too. */
  readonly checks: readonly {
    readonly scenario_id: string;
    readonly interaction_id: string;
    readonly texts: readonly string[];
  }[];
}

const shownWorst = 5;

/** Looks at the replies of a run without judge, checks and threshold. */
export function firstLook(scenarios: readonly ScenarioResult[]): FirstLook {
  const turns = scenarios.flatMap(({ scenario_id, attempts }) =>
    attempts.flatMap(({ attempt, interactions }) =>
      interactions.flatMap((turn) => (turn.error ? [] : [{ scenario_id, attempt, turn }])),
    ),
  );
  const said = new Map<string, Set<string>>();
  for (const { turn } of turns) {
    const key = turn.agent_reply.trim().toLowerCase();
    said.set(key, (said.get(key) ?? new Set()).add(turn.user_message));
  }
  const looked = turns.map(({ turn, ...place }) => ({
    ...place,
    turn,
    signs: signsOf(turn, (said.get(turn.agent_reply.trim().toLowerCase())?.size ?? 0) >= 3),
  }));
  const counts = new Map<string, number>();
  for (const { signs } of looked) for (const { name } of signs) counts.set(name, (counts.get(name) ?? 0) + 1);
  const grounded = turns.flatMap(({ turn }) => turn.scores["grounded_facts"] ?? []);
  const latencies = turns.map(({ turn }) => turn.latency_ms).toSorted((left, right) => left - right);
  const costs = turns.flatMap(({ turn }) => turn.cost ?? []);
  return {
    replies: turns.length,
    signs: [...counts]
      .map(([sign, replies]) => ({ sign, replies }))
      .toSorted((left, right) => right.replies - left.replies),
    grounded:
      grounded.length === 0
        ? null
        : { replies: grounded.length, mean: grounded.reduce((sum, value) => sum + value, 0) / grounded.length },
    medianLatencyMs: latencies[Math.floor(latencies.length / 2)] ?? null,
    cost: costs.length === 0 ? null : costs.reduce((sum, value) => sum + value, 0),
    worst: looked
      .filter(({ signs }) => signs.length > 0)
      .toSorted((left, right) => weightOf(right.signs) - weightOf(left.signs))
      .slice(0, shownWorst)
      .map(({ scenario_id, attempt, turn, signs }) => ({
        scenario_id,
        attempt,
        turn: turn.turn_index + 1,
        signs: signs.map(({ text }) => text),
        reply: turn.agent_reply,
      })),
    checks: proposedChecks(scenarios),
  };
}

interface Sign {
  readonly name: string;
  /** With what shows it. */
  readonly text: string;
  readonly weight: number;
}

const weightOf = (signs: readonly Sign[]): number => signs.reduce((sum, { weight }) => sum + weight, 0);

function signsOf(turn: InteractionResult, isRepeated: boolean): Sign[] {
  const { agent_reply: reply, scores, score_reasons, finish_reason, user_message, reference_reply, tool_calls } = turn;
  const signs: Sign[] = [];
  const add = (name: string, weight: number, detail = ""): void =>
    void signs.push({ name, weight, text: detail === "" ? name : `${name}: ${detail}` });
  if (reply.trim() === "" && tool_calls.length === 0) add("empty", 5);
  if (finish_reason === "length" || finish_reason === "max_tokens") add("cut off at the length limit", 3);
  if (scores["claimed_actions"] === 0)
    add("says something was done that no call did", 5, score_reasons["claimed_actions"]);
  if ((scores["grounded_facts"] ?? 1) < 1) add("facts without a source", 4, score_reasons["grounded_facts"]);
  if (refusal.test(reply.slice(0, 300))) add("refuses", 2);
  if (repeatsItself(reply)) add("repeats itself", 3);
  if (isRepeated) add("the same reply to different messages", 2);
  const [asked, answered] = [languageOf(user_message), languageOf(reply)];
  if (asked !== null && answered !== null && asked !== answered)
    add(`answers in ${languages[answered]}, asked in ${languages[asked]}`, 3);
  if (isJson(reference_reply) && !isJson(reply)) add("not JSON, as the reference is", 3);
  return signs;
}

const refusal =
  /\b(?:i(?:'|’)?m sorry,? but|i can(?:'|’)?t (?:help|assist|do that|provide)|i cannot|i(?:'|’)?m (?:not able|unable) to|as an ai|ich kann (?:ihnen )?(?:dabei )?nicht|leider kann ich|je ne peux pas|désolé, mais|no puedo|lo siento, pero)\b/i;

/** True where one sentence stands three times. */
function repeatsItself(reply: string): boolean {
  const counts = new Map<string, number>();
  for (const sentence of reply.slice(0, 20_000).split(/[.!?\n]+/)) {
    const text = sentence.trim().toLowerCase();
    if (text.length < 12) continue;
    const count = (counts.get(text) ?? 0) + 1;
    if (count >= 3) return true;
    counts.set(text, count);
  }
  return false;
}

const languages = { en: "English", de: "German", fr: "French", es: "Spanish" } as const;
type Language = keyof typeof languages;

const commonWords: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set("the is are you your to of and for what when how can do does my it we with this that have".split(" ")),
  de: new Set(
    "der die das ist sind sie ihr ihre und für was wann wie kann ich mein es wir mit nicht ein eine".split(" "),
  ),
  fr: new Set(
    "le la les est sont vous votre et pour que quand comment puis je mon il nous avec ne pas un une des".split(" "),
  ),
  es: new Set("el los las es son usted su y para qué cuándo cómo puedo mi nosotros con no un una del está".split(" ")),
};

/** The language of a text by its commonest words; null where they do not tell. */
function languageOf(text: string): Language | null {
  const words =
    text
      .slice(0, 2_000)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const counts = (Object.keys(commonWords) as Language[])
    .map((language) => ({ language, count: words.filter((word) => commonWords[language].has(word)).length }))
    .toSorted((left, right) => right.count - left.count);
  const [first, second] = counts;
  return first && second && first.count >= 3 && first.count >= 2 * second.count ? first.language : null;
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Scenarios for which checks are proposed, and texts of each. */
const mostChecks = 3;
const mostTexts = 4;

/** Numbers, dates, codes and names of references: a right reply in other words still has them. */
function proposedChecks(scenarios: readonly ScenarioResult[]): FirstLook["checks"] {
  return scenarios
    .flatMap(({ scenario_id, attempts }) =>
      (attempts[0]?.interactions ?? []).map(({ id, reference_reply }) => ({
        scenario_id,
        interaction_id: id,
        texts: tellingTexts(reference_reply),
      })),
    )
    .filter(({ texts }) => texts.length > 0)
    .slice(0, mostChecks);
}

function tellingTexts(reference: string): string[] {
  const text = reference.slice(0, 5_000);
  const words = text.trim().split(/\s+/u);
  if (text.trim() !== "" && words.length <= 3) return [text.trim().replace(/[.!]$/, "")];
  const facts = findFacts(text)
    .filter(({ minor }) => !minor)
    .map(({ start, end }) => text.slice(start, end));
  // A capital inside a sentence is a name, except in German, where nouns have one.
  const names =
    languageOf(text) === "de"
      ? []
      : [...text.matchAll(/(?<=[\p{Ll},] )\p{Lu}\p{L}{2,}(?: \p{Lu}\p{L}{2,}){0,3}/gu)].map(([name]) => name);
  return [...new Set([...facts, ...names])].slice(0, mostTexts);
}
