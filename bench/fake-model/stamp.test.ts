import { expect, test } from "vitest";
import { sinceStamp, stampNow, stampPlace } from "./stamp.ts";

test("a stamp says how many milliseconds ago it was made, wherever it is", () => {
  const fiveSecondsAgo = Number(process.hrtime.bigint() / 1000n) - 5_000_000;
  const older = `data: {"content":"at-${String(fiveSecondsAgo).padStart(16, "0")} and more"}`;
  const newer = stampNow();
  const sinceNewer = sinceStamp(newer) ?? Number.NaN;
  expect(sinceNewer).toBeGreaterThanOrEqual(0);
  expect(sinceStamp(older)).toBeGreaterThanOrEqual(5_000 + sinceNewer);
});

test("a text without a stamp says nothing", () => {
  expect(sinceStamp("at-12")).toBeNull();
});

test("a stamp fits its place", () => {
  expect(stampNow()).toHaveLength(stampPlace.length);
});
