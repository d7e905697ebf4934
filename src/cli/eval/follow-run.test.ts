import { expect, test } from "vitest";
import { createProgressTally, createRunMean } from "./follow-run.ts";

test("averages turns, then attempts, then scenarios, as the results do", () => {
  const mean = createRunMean();
  expect(mean.mean()).toBeNull();
  mean.add("one", 1, 1);
  mean.add("one", 1, 0);
  mean.add("one", 2, 1);
  expect(mean.mean()).toBeCloseTo(0.75, 12);
  mean.add("two", 1, 0.25);
  expect(mean.mean()).toBeCloseTo(0.5, 12);
});

test("counts failures and estimates the remaining time", () => {
  let now = 0;
  const tally = createProgressTally({ turns: 4, now: () => now });
  const turn = {
    scenario_id: "s",
    attempt: 1,
    turn_index: 0,
    pass: 1,
    interaction_id: "1",
    agent_reply: "",
    latency_ms: 1,
  };
  tally.add({ ...turn, error: null, scores: { overall: 0.5 }, cost: 0.1 });
  const error = { code: "upstream_error", detail: "", upstream_status: 500, tries: 1, retryable: true } as const;
  tally.add({ ...turn, error, scores: { success: 0 }, cost: null });
  now = 2000;
  expect(tally.figures()).toEqual({
    turns: 4,
    done: 2,
    failed: 1,
    overall: 0.5,
    spent: 0.1,
    elapsedMs: 2000,
    remainingMs: 2000,
  });
});

test("leaves turns from before a resume out of the time estimate", () => {
  let now = 0;
  const tally = createProgressTally({ turns: 1000, before: 900, now: () => now });
  const turn = { scenario_id: "s", attempt: 1, turn_index: 0, pass: 1, interaction_id: "1", agent_reply: "" };
  const add = (): void => tally.add({ ...turn, latency_ms: 1, error: null, scores: {}, cost: null });
  for (let index = 0; index < 900; index++) add();
  expect(tally.figures()).toMatchObject({ done: 900, remainingMs: null });
  now = 2000;
  add();
  expect(tally.figures()).toMatchObject({ done: 901, elapsedMs: 2000, remainingMs: 198_000 });
});
