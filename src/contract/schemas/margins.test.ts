import { expect, test } from "vitest";
import { marginsText, NotWorseBy, parseMargins } from "./margins.ts";

test("reads one margin, or one for each measure", () => {
  expect(parseMargins("0.02")).toEqual({ overall: 0.02 });
  expect(parseMargins(" 2 % ")).toEqual({ overall: 0.02 });
  const several = parseMargins("overall=0.02, success=5%,latency_ms=150%,metadata.the intent=.1");
  expect(several).toEqual({ overall: 0.02, success: 0.05, latency_ms: 1.5, "metadata.the intent": 0.1 });
  expect(marginsText({ overall: 0.02 })).toBe("0.02");
  expect(parseMargins(marginsText(several as Record<string, number>))).toEqual(several);
});

test.each([
  ["", '"" cannot be read'],
  ["overall", '"overall" cannot be read'],
  ["-0.1", '"-0.1" cannot be read'],
  ["0", "the margin of overall must be above 0"],
  ["success=2", "the margin of success must be below 1"],
  ["latency_ms=10", "the margin of latency_ms must be below 10"],
  ["0.1,overall=0.2", "overall has two margins"],
])("refuses %o with a reason", (text, reason) => {
  expect(parseMargins(text)).toContain(reason);
});

test("a gate refuses margins that are no margins", () => {
  expect(NotWorseBy.safeParse(0.02).success).toBe(true);
  expect(NotWorseBy.safeParse({ overall: 0.02, latency_ms: 2 }).success).toBe(true);
  for (const wrong of [0, 1, -0.1, {}, { overall: 0 }, { overall: 2 }, "0.02"])
    expect(NotWorseBy.safeParse(wrong).success).toBe(false);
});
