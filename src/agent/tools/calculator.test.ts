import fc from "fast-check";
import { expect, test } from "vitest";
import { calculator, evaluateArithmetic, formatNumber } from "./calculator.ts";
import { ToolError } from "./tool.ts";

const context = { signal: new AbortController().signal, now: () => 0 };

test("answers with text that the model can repeat", () => {
  expect(calculator().run({ expression: "0.1 + 0.2" }, context)).toBe("0.3");
  expect(calculator().run({ expression: "(3 + 4) * 6" }, context)).toBe("42");
});

test("rejects an invalid expression with the reason", () => {
  expect(() => calculator().run({ expression: "2 +" }, context)).toThrow("found the end of the expression");
});

test("requires the expression to be text", () => {
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
])("writes %d as %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test.each([
  ["1 + 2 * 3", 7],
  ["(1 + 2) * 3", 9],
  ["10 - 4 - 3", 3],
  ["100 / 10 / 5", 2],
  ["7 % 4 * 2", 6],
  ["-7 % 3", -1],
  ["2 ^ 3 ^ 2", 512],
  ["2 ** 10", 1024],
  ["-2^2", -4],
  ["(-2)^2", 4],
  ["2^-2", 0.25],
  ["2 * -3", -6],
  ["2--3", 5],
  ["+5", 5],
  [".5 + 5.", 5.5],
  ["1.5e3 + 2E-1", 1500.2],
  ["6 × 7 − 4 ÷ 2", 40],
  ["sqrt(16) + abs(-3)", 7],
  ["round(2.5) + round(-2.5)", 0],
  ["round(1.005, 2)", 1.01],
  ["round(1234, -2)", 1200],
  ["floor(-1.5) + ceil(1.2)", 0],
  ["min(3, 1, 2) + max(4)", 5],
  ["log(1000)", 3],
  ["log(8, 2)", 3],
  ["ln(e)", 1],
  ["exp(0) + sin(0) + cos(0) + tan(0)", 2],
  ["pow(2, 8)", 256],
  ["2 * PI", 2 * Math.PI],
  ["e^1", Math.E],
  ["\n 1\t+ 1 ", 2],
])("evaluates %j to %d", (text, value) => {
  expect(evaluateArithmetic(text)).toBeCloseTo(value, 12);
});

test.each([
  ["", "The expression is empty."],
  ["  ", "The expression is empty."],
  ["1 / 0", "Division by zero at position 3."],
  ["5 % (2 - 2)", "Division by zero at position 3."],
  ["0 ^ -1", "Division by zero at position 3."],
  ["9^999", "The result at position 2 is too large."],
  ["1e999", "The result at position 1 is too large."],
  ["exp(1000)", "The result at position 1 is too large."],
  ["1 + sqrt(-1)", "The result at position 5 is not a real number."],
  ["log(0)", "The result at position 1 is not a real number."],
  ["(-8)^(1/3)", "The result at position 5 is not a real number."],
  ["2 +", "Expected a number but found the end of the expression."],
  ["2 * ) 3", 'Expected a number but found ")" at position 5.'],
  ["(1 + 2", 'Expected ")" but found the end of the expression.'],
  ["1 2", 'Expected an operator but found "2" at position 3.'],
  ["2e", 'Expected an operator but found "e" at position 2.'],
  ["1,000", 'Expected an operator but found "," at position 2.'],
  ["1.2.3", 'Expected an operator but found ".3" at position 4.'],
  ["1 + $5", '"$" at position 5 is not part of an expression.'],
  ["2 + 😀", '"😀" at position 5 is not part of an expression.'],
  ["sqrt 4", 'Expected "(" but found "4" at position 6.'],
  ["sqrt()", '"sqrt" at position 1 takes 1 value, not 0.'],
  ["pow(2)", '"pow" at position 1 takes 2 values, not 1.'],
  ["round(1, 2, 3)", '"round" at position 1 takes 1 or 2 values, not 3.'],
  ["max()", '"max" at position 1 takes 1 or more values, not 0.'],
])("refuses %j: %s", (text, message) => {
  expect(() => evaluateArithmetic(text)).toThrow(message);
});

test.each(["process.exit(1)", "constructor", "__proto__(1)", "toString()"])(
  "gives %j no access to the runtime",
  (text) => {
    expect(() => evaluateArithmetic(text)).toThrow(/Unknown name|not part of an expression/);
  },
);

test("limits length and depth", () => {
  expect(() => evaluateArithmetic("1+".repeat(600))).toThrow("longer than 1000 characters");
  expect(() => evaluateArithmetic("(".repeat(400) + "1" + ")".repeat(400))).toThrow("nested deeper than 64 levels");
  expect(() => evaluateArithmetic(`${"-".repeat(400)}1`)).toThrow("nested deeper than 64 levels");
  expect(() => evaluateArithmetic(`${"1^".repeat(400)}1`)).toThrow("nested deeper than 64 levels");
});

function kindOfAnswer(text: string): string {
  try {
    return Number.isFinite(evaluateArithmetic(text)) ? "finite" : "not finite";
  } catch (error) {
    return error instanceof ToolError ? "refused" : "broken";
  }
}

test("gives a finite number or a ToolError for any text", () => {
  const piece = fc.constantFrom(..."1 .5 2e3 + - * / % ^ ( ) , min e ln ?".split(" "), " ");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      expect(["finite", "refused"]).toContain(kindOfAnswer(pieces.join("")));
    }),
    { numRuns: 500 },
  );
});

test("agrees with JavaScript on sums and products", () => {
  const number = fc.integer({ min: 1, max: 999 });
  fc.assert(
    fc.property(number, number, number, number, (a, b, c, d) => {
      expect(evaluateArithmetic(`${a}-${b}*${c}/${d}+${a}`)).toBe(a - (b * c) / d + a);
    }),
  );
});
