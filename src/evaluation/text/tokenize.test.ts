import fc from "fast-check";
import { expect, test } from "vitest";
import { normalize } from "./normalize.ts";
import { segmentTokens, tokenize } from "./tokenize.ts";

test("words come without punctuation, case or extra white space", () => {
  expect(tokenize("  Hello,\tWORLD!  It's 3.14 or 1,000. ")).toEqual(["hello", "world", "it's", "3.14", "or", "1,000"]);
});

test("compatibility forms are unified", () => {
  expect(tokenize("Ｆｕｌｌ ﬁne①")).toEqual(["full", "fine1"]);
});

test("languages without spaces are split into words", () => {
  expect(tokenize("你好世界")).toEqual(["你好", "世界"]);
  expect(tokenize("สวัสดีครับ")).toEqual(["สวัสดี", "ครับ"]);
  expect(tokenize("เขาทำงานที่สำนักงาน")).toEqual(["เขา", "ทำงาน", "ที่", "สำนักงาน"]);
  expect(tokenize("ຄຳຕອບ")).toEqual(["ຄຳ", "ຕອບ"]);
});

test("an emoji is one token with its skin tone and joined parts", () => {
  expect(tokenize("ok 👍🏽👎 👩‍💻 🇩🇪🇫🇷")).toEqual(["ok", "👍🏽", "👎", "👩‍💻", "🇩🇪", "🇫🇷"]);
});

test("text and emoji presentation of a sign are the same token", () => {
  expect(tokenize("❤️")).toEqual(tokenize("❤"));
});

test("a text of signs alone keeps them apart", () => {
  expect(tokenize("?!")).toEqual(["?", "!"]);
  expect(tokenize("→")).not.toEqual(tokenize("←"));
  expect(tokenize(" \n\t ")).toEqual([]);
});

test("the quick way for plain text gives the tokens of Intl.Segmenter", () => {
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

test("a word of millions of parts is one word all the same", () => {
  const word = "a.".repeat(4_000_000);
  expect(tokenize(`One ${word}`)).toEqual(["one", word.slice(0, -1)]);
});

test("any text at all is tokenized without an exception, also with lone surrogates", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(tokenize(text).every((token) => token.length > 0)).toBe(true);
    }),
  );
  expect(tokenize("a\ud800b")).toHaveLength(2);
});

test("a letter that stands for a sentence is one, and a book of nothing else is left as it is", () => {
  expect(normalize("ﷺ")).toBe("صلى الله عليه وسلم");
  expect(normalize("ﷺ".repeat(100_000))).toHaveLength(100_000);
  expect(normalize("ａ".repeat(300_000))).toBe("a".repeat(300_000));
});
