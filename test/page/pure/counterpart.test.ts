import { expect, test } from "vitest";
import type { Run } from "../../../src/contract/schemas/run.ts";
import { suggestCounterpart } from "../../../web/compare/suggested-pair.ts";

const runs = ["third", "second", "first"].map(
  (run_id, index) => ({ run_id, test_name: "nightly", created_at: `2026-11-0${3 - index}T09:00:00.000Z` }) as Run,
);
const beside = (chosen: string, as: "baseline" | "candidate", pinned?: string) => {
  const choice = { baseline: "", candidate: "", [as]: chosen };
  const run = runs.find(({ run_id }) => run_id === chosen) as Run;
  return suggestCounterpart({ choice, chosen: run, runs, pinned })?.pair ?? null;
};

test("suggests the pinned baseline, else the run before, else the run after", () => {
  expect(beside("third", "candidate")).toEqual({ baseline: "second", candidate: "third" });
  expect(beside("third", "candidate", "first")).toEqual({ baseline: "first", candidate: "third" });
  expect(beside("first", "candidate")).toEqual({ baseline: "first", candidate: "second" });
  expect(beside("first", "baseline")).toEqual({ baseline: "first", candidate: "second" });
  expect(beside("third", "baseline")).toBeNull();
});
