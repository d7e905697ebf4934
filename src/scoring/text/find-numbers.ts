import { normalizeNfkc } from "../../base/text.ts";
import { separateFractions } from "./tokenize.ts";

const lettersOf = (...scripts: readonly string[]): string =>
  scripts.map((script) => `\\p{Script_Extensions=${script}}`).join("");
/** Scripts that often write no spaces around numbers: in 共500元 the letter and the number are separate words. */
const unspaced = lettersOf("Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar");
/** Scripts that prefix words like "and" and "for", also with a hyphen, which is then no minus: و50, ב50, ב-50. */
const joining = lettersOf("Arabic", "Hebrew", "Ethiopic");
const letter = `(?![${unspaced}${joining}])\\p{L}`;
/** Neither inside a word nor after its dots: v2.5.1 has no number. */
const notInWord = `(?<![\\p{N}_]|${letter})(?<!(?:_|${letter})(?:\\p{Nd}{1,9}\\.){1,4})`;
const spaces = String.raw` \u00a0\u202f`;
// Bounded repetition: otherwise every number of a long list would be tried as the start of all that follow.
const thousands = String.raw`\d{1,3}(?:[,'’${spaces}]\d{3}){1,8}(?!\d)(?:\.\d+)?`;
const lakhs = String.raw`\d{1,2}(?:,\d{2}){1,8},\d{3}(?!\d)(?:\.\d+)?`;
/**
 * Decimal commas, as in most of Europe and South America. A comma before exactly three digits separates thousands (1,500 is 1500)
 * unless too many digits precede it: 1234,567 has a fraction. So does a dot beside money without thousandths: 1.500 € is 1500.
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
/** ½ and 5½ after NFKC, which uses the fraction slash. */
const fraction = String.raw`(?:\d{1,3} )?\d{1,3}⁄\d{1,3}(?!\d)`;
/** At most one dot: dates like 12.10.2024 and sections like 4.2.1 are several numbers, as 2024-10-12 is. */
const decimal = String.raw`\d+(?:(?<!\d\.\d{1,9})\.\d+(?!\.?\d))?`;
const pattern = new RegExp(
  String.raw`${notInWord}(?:(?<![${joining}])[-−+]\p{Sc}?)?(?:(?<fraction>${fraction})|(?<comma>(?:${withComma})(?![.,]?\d))|(?:${thousands}|${lakhs}|${decimal}|(?<!\.)\.\d+)(?:[eE][-+]?\d+)?)`,
  "gu",
);
/** Characters outside printable ASCII may turn into digits under NFKC. */
const wordsOnly = /^[\t\n\r -/:-~]*$/;
const ascii = /^[\t\n\r -~]*$/;
const digitsOfOtherScripts = /(?![0-9])\p{Nd}/gu;

/**
 * The numbers in a text, in order: `$1,234.50` and `1.234,50 €` are 1234.5, `-$5` is -5, `3,5 %` is 3.5, `₹1,25,000` is 125000,
 * `١٥` is 15, `5½` is 5.5. Digits inside a word (`A4`, `v2.5`) are ignored.
 */
export function findNumbers(text: string): number[] {
  return readNumbers(text).map(({ value }) => value);
}

/**
 * The numbers in a text as strings that are equal for equal numbers. Numbers beyond double precision keep all their digits:
 * tracking numbers may differ in the last of twenty.
 */
export function findNumberTexts(text: string): string[] {
  return readNumbers(text).map(({ value, digits }) =>
    Number.isSafeInteger(Math.trunc(value)) || digits === undefined ? String(value) : digits,
  );
}

interface ReadNumber {
  readonly value: number;
  /** Undefined for fractions and scientific notation. */
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
    normalizeNfkc(separateFractions(text))
      .replace(digitsOfOtherScripts, toAsciiDigit)
      // The separators of Arabic numbers.
      .replaceAll("٫", ".")
      .replaceAll("٬", ",")
  );
}

/** The ten digits of a script are consecutive code points. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}
