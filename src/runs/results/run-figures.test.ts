import { expect, test } from "vitest";
import type { AttemptWithInteractions, RunRecord } from "../../contract/ports/store.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";
import { createIncrementalSummary, summarizeStoredRun } from "./run-figures.ts";

test("does not treat a turn rubric as a check of 0 or 1", async () => {
  const model = fakeModel((asked) => lastUserMessage(asked).replace("q", "a"));
  const judge = fakeModel(() => JSON.stringify({ reason: "because", verdict: "pass" }));
  await using bench = await startBench({ models: { model, judge } });
  const checks = [
    { type: "rubric", name: "tone", text: "Is it kind?" },
    { type: "length", max: 80 },
  ];
  const { summary } = await bench.evaluate({
    test_batch: ["s", "t", "u"].map((id) => numberedScenario(id, 1, { checks })),
    judge: { endpoint: "http://judge", model_id: "judge", rubric: "Is it right?" },
  });
  const methodOf = (name: string) => summary.score_stats[name]?.method;
  expect(methodOf("length")).toBe("wilson over 3 scenarios");
  expect(methodOf("tone")).toBe(methodOf("judge_correctness"));
  expect(methodOf("tone")).toBe("none: all 3 scenarios have the same value");
});

/** Wrong now and then, so that averages are no round numbers. */
function uneven() {
  let calls = 0;
  return fakeModel((request) => {
    calls += 1;
    return calls % 3 === 0 ? `no idea ${calls}` : lastUserMessage(request).replace("q", "a");
  });
}

const scenarios = Array.from({ length: 7 }, (_, index) => numberedScenario(`s${index}`, 3));

test.each([
  ["several attempts", {}],
  ["both histories", { history: "both" }],
  ["a replay", { replay_first_bad_turn: true }],
  ["a budget that ends early", { budget: { calls: 20 } }],
])("computes the same figures as the store: %s", async (_, request) => {
  await using bench = await startBench({ models: { model: uneven() } });
  const { run_id } = await bench.evaluate({ test_batch: scenarios, attempts: 4, ...request });
  const run = await bench.runs.get(run_id, null);
  expect(run.summary).toEqual((await summarizeStoredRun(run, { store: bench.store, now: Date.now })).summary);
});

test("treats a turn check as a proportion with an interval within 0 to 1", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "yes") } });
  const checks = [{ type: "contains" as const, text: "yes" }];
  const test_batch = scenarios.map(({ interactions, ...scenario }) => ({
    ...scenario,
    interactions: interactions.map((turn) => ({ ...turn, checks })),
  }));
  const { summary, results } = await bench.evaluate({ test_batch, attempts: 4 });
  expect(summary.score_stats["contains"]).toMatchObject({
    mean: 1,
    method: expect.stringMatching("wilson"),
    ci_upper: 1,
  });
  expect(results.scenarios[0]?.score_stats["contains"]).toMatchObject({ method: expect.stringMatching("wilson") });
});

async function storedRun(): Promise<{
  run: RunRecord;
  attempts: AttemptWithInteractions[];
  stored: readonly Scenario[];
}> {
  await using bench = await startBench({ models: { model: uneven() } });
  const { run_id } = await bench.evaluate({ test_batch: scenarios, attempts: 4 });
  const attempts = await Array.fromAsync(bench.store.attempts.withInteractions(run_id));
  return { run: await bench.runs.get(run_id, null), attempts, stored: await bench.store.runs.scenarios(run_id) };
}

test("accepts attempts in any order, each once", async () => {
  const { run, attempts, stored } = await storedRun();
  const figures = createIncrementalSummary({ settings: run.settings, scenarios: stored });
  for (const attempt of attempts.toReversed()) figures.add(attempt);
  expect(figures.finish(run, Date.now)?.summary).toEqual(run.summary);
  figures.add(attempts[0]!);
  expect(figures.finish(run, Date.now)).toBeNull();
});

test("returns no figures when attempts are missing or too many wait", async () => {
  const { run, attempts, stored } = await storedRun();
  const figures = createIncrementalSummary({ settings: run.settings, scenarios: stored });
  for (const attempt of attempts.slice(1)) figures.add(attempt);
  expect(figures.finish(run, Date.now)).toBeNull();

  const impatient = createIncrementalSummary({ settings: run.settings, scenarios: stored, reach: 5 });
  for (const attempt of attempts.toReversed()) impatient.add(attempt);
  expect(impatient.finish(run, Date.now)).toBeNull();
});
