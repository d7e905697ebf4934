import { expect, test } from "vitest";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { AttemptWithInteractions, RunRecord } from "../contract/ports/store.ts";
import { figureRun } from "./figure-run.ts";
import { createFiguresSoFar } from "./figures-so-far.ts";
import { fakeModel, lastUserMessage } from "./testing/fake-model.ts";
import { numberedScenario, startBench } from "./testing/run-bench.ts";

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
])("a run ends with the figures the store gives: %s", async (_, request) => {
  await using bench = await startBench({ models: { model: uneven() } });
  const { run_id } = await bench.evaluate({ test_batch: scenarios, attempts: 4, ...request });
  const run = await bench.runs.get(run_id, null);
  expect(run.summary).toEqual((await figureRun(run, { store: bench.store, now: Date.now })).summary);
});

test("a check of turns is a share, whose interval is no wider than 0 to 1 and never of no width", async () => {
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

test("attempts may come in any order, each of them once", async () => {
  const { run, attempts, stored } = await storedRun();
  const figures = createFiguresSoFar({ settings: run.settings, scenarios: stored });
  for (const attempt of attempts.toReversed()) figures.add(attempt);
  expect(figures.finish(run, Date.now)?.summary).toEqual(run.summary);
  figures.add(attempts[0]!);
  expect(figures.finish(run, Date.now)).toBeNull();
});

test("without every attempt there are no figures, nor when too many wait for one before them", async () => {
  const { run, attempts, stored } = await storedRun();
  const figures = createFiguresSoFar({ settings: run.settings, scenarios: stored });
  for (const attempt of attempts.slice(1)) figures.add(attempt);
  expect(figures.finish(run, Date.now)).toBeNull();

  const impatient = createFiguresSoFar({ settings: run.settings, scenarios: stored, reach: 5 });
  for (const attempt of attempts.toReversed()) impatient.add(attempt);
  expect(impatient.finish(run, Date.now)).toBeNull();
});
