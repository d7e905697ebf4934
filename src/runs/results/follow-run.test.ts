import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Store } from "../../contract/ports/store.ts";
import { StoredTurn } from "../../contract/schemas/run.ts";
import { fakeModel } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";
import { createRunWaiters, followStoredRun, waitForRun } from "./follow-run.ts";
import { readScenarioResults } from "./read-results.ts";
import { createRunEvents } from "./run-events.ts";

test("reports the end of a run at once, however long turns are collected", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") }, ownRuns: ["none"] });
  const run = await bench.create({ test_batch: numberedScenario("s", 1) });
  const events = createRunEvents();
  let state: "running" | "completed" = "running";
  const store: Store = { ...bench.store, runs: { ...bench.store.runs, get: async () => ({ ...run, state }) } };
  const waits = { pollMs: 60_000, gatherMs: 60_000, signal: AbortSignal.timeout(20_000) };

  const seen: string[] = [];
  const following = (async () => {
    for await (const { type } of followStoredRun(run.id, { store, events, after: 0, ...waits })) seen.push(type);
  })();
  while (seen.length === 0) await setImmediate();
  events.changed(run.id, "progress");
  await setImmediate();
  state = "completed";
  events.changed(run.id, "end");
  await following;
  expect(seen).toEqual(["progress", "end"]);
});

test("counts both passes in its progress", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") }, ownRuns: ["none"] });
  const run = await bench.create({ test_batch: numberedScenario("s", 3), history: "both" });
  const events = createRunEvents();
  const following = followStoredRun(run.id, {
    store: bench.store,
    events,
    after: 0,
    signal: AbortSignal.timeout(20_000),
  });
  expect(await following.next()).toMatchObject({ value: { type: "progress", data: { interactions_total: 6 } } });
  await following.return(undefined);
});

test("survives a short outage of the store while following and waiting", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") } });
  const { id } = await bench.create({ test_batch: numberedScenario("s", 1) });
  const signal = AbortSignal.timeout(20_000);
  await bench.runs.wait(id, signal);
  const { runs, interactions } = bench.store;
  const store: Store = {
    ...bench.store,
    runs: { ...runs, get: awayAtFirst(runs.get), state: awayAtFirst(runs.state) },
    interactions: { ...interactions, after: awayAtFirst(interactions.after) },
  };
  const events = createRunEvents();
  expect(await waitForRun(id, { store, events, signal })).toMatchObject({ state: "completed" });
  const reported = await Array.fromAsync(followStoredRun(id, { store, events, after: 0, signal }));
  expect(reported.map(({ type }) => type)).toEqual(["interaction", "end"]);
});

test("throws for followers when the run is deleted before its end", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") }, ownRuns: ["none"] });
  const { id } = await bench.create({ test_batch: numberedScenario("s", 1) });
  const events = createRunEvents();
  const signal = AbortSignal.timeout(20_000);
  const following = followStoredRun(id, { store: bench.store, events, after: 0, signal, pollMs: 5 });
  expect(await following.next()).toMatchObject({ value: { type: "progress" } });
  await bench.runs.remove(id, null, signal);
  await expect(following.next()).rejects.toMatchObject({ code: "run_not_found" });
});

test("ends at once on other store failures and when the client disconnects", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") } });
  const left = new AbortController();
  const failing = (error: Error): Store => ({
    ...bench.store,
    runs: { ...bench.store.runs, state: () => Promise.reject(error) },
  });
  const waits = { events: createRunEvents(), signal: left.signal };
  await expect(waitForRun("x", { ...waits, store: failing(new Error("a bug")) })).rejects.toThrow("a bug");
  const waiting = waitForRun("x", { ...waits, store: failing(away()) });
  left.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
});

const away = (): ServiceError => new ServiceError("storage_unavailable", "The database cannot be reached.");

/** Fails once, then does what it should. */
function awayAtFirst<Arguments extends unknown[], Result>(read: (...from: Arguments) => Promise<Result>) {
  let isFirst = true;
  return (...from: Arguments): Promise<Result> => {
    if (!isFirst) return read(...from);
    isFirst = false;
    return Promise.reject(away());
  };
}

test("reports turns of a second pass with their turn and pass", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "wrong") } });
  const ofRun = async (request: Record<string, unknown>): Promise<unknown[]> => {
    const { id } = await bench.create({ test_batch: numberedScenario("s", 2), ...request });
    await bench.runs.wait(id, AbortSignal.timeout(20_000));
    const reported: unknown[] = [];
    for await (const event of bench.runs.follow(id, { after: 0, signal: AbortSignal.timeout(20_000) })) {
      if (event.type !== "interaction") continue;
      const { pass, turn_index, interaction_id } = StoredTurn.parse(event.data);
      reported.push([pass, turn_index, interaction_id]);
    }
    return reported.toSorted();
  };
  const twice = [
    [1, 0, "t1"],
    [1, 1, "t2"],
    [2, 0, "t1"],
    [2, 1, "t2"],
  ];
  expect(await ofRun({})).toEqual(twice.slice(0, 2));
  expect(await ofRun({ history: "both" })).toEqual(twice);
  expect(await ofRun({ threshold: 0.8, replay_first_bad_turn: true })).toEqual(twice);
});

test("throws when a run is deleted while its rows are read", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") } });
  const { run_id } = await bench.evaluate({ test_batch: [numberedScenario("s", 1), numberedScenario("t", 1)] });
  const run = (await bench.store.runs.get(run_id))!;
  const signal = AbortSignal.timeout(20_000);
  const { interactions, attempts } = bench.store;
  const store: Store = {
    ...bench.store,
    interactions: {
      ...interactions,
      async after(...asked) {
        await bench.runs.remove(run_id, null, signal);
        return interactions.after(...asked);
      },
    },
  };
  const results = readScenarioResults(run, { store });
  const following = followStoredRun(run_id, { store, events: createRunEvents(), after: 0, signal });
  expect(await results.next()).toMatchObject({ value: { scenario_id: "s" } });
  await expect(Array.fromAsync(following)).rejects.toMatchObject({ code: "run_not_found" });
  await expect(Array.fromAsync(results)).rejects.toMatchObject({ code: "run_not_found" });
  expect(await Array.fromAsync(attempts.withInteractions(run_id))).toEqual([]);
});

test("rejects waiting clients during an outage, and accepts them again later", async () => {
  const store = { runs: { state: async () => "running" } } as unknown as Store;
  const waiting = createRunWaiters({ store, events: createRunEvents() });
  const { signal } = new AbortController();
  const wait = (): Promise<unknown> => waiting.wait("r", signal).catch((error: unknown) => error);

  const first = wait();
  waiting.giveUp(new ServiceError("storage_full", "The disk is full."));
  const reported = (await first) as ServiceError;
  expect([reported.code, reported.message]).toEqual([
    "storage_full",
    "The disk is full. The run r is kept and continues afterwards.",
  ]);

  const second = wait();
  waiting.endAll();
  expect(((await second) as ServiceError).code).toBe("shutting_down");
  waiting.giveUp(reported);
  expect(((await wait()) as ServiceError).code).toBe("shutting_down");
});

test("aborts other work during an outage, but not on shutdown", async () => {
  const waiting = createRunWaiters({ store: {} as Store, events: createRunEvents() });
  const { signal: client } = new AbortController();
  const away = new ServiceError("storage_unavailable", "The database cannot be reached.");
  const ask = () =>
    waiting.during(client, async (signal) => {
      await setImmediate();
      return signal.reason ?? "done";
    });

  const first = ask();
  waiting.giveUp(away);
  expect(await first).toBe(away);

  const second = ask();
  waiting.endAll();
  expect(await second).toBe("done");

  const third = ask();
  waiting.giveUp(away);
  expect(await third).toBe(away);
});

test("leaves the event loop to others while many stored turns are read", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") } });
  const { id } = await bench.create({ test_batch: numberedScenario("s", 1) });
  const signal = AbortSignal.timeout(20_000);
  await bench.runs.wait(id, signal);
  const { turns } = await bench.store.interactions.after(id, 0, 1);
  let pages = 0;
  let pagesInFirstRound = 100;
  const after = async () => {
    pages += 1;
    if (pages === 1) void setImmediate().then(() => (pagesInFirstRound = pages));
    return { turns, more: pages < 100 };
  };
  const store: Store = { ...bench.store, interactions: { ...bench.store.interactions, after } };
  for await (const _ of followStoredRun(id, { store, events: createRunEvents(), after: 0, signal }));
  expect(pagesInFirstRound).toBe(1);
});
