import { expect, test } from "vitest";
import { figureText, pDigits, tellApart } from "./numbers.ts";

test.each([
  [0.8136, "0.814"],
  [0, "0.000"],
  [1, "1.000"],
  [1 - 1e-12, "1.000"],
  [2999 / 3000, "0.9997"],
  [0.9995, "0.9995"],
  [0.9994, "0.999"],
  [0.0003, "0.0003"],
  [0.00002, "0.00002"],
  [0.5 - 0.4999, "0.0001"],
  [-0.0004, "-0.0004"],
])("%d is shown as %s", (value, text) => {
  expect(figureText(value)).toBe(text);
});

test.each([
  [0.0312, "0.031"],
  [0.0004, "<0.001"],
  [0.04962, "0.0496"],
  [0.04999, "0.049990"],
  [0.05, "0.050"],
  [0.0502, "0.050"],
])("a p of %d is shown as %s, on the side of the level where it lies", (p, text) => {
  expect(pDigits(p)).toBe(text);
});

test("a figure that just missed its bound is told from it", () => {
  expect(tellApart(0.79996, 0.8)).toBe(0.79996);
  expect(tellApart(0.7999999, 0.8)).toBe(0.7999999);
  expect(tellApart(1 / 100_000, 0)).toBe(0.00001);
  expect(tellApart(0.712345, 0.8)).toBe(0.7123);
  expect(tellApart(0.8 - 1e-14, 0.8)).toBe(0.8);
});
