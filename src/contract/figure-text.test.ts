import { expect, test } from "vitest";
import { figureText } from "./figure-text.ts";
import { pDigits } from "./p-digits.ts";

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
