import fc from "fast-check";
import { expect, test } from "vitest";
import { normalize, segmentTokens, tokenize } from "./tokenize.ts";

test("removes punctuation, case and extra white space", () => {
  expect(tokenize("  Hello,\tWORLD!  It's 3.14 or 1,000. ")).toEqual(["hello", "world", "it's", "3.14", "or", "1,000"]);
});

test("unifies compatibility forms", () => {
  expect(tokenize("Ｆｕｌｌ ﬁne①")).toEqual(["full", "fine1"]);
});

test("splits languages without spaces into words", () => {
  expect(tokenize("你好世界")).toEqual(["你好", "世界"]);
  expect(tokenize("สวัสดีครับ")).toEqual(["สวัสดี", "ครับ"]);
  expect(tokenize("เขาทำงานที่สำนักงาน")).toEqual(["เขา", "ทำงาน", "ที่", "สำนักงาน"]);
  expect(tokenize("ຄຳຕອບ")).toEqual(["ຄຳ", "ຕອບ"]);
});

test("an emoji is one token with its skin tone and joined parts", () => {
  expect(tokenize("ok 👍🏽👎 👩‍💻 🇩🇪🇫🇷")).toEqual(["ok", "👍🏽", "👎", "👩‍💻", "🇩🇪", "🇫🇷"]);
});

test("text and emoji presentation of a sign are one token", () => {
  expect(tokenize("❤️")).toEqual(tokenize("❤"));
});

test("keeps the characters of a text of signs only", () => {
  expect(tokenize("?!")).toEqual(["?", "!"]);
  expect(tokenize("→")).not.toEqual(tokenize("←"));
  expect(tokenize(" \n\t ")).toEqual([]);
});

test("tokenizes ASCII like Intl.Segmenter", () => {
  const unit = fc.oneof(
    fc.constantFrom(..."ab1_.,;:'\" -"),
    fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const expected = segmentTokens(normalize(text));
      fc.pre(expected.length > 0);
      expect(tokenize(text)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

test("a word of millions of parts is one word", () => {
  const word = "a.".repeat(4_000_000);
  expect(tokenize(`One ${word}`)).toEqual(["one", word.slice(0, -1)]);
});

test("tokenizes any text, even with lone surrogates", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(tokenize(text).every((token) => token.length > 0)).toBe(true);
    }),
  );
  expect(tokenize("a\ud800b")).toHaveLength(2);
});

test("expands a ligature that stands for a sentence, but not a book of them", () => {
  expect(normalize("ﷺ")).toBe("صلى الله عليه وسلم");
  expect(normalize("ﷺ".repeat(100_000))).toHaveLength(100_000);
  expect(normalize("ａ".repeat(300_000))).toBe("a".repeat(300_000));
});

test.each([
  ["24\u{2011}hour", "24-hour", "a hyphen that does not break"],
  ["5–10 days", "5-10 days", "the dash of a range"],
  ["−5 °C", "-5 °C", "a minus sign"],
  ["„Hallo“ ‚Welt‘", "\"Hallo\" 'Welt'", "low quotes"],
  ["re\u{AD}fund", "refund", "a soft hyphen"],
  ["שלום\u{200F} עולם", "שלום עולם", "a mark of direction"],
  ["\u{2066}refund\u{2069}", "refund", "isolates"],
  ["re\u{200B}fund\u{2060}ed\u{FEFF}", "refunded", "what has no width"],
  ["❤\u{FE0F} 葛\u{E0100}", "❤ 葛", "how a sign looks"],
  ["น\u{E4D}\u{E49}\u{E32}", "น\u{E49}\u{E33}", "a Thai vowel in two signs, the tone between them"],
  ["ນ\u{ECD}\u{EC9}\u{EB2}", "ນ\u{EC9}\u{EB3}", "a Lao one"],
  ["İADE EDİLDİ", "iade edildi", "a capital i with its dot"],
  ["5½ cups", "5 1/2 cups", "a fraction behind a number"],
])("%j is %j: %s", (text, plain) => {
  expect(normalize(text)).toBe(normalize(plain));
  expect(tokenize(text)).toEqual(tokenize(plain));
});

test.each([
  ["10² m", "102 m"],
  ["می\u{200C}خواهم", "میخواهم"],
  ["👩\u{200D}💻", "👩💻"],
  ["well—no", "well-no"],
  ["👍🏽", "👍"],
])("%j is not %j", (text, other) => {
  expect(normalize(text)).not.toBe(normalize(other));
});
