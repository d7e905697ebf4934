import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "./log.ts";
import { createRefusalLog } from "./refusal-log.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("refusals are one line a second with their number, and silence is none", () => {
  const lines: string[] = [];
  const count = createRefusalLog(createLog({ level: "info", terminal: false, write: (line) => lines.push(line) }));
  const refusedSoFar = () => lines.map((line) => (JSON.parse(line) as { refused: number }).refused);
  for (let index = 0; index < 300; index += 1) count();
  vi.advanceTimersByTime(1000);
  expect(refusedSoFar()).toEqual([300]);
  vi.advanceTimersByTime(5000);
  count();
  vi.advanceTimersByTime(1000);
  expect(refusedSoFar()).toEqual([300, 1]);
});
