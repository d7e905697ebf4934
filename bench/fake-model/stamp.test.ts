import { expect, test } from "vitest";
import { sinceStamp, stampNow, stampPlace } from "./stamp.ts";

test("a stamp says how long ago it was made, wherever it stands", () => {
  const since = sinceStamp(`data: {"content":"${stampNow()} and more"}`);
  expect(since).toBeGreaterThanOrEqual(0);
  expect(since).toBeLessThan(60_000);
});

test("a text without a stamp says nothing", () => {
  expect(sinceStamp("at-12")).toBeNull();
});

test("a stamp fits its place", () => {
  expect(stampNow()).toHaveLength(stampPlace.length);
});
