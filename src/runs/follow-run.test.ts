import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Store } from "../contract/store.ts";
import { followRun } from "./follow-run.ts";
import { createRunEvents } from "./run-events.ts";
import { fakeModel } from "./testing/fake-model.ts";
import { numberedScenario, startBench } from "./testing/run-bench.ts";

test("the end of a run is told at once, however long turns are gathered", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") }, ownRuns: ["none"] });
  const run = await bench.create({ test_batch: numberedScenario("s", 1) });
  const events = createRunEvents();
  let state: "running" | "completed" = "running";
  const store: Store = { ...bench.store, runs: { ...bench.store.runs, get: async () => ({ ...run, state }) } };
  const waits = { pollMs: 60_000, gatherMs: 60_000, signal: AbortSignal.timeout(20_000) };

  const seen: string[] = [];
  const following = (async () => {
    for await (const { type } of followRun(run.id, { store, events, after: 0, ...waits })) seen.push(type);
  })();
  while (seen.length === 0) await setImmediate();
  events.changed(run.id, "progress");
  await setImmediate();
  state = "completed";
  events.changed(run.id, "end");
  await following;
  expect(seen).toEqual(["progress", "end"]);
});
