import { describe, expect, it } from "vitest";
import { compileExpected, hasMatchers, surveyExpected, type MatchContext } from "./matchers.ts";
import { createProbes } from "./probes.ts";

function contextOf(text: MatchContext["text"] = "exact"): MatchContext {
  const onFailure = (reason: string): void => {
    throw new Error(reason);
  };
  return { text, probes: createProbes().open(), onFailure };
}

const fits = (expected: unknown, actual: unknown, text?: MatchContext["text"]): boolean =>
  compileExpected(expected).test(actual, contextOf(text));

const why = (expected: unknown, actual: unknown, path = "arg"): string =>
  compileExpected(expected).explain(actual, path, contextOf());

describe("values", () => {
  it("ignore key order and the form of numbers", () => {
    expect(fits({ a: 1, b: [1, { c: null }] }, JSON.parse('{"b": [1.0, {"c": null}], "a": 1e0}'))).toBe(true);
  });

  it.each([
    [1, "1"],
    [true, 1],
    [null, undefined],
    [0, false],
    ["", undefined],
    [{}, []],
    [[], {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 1]],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ toString: 1 }, {}],
    [{ a: { b: 1 } }, { a: { b: 1, c: 1 } }],
  ])("%j is not %j", (expected, actual) => {
    expect(fits(expected, actual)).toBe(false);
  });

  it("names the path and both values", () => {
    expect(why("1042", "1043")).toBe('arg is "1043", expected "1042"');
    expect(why("1042", undefined)).toBe('arg is missing, expected "1042"');
    expect(why(5, "5")).toBe('arg is "5", expected 5');
    expect(why({ items: [{ sku: "a" }, { sku: "b" }] }, { items: [{ sku: "a" }, { sku: "c" }] })).toBe(
      'arg.items[1].sku is "c", expected "b"',
    );
    expect(why([1, 2], [1])).toBe("arg has 1 items, expected 2");
    expect(why({ a: 1 }, { a: 1, "b c": 2 })).toBe('arg."b c" is not expected');
  });
});

describe("texts", () => {
  it.each([
    ["New York", "new york", "loose"],
    ["New York, NY", "new-york ny", "loose"],
    ["2024-05-12", "2024/05/12", "loose"],
    ["1,000", "1000", "loose"],
    ["don’t", "Don't", "loose"],
  ] as const)("%j and %j are loosely equal", (one, other, mode) => {
    expect(fits(one, other, mode)).toBe(true);
    expect(fits(one, other)).toBe(false);
  });

  it.each([
    ["1.5", "15"],
    ["-5", "5"],
    ["+", "-"],
    ["", "."],
    ["yes", "no"],
  ])("%j and %j are different even loosely", (one, other) => {
    expect(fits(one, other, "loose")).toBe(false);
  });

  it("$text ignores case and white space, but not punctuation unless texts are loose", () => {
    expect(fits({ $text: "New York" }, " NEW\nyork")).toBe(true);
    expect(fits({ $text: "New York" }, "New-York")).toBe(false);
    expect(fits({ $text: "New York" }, "New-York", "loose")).toBe(true);
    expect(fits({ $text: "5" }, 5)).toBe(false);
  });
});

describe("matchers", () => {
  it.each([
    [{ $any: true }, null, true],
    [{ $any: true }, undefined, false],
    [{ $absent: true }, undefined, true],
    [{ $absent: true }, null, false],
    [{ $one_of: ["a", { $number: { value: 1, tolerance: 0.5 } }] }, 1.4, true],
    [{ $one_of: ["a", { $absent: true }] }, undefined, true],
    [{ $one_of: ["a", "b"] }, "c", false],
    [{ $one_of: [[1, 2], { a: "x" }] }, { a: "x" }, true],
    [{ $regex: "^1\\d{3}$" }, "1042", true],
    [{ $regex: "^1\\d{3}$" }, "1042\n1043", false],
    [{ $regex: "04" }, "1042", true],
    [{ $regex: "^1" }, 1042, false],
    [{ $number: { value: 1, tolerance: 0.1 } }, 1.1, true],
    [{ $number: { value: 1, tolerance: 0.1 } }, 1.2, false],
    [{ $number: { value: 1 } }, 1, true],
    [{ $number: { value: 1 } }, "1", false],
    [{ $contains: "refund" }, "no refunds", true],
    [{ $contains: "Refund" }, "no refunds", false],
    [{ $contains: 2 }, [1, 2], true],
    [{ $contains: [{ $regex: "^b" }, 1] }, [1, "bc"], true],
    [{ $contains: [3] }, [1, 2], false],
    [{ $contains: { a: 1 } }, { a: 1, b: 2 }, true],
    [{ $contains: { a: 2 } }, { a: 1, b: 2 }, false],
    [{ $contains: { a: 1 } }, [{ a: 2 }, { a: 1, b: 2 }], true],
    [{ $contains: { a: 1 } }, [{ a: 2 }, { b: 1 }, 1], false],
    [{ $schema: { type: "array", items: { type: "string" }, minItems: 1 } }, ["a"], true],
    [{ $schema: { type: "array", items: { type: "string" }, minItems: 1 } }, [], false],
    [{ $literal: { $any: true } }, { $any: true }, true],
    [{ $literal: { $any: true } }, 5, false],
    [{ items: [{ $any: true }, { qty: { $one_of: [1, 2] } }] }, { items: ["x", { qty: 2 }] }, true],
    [{ note: { $one_of: ["hi", { $absent: true }] }, id: 1 }, { id: 1 }, true],
  ])("%j against %j: %s", (expected, actual, result) => {
    expect(fits(expected, actual)).toBe(result);
  });

  it("say what they expect", () => {
    expect(why({ $one_of: ["a", { $absent: true }] }, "c")).toBe('arg is "c", expected one of "a", no value');
    expect(why({ $regex: "^1" }, "2")).toBe('arg is "2", expected a text that matches "^1"');
    expect(why({ $number: { value: 5, tolerance: 1 } }, 7)).toBe("arg is 7, expected 5 ± 1");
    expect(why({ $schema: { type: "object", required: ["id"] } }, {})).toBe(
      "arg is {}, expected a value that fits the schema: it must have required property 'id'",
    );
    expect(why({ $contains: ["a", "b"] }, ["a"])).toBe('arg does not contain "b"');
    expect(why({ $contains: { id: 1 } }, [{ id: 2 }])).toBe('arg does not contain {"id":1}');
  });
});

it("finds malformed matchers with their place, and the patterns and schemas to compile", () => {
  const { problems, probes } = surveyExpected({
    a: { $regexp: "x" },
    b: [{ $any: false }, { $one_of: [] }],
    c: { $regex: "x", flags: "i" },
    d: { $number: { value: 1, tolerance: -1 } },
    e: { $literal: { $regexp: "x" } },
    f: { $one_of: [{ $regex: "ok" }, { $schema: { type: "string" } }, { $text: 5 }] },
  });
  expect(problems.map(({ path, code }) => [path.join("/"), code])).toEqual([
    ["a/$regexp", "unknown_matcher"],
    ["b/0/$any", "invalid_matcher"],
    ["b/1/$one_of", "invalid_matcher"],
    ["c/$regex", "invalid_matcher"],
    ["d/$number", "invalid_matcher"],
    ["f/$one_of/2/$text", "invalid_matcher"],
  ]);
  expect(problems[0]?.message).toContain("did you mean $regex?");
  expect(probes.map(({ path }) => path.join("/"))).toEqual(["f/$one_of/0/$regex", "f/$one_of/1/$schema"]);
  expect(hasMatchers({ a: [{ b: { $any: true } }] })).toBe(true);
  expect(hasMatchers({ a: [{ b: 1 }] })).toBe(false);
});

it("compares long lists of values without comparing each with each", () => {
  const numbers = Array.from({ length: 50_000 }, (_, index) => index);
  const texts = numbers.map((number) => `Text ${number}!`);
  const objects = numbers.map((id) => ({ id, tags: ["a", { b: null }] }));
  for (const list of [numbers, texts, objects]) {
    expect(fits({ $contains: list.toReversed() }, list)).toBe(true);
    expect(fits({ $contains: [...list, "other"] }, list)).toBe(false);
    expect(fits({ $contains: [...list, { $regex: "^x" }] }, list)).toBe(false);
    expect(fits({ $contains: list.map((value) => ({ $one_of: [value, "other"] })).slice(0, 20) }, list)).toBe(true);
    expect(fits({ $one_of: list }, list.at(-1))).toBe(true);
    expect(fits({ $one_of: list }, "other")).toBe(false);
  }
  const shouted = texts.map((text) => text.toUpperCase());
  expect(fits({ $contains: shouted }, texts)).toBe(false);
  expect(fits({ $contains: shouted }, texts, "loose")).toBe(true);
  expect(fits({ $one_of: shouted }, "text 7", "loose")).toBe(true);
  expect(fits({ $contains: [{ id: "1" }, ...objects] }, objects)).toBe(false);
  expect(why({ $contains: [...numbers, "other", "more"] }, numbers)).toBe('arg does not contain "other"');
  expect(why({ $contains: numbers }, 1)).toBe("arg is 1, expected a list that contains 0, 1, 2, 3, 4 and 49995 more");
});
