import { expect, test } from "vitest";
import { findNumbers } from "./find-numbers.ts";

test.each<[string, number[]]>([
  ["It costs $1,234.50 or 3.5% of −7", [1234.5, 3.5, -7]],
  ["1 000 000 and 1e5", [1_000_000, 100_000]],
  ["₹1,25,000 and ₹12,34,567.50", [125_000, 1_234_567.5]],
  ["on A4 paper, order_5, v2", []],
  ["退款金额为500元，共3件", [500, 3]],
  ["コーヒー3杯で1,200円", [3, 1200]],
  ["약 15일, 총5개", [15, 5]],
  ["ใช้เวลา5วัน", [5]],
  ["خلال ١٥ يومًا مقابل ١٬٢٣٤٫٥", [15, 1234.5]],
  ["१२३ रुपये", [123]],
  ["５００円", [500]],
  ["5½ hours, 10² steps", [5, 1, 2, 10, 2]],
])("the numbers of %j are %j", (text, numbers) => {
  expect(findNumbers(text)).toEqual(numbers);
});
