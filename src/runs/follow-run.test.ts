import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { StoredTurn } from "../contract/run-event.ts";
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

test("turns of a second pass are told with their place in the scenario and their pass", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "wrong") } });
  const ofRun = async (request: Record<string, unknown>): Promise<unknown[]> => {
    const { id } = await bench.create({ test_batch: numberedScenario("s", 2), ...request });
    await bench.runs.wait(id, AbortSignal.timeout(20_000));
    const told: unknown[] = [];
    for await (const event of bench.runs.follow(id, { after: 0, signal: AbortSignal.timeout(20_000) })) {
      if (event.type !== "interaction") continue;
      const { pass, turn_index, interaction_id } = StoredTurn.parse(event.data);
      told.push([pass, turn_index, interaction_id]);
    }
    return told.toSorted();
  };
  const twice = [
    [1, 0, "t1"],
    [1, 1, "t2"],
    [2, 0, "t1"],
    [2, 1, "t2"],
  ];
  expect(await ofRun({})).toEqual(twice.slice(0, 2));
  expect(await ofRun({ history: "both" })).toEqual(twice);
  expect(await ofRun({ replay_first_bad_turn: true })).toEqual(twice);
});
