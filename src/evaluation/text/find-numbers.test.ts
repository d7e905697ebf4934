import { expect, test } from "vitest";
import { findNumbers } from "./find-numbers.ts";

test.each<[string, number[]]>([
  ["It costs $1,234.50 or 3.5% of −7", [1234.5, 3.5, -7]],
  ["1 000 000 and 1e5", [1_000_000, 100_000]],
  ["₹1,25,000 and ₹12,34,567.50", [125_000, 1_234_567.5]],
  ["on A4 paper, order_5, v2", []],
  ["v2.5, v2.0.1 and order_5.7 cost 7", [7]],
  ["GPT-4.5 in Q3. 5 people. 第2.5章", [4.5, 5, 2.5]],
  ["退款金额为500元，共3件", [500, 3]],
  ["コーヒー3杯で1,200円", [3, 1200]],
  ["약 15일, 총5개", [15, 5]],
  ["ใช้เวลา5วัน", [5]],
  ["خلال ١٥ يومًا مقابل ١٬٢٣٤٫٥", [15, 1234.5]],
  ["١٠٠ و50 دولارًا، بـ٢٥ أو ل7 أيام", [100, 50, 25, 7]],
  ["ב50 שקלים תוך ו-3 ימים", [50, 3]],
  ["በ5 ቀናት ለ200 ብር", [5, 200]],
  ["१२३ रुपये", [123]],
  ["５００円", [500]],
  ["12,50 € statt 1.234,56 €, 3,5 %, 3,14159", [12.5, 1234.56, 3.5, 3.14159]],
  ["1 234,5 km, 0,125 l, 1.234.567 Einwohner", [1234.5, 0.125, 1_234_567]],
  ["CHF 1'234.50 or 1’234’567", [1234.5, 1_234_567]],
  ["steps 1,2,3 and 10, 20", [1, 2, 3, 10, 20]],
  ["1,500 and 1.500 and 5'11", [1500, 1.5, 5, 11]],
  ["-12,5 °C, 2024-05-01, 10:30, 5-10", [-12.5, 2024, 5, 1, 10, 30, 5, 10]],
  ["5½ hours, 10² steps", [5.5, 10, 2]],
  ["½ cup, 2 ¾ cups, -1½ °C, a ⅝ inch pipe, 1/2", [0.5, 2.75, -1.5, 0.625, 1, 2]],
  ["balance -$50.25, +€3, $10-$20, US-$7, −£1,000", [-50.25, 3, 10, 20, 7, -1000]],
  ["wait...5 days… 6, …7, a ratio of .8", [5, 6, 7, 0.8]],
  ["2½ 3⅓", [2.5, 3 + 1 / 3]],
])("the numbers of %j are %j", (text, numbers) => {
  expect(findNumbers(text)).toEqual(numbers);
});

// Tried as the start of one number up to the end of the text, each would keep the processor busy for hours.
test.each([",22", ".222", "'222", " 222", ",222", ".222,"])(
  "a hundred thousand of %j are read in good time",
  (piece) => {
    expect(findNumbers(`1${piece.repeat(100_000)}.2222`).length).toBeGreaterThan(10_000);
  },
);
