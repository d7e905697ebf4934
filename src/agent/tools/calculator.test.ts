import { expect, test } from "vitest";
import { calculator, formatNumber } from "./calculator.ts";

const context = { signal: new AbortController().signal, now: () => 0 };

test("the answer is text the model can repeat", () => {
  expect(calculator().run({ expression: "0.1 + 0.2" }, context)).toBe("0.3");
  expect(calculator().run({ expression: "(3 + 4) * 6" }, context)).toBe("42");
});

test("bad expressions reject with their reason", () => {
  expect(() => calculator().run({ expression: "2 +" }, context)).toThrow("found the end of the expression");
});

test("the expression must be text", () => {
  expect(calculator().check({ expression: 4 })).toBe("/expression must be string");
  expect(calculator().check({})).toContain("required property 'expression'");
});

test.each([
  [-0, "0"],
  [1 / 3, "0.333333333333333"],
  [9_007_199_254_740_991, "9007199254740991"],
  [2 ** 64, "1.84467440737096e+19"],
  [1e21, "1e+21"],
  [-1.5e300, "-1.5e+300"],
  [1e-9, "1e-9"],
  [1234.5, "1234.5"],
])("%d is written %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});
