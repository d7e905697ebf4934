import { expect, test } from "vitest";
import { moneyText } from "./money-text.ts";

test.each([
  [0.2, "$0.20"],
  [12.34, "$12"],
  [99.6, "$100"],
  [1_234, "$1,200"],
  [0.000_000_5, "$0.00000050"],
])("%d dollars are %s", (dollars, text) => {
  expect(moneyText(dollars)).toBe(text);
});
