import type { PreparedText } from "../../scoring/text/prepare-text.ts";

/** Currency sign → its words, and the codes it may stand for. */
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
/** Adjectives that identify a currency: "Canadian dollars". */
const nations: ReadonlyMap<string, string> = new Map([
  ["us", "usd"],
  ["american", "usd"],
  ["canadian", "cad"],
  ["australian", "aud"],
]);
const names = [...byWord.keys(), ...byCode.keys()];
const anyCode = [...byCode.keys()].join("|");
const anyWord = [...byWord.keys()].join("|");
/** A code counts only beside a number: CAD has other meanings. */
const mention = new RegExp(
  String.raw`(?<sign>\p{Sc})|\b(?<before>${anyCode}) ?(?=\d)|(?<=\d ?)(?<behind>${anyCode})\b|\b(?:(?<nation>${[...nations.keys()].join("|")}) )?(?<word>${anyWord})\b`,
  "gu",
);

const signOrDigit = /[\p{Sc}\d]/u;
/** Signs and codes that are not separate words: $25, 25eur. */
const signOrJoinedCode = new RegExp(String.raw`\p{Sc}|\d(?:${anyCode})|(?:${anyCode})\d`, "u");

interface Mention {
  readonly kind: string;
  /** Set when the text says which currency of that kind it means. */
  readonly code: string | undefined;
}

/**
 * The currencies of each text, as signs, or as codes where both texts are specific. "25 USD", "$25" and "25 dollars" agree; "25 CAD"
 * agrees with "$25" but not with "25 USD".
 */
export function currenciesOf(one: PreparedText, other: PreparedText): readonly [string[], string[]] {
  const [ours, theirs] = [mentionsIn(one), mentionsIn(other)];
  const unspecific = new Set([...ours, ...theirs].filter(({ code }) => code === undefined).map(({ kind }) => kind));
  const named = ({ kind, code }: Mention): string =>
    code === undefined || unspecific.has(kind) ? kind : code.toUpperCase();
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

/** One unit per line, in all its forms. A pound is a weight or money. */
const unitLines = `
seconds second secs sec
minutes minute mins min
hours hour hrs hr h
days day
weeks week
months month
years year
% percent
km kilometers kilometres kilometer kilometre
miles mile
kg kilograms kilogram kilos kilo
pounds pound lbs lb
dollars dollar euros euro pounds pound usd eur gbp
`;

/** Form → the units it may stand for, each named by its first form. */
const unitsOf = new Map<string, readonly string[]>();
for (const line of unitLines.trim().split("\n")) {
  const forms = line.split(" ");
  for (const form of forms) unitsOf.set(form, [...(unitsOf.get(form) ?? []), forms[0] ?? ""]);
}

const money = "dollars";
const anyForm = [...unitsOf.keys()].join("|");
const measured = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?:(?<sign>[$€£] ?)(?<price>\d+(?:\.\d+)?)(?![\d%])|(?<number>\d+(?:\.\d+)?)[ -]?(?:business |working |calendar )?(?<form>${anyForm})(?![\p{L}\d]))`,
  "gu",
);

/** Amounts with the same number but another unit in each text: 3 days against 3 weeks. */
export function mismatchedUnits(one: string, other: string): readonly [string[], string[]] {
  const [ours, theirs] = [measuredIn(one), measuredIn(other)];
  const isMismatched = ({ number, units }: MeasuredAmount, others: readonly MeasuredAmount[]): boolean => {
    const sameNumber = others.filter((entry) => entry.number === number);
    return sameNumber.length > 0 && sameNumber.every((entry) => !entry.units.some((unit) => units.includes(unit)));
  };
  return [
    ours.filter((entry) => isMismatched(entry, theirs)).map(({ text }) => text),
    theirs.filter((entry) => isMismatched(entry, ours)).map(({ text }) => text),
  ];
}

interface MeasuredAmount {
  readonly text: string;
  readonly number: string;
  readonly units: readonly string[];
}

function measuredIn(text: string): MeasuredAmount[] {
  if (!/\d/.test(text)) return [];
  return Array.from(text.matchAll(measured), ({ 0: found, groups = {} }) => {
    const { price, number = "", form = "" } = groups;
    return { text: found, number: price ?? number, units: price === undefined ? (unitsOf.get(form) ?? []) : [money] };
  });
}
