import { expect, test } from "vitest";
import { formatFigure, formatPValue, roundApartFrom } from "./numbers.ts";

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
])("formats %d as %s", (value, text) => {
  expect(formatFigure(value)).toBe(text);
});

test.each([
  [0.0312, "0.031"],
  [0.0004, "<0.001"],
  [0.04962, "0.0496"],
  [0.04999, "0.049990"],
  [0.05, "0.050"],
  [0.0502, "0.050"],
])("formats a p-value of %d as %s, on its own side of alpha", (p, text) => {
  expect(formatPValue(p)).toBe(text);
});

test("keeps a figure that just missed its bound distinct from it", () => {
  expect(roundApartFrom(0.79996, 0.8)).toBe(0.79996);
  expect(roundApartFrom(0.7999999, 0.8)).toBe(0.7999999);
  expect(roundApartFrom(1 / 100_000, 0)).toBe(0.00001);
  expect(roundApartFrom(0.712345, 0.8)).toBe(0.712);
  expect(roundApartFrom(0.99967, 0.8)).toBe(0.9997);
  expect(roundApartFrom(0.8 - 1e-14, 0.8)).toBe(0.8);
});
