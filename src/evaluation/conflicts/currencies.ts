import type { PreparedText } from "../text/prepare-text.ts";

/** What one sign stands for: its words, and the codes of the currencies it may be. */
const kinds: Readonly<Record<string, { words: string; codes: string }>> = {
  "€": { words: "euro euros", codes: "eur" },
  "£": { words: "pound pounds sterling", codes: "gbp" },
  $: { words: "dollar dollars", codes: "usd cad aud nzd sgd hkd" },
  "¥": { words: "yen yuan renminbi", codes: "jpy cny rmb" },
  "₹": { words: "rupee rupees", codes: "inr" },
  francs: { words: "franc francs", codes: "chf" },
};

const byCode = tableOf(({ codes }) => codes);
const byWord = tableOf(({ words }) => words);
/** Adjectives that tell which of the dollars, or that stand in for a code. */
const nations: ReadonlyMap<string, string> = new Map([
  ["us", "usd"],
  ["american", "usd"],
  ["canadian", "cad"],
  ["australian", "aud"],
]);
const names = [...byWord.keys(), ...byCode.keys()];
const anyCode = [...byCode.keys()].join("|");
const anyWord = [...byWord.keys()].join("|");
/** A code counts beside a number alone: CAD and the like are other things too. */
const mention = new RegExp(
  String.raw`(?<sign>\p{Sc})|\b(?<before>${anyCode}) ?(?=\d)|(?<=\d ?)(?<behind>${anyCode})\b|\b(?:(?<nation>${[...nations.keys()].join("|")}) )?(?<word>${anyWord})\b`,
  "gu",
);

const signOrDigit = /[\p{Sc}\d]/u;
/** What is no word of its own: $25, 25eur. */
const signOrJoinedCode = new RegExp(String.raw`\p{Sc}|\d(?:${anyCode})|(?:${anyCode})\d`, "u");

interface Mention {
  readonly kind: string;
  /** Which currency of that kind, where it is told. */
  readonly code: string | undefined;
}

/**
 * The currencies of each of two texts, as signs; as codes where both say which dollar or yen they mean. "25 USD", "$25" and "25 dollars"
 * are the same money, "25 CAD" is the same as "$25" but another than "25 USD".
 */
export function currenciesOf(one: PreparedText, other: PreparedText): readonly [string[], string[]] {
  const [ours, theirs] = [mentionsIn(one), mentionsIn(other)];
  const vague = new Set([...ours, ...theirs].filter(({ code }) => code === undefined).map(({ kind }) => kind));
  const named = ({ kind, code }: Mention): string =>
    code === undefined || vague.has(kind) ? kind : code.toUpperCase();
  return [[...new Set(ours.map(named))], [...new Set(theirs.map(named))]];
}

function mentionsIn({ counts, normalized }: PreparedText): Mention[] {
  const isJoined = (): boolean => signOrDigit.test(normalized) && signOrJoinedCode.test(normalized);
  if (!names.some((word) => counts.has(word)) && !isJoined()) return [];
  return Array.from(normalized.matchAll(mention), ({ groups = {} }) => {
    const { sign, before, behind, nation, word } = groups;
    const code = before ?? behind;
    if (code !== undefined) return { kind: byCode.get(code) ?? code, code };
    const kind = sign ?? byWord.get(word ?? "") ?? "";
    return { kind, code: nation !== undefined && kind === "$" ? nations.get(nation) : undefined };
  });
}

function tableOf(wordsOf: (kind: { words: string; codes: string }) => string): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(kinds).flatMap(([kind, entry]) =>
      wordsOf(entry)
        .split(" ")
        .map((word) => [word, kind] as const),
    ),
  );
}
