import { expect, test } from "vitest";
import type { Run } from "../../../src/contract/schemas/run.ts";
import { counterpart } from "../../../web/compare/counterpart.ts";

const runs = ["third", "second", "first"].map(
  (run_id, index) => ({ run_id, test_name: "nightly", created_at: `2026-11-0${3 - index}T09:00:00.000Z` }) as Run,
);
const beside = (chosen: string, as: "baseline" | "candidate", pinned?: string) => {
  const choice = { baseline: "", candidate: "", [as]: chosen };
  const run = runs.find(({ run_id }) => run_id === chosen) as Run;
  return counterpart({ choice, chosen: run, runs, pinned })?.pair ?? null;
};

test("a run is held against the one before it or the pinned one, and the first of a test is what the next is held against", () => {
  expect(beside("third", "candidate")).toEqual({ baseline: "second", candidate: "third" });
  expect(beside("third", "candidate", "first")).toEqual({ baseline: "first", candidate: "third" });
  expect(beside("first", "candidate")).toEqual({ baseline: "first", candidate: "second" });
  expect(beside("first", "baseline")).toEqual({ baseline: "first", candidate: "second" });
  expect(beside("third", "baseline")).toBeNull();
});
