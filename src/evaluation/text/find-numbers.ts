import { compatibleText } from "../../base/text.ts";
import { parted } from "./normalize.ts";

const lettersOf = (...scripts: readonly string[]): string =>
  scripts.map((script) => `\\p{Script_Extensions=${script}}`).join("");
/** Scripts that write no spaces around numbers, or not always: in 共500元 the letter before is not part of one word with the number. */
const unspaced = lettersOf("Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar");
/** Scripts that join words like "and" and "for" to what follows, also by a hyphen, which is no minus then: و50, ב50, ב-50. */
const joining = lettersOf("Arabic", "Hebrew", "Ethiopic");
const letter = `(?![${unspaced}${joining}])\\p{L}`;
/** Nor what stands behind the points of such a word: v2.5.1 has no number. */
const notInWord = `(?<![\\p{N}_]|${letter})(?<!(?:_|${letter})(?:\\p{Nd}{1,9}\\.){1,4})`;
const spaces = String.raw` \u00a0\u202f`;
// As many groups as a number can tell apart: without an end, each number of a long list would be tried as the start of the rest.
const thousands = String.raw`\d{1,3}(?:[,'’${spaces}]\d{3}){1,8}(?!\d)(?:\.\d+)?`;
const lakhs = String.raw`\d{1,2}(?:,\d{2}){1,8},\d{3}(?!\d)(?:\.\d+)?`;
/**
 * As most of Europe and South America write it. A comma before three digits alone is taken for one of thousands (1,500 is 1500), unless too
 * many stand before it for that: 1234,567 has a fraction. So is a point beside such money, which has no thousandths: 1.500 € is 1500.
 */
const withComma = [
  String.raw`\d{1,3}(?:[.'’${spaces}]\d{3}){1,8},\d+`,
  String.raw`\d{1,3}(?:\.\d{3}){2,8}`,
  String.raw`(?<=(?:[€₫₺]|R\$)[${spaces}]?)[1-9]\d{0,2}\.\d{3}`,
  String.raw`[1-9]\d{0,2}\.\d{3}(?=[${spaces}]?(?:[€₫₺]|(?:EUR|[Ee]uros?)\b))`,
  String.raw`0,\d+`,
  String.raw`(?<!\d,)\d+,(?:\d{1,2}|\d{4,})`,
  String.raw`(?<!\d,)\d{4,},\d{3}`,
].join("|");
/** What NFKC makes of ½ and 5½: a slash that nothing but fractions has. */
const fraction = String.raw`(?:\d{1,3} )?\d{1,3}⁄\d{1,3}(?!\d)`;
/** With more points it is none: days like 12.10.2024 and places like 4.2.1 are numbers in a row, as 2024-10-12 is. */
const decimal = String.raw`\d+(?:(?<!\d\.\d{1,9})\.\d+(?!\.?\d))?`;
const pattern = new RegExp(
  String.raw`${notInWord}(?:(?<![${joining}])[-−+]\p{Sc}?)?(?:(?<fraction>${fraction})|(?<comma>(?:${withComma})(?![.,]?\d))|(?:${thousands}|${lakhs}|${decimal}|(?<!\.)\.\d+)(?:[eE][-+]?\d+)?)`,
  "gu",
);
/** Anything outside printable ASCII may turn into a digit under NFKC. */
const wordsOnly = /^[\t\n\r -/:-~]*$/;
const ascii = /^[\t\n\r -~]*$/;
const digitsOfOtherScripts = /(?![0-9])\p{Nd}/gu;

/**
 * The numbers a text holds, in order: `$1,234.50` is 1234.5, `1.234,50 €` too, `-$5` is -5, `3,5 %` is 3.5, `₹1,25,000` is 125000, `١٥` is 15, `5½` is
 * 5.5. Digits inside a word (`A4`, `v2.5`) are no numbers.
 */
export function findNumbers(text: string): number[] {
  return readNumbers(text).map(({ value }) => value);
}

/**
 * The same as texts, equal for equal numbers. One with more digits than a number can hold is told by its digits: those that track
 * parcels differ in the last of twenty.
 */
export function findNumberTexts(text: string): string[] {
  return readNumbers(text).map(({ value, digits }) =>
    Number.isSafeInteger(Math.trunc(value)) || digits === undefined ? String(value) : digits,
  );
}

interface ReadNumber {
  readonly value: number;
  /** Undefined where it was written as a fraction or by a power of ten. */
  readonly digits?: string | undefined;
}

function readNumbers(text: string): ReadNumber[] {
  if (wordsOnly.test(text)) return [];
  return [...toPlainDigits(text).matchAll(pattern)].map(toNumber).filter(({ value }) => Number.isFinite(value));
}

function toNumber({ 0: found, groups }: RegExpMatchArray): ReadNumber {
  const parts = groups?.["fraction"]?.split(/[ ⁄]/u);
  if (parts) return { value: (/^[-−]/u.test(found) ? -1 : 1) * toFraction(parts) };
  const grouping = groups?.["comma"] === undefined ? /[,'’ \u00a0\u202f\p{Sc}]/gu : /[.'’ \u00a0\u202f\p{Sc}]/gu;
  const plain = found.replace(grouping, "").replace(",", ".").replace("−", "-");
  return { value: Number(plain), digits: /e/i.test(plain) ? undefined : plain.replace(/^\+?(-?)0*(?=\d)/, "$1") };
}

function toFraction(parts: readonly string[]): number {
  const [under, over, whole = 0] = parts.map(Number).toReversed();
  return whole + (over as number) / (under as number);
}

function toPlainDigits(text: string): string {
  if (ascii.test(text)) return text;
  return (
    compatibleText(parted(text))
      .replace(digitsOfOtherScripts, toAsciiDigit)
      // The separators of Arabic numbers.
      .replaceAll("٫", ".")
      .replaceAll("٬", ",")
  );
}

/** Scripts have their ten digits in a row, so the place in the row is the value. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}
