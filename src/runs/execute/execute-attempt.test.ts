import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { Queue } from "../../contract/ports/queue.ts";
import type { NewTurn, Store } from "../../contract/ports/store.ts";
import { createRuns } from "../create-runs.ts";
import { afterReplies } from "./execute-attempt.ts";
import type { RunServices } from "../run-services.ts";
import type { Runs } from "../runs.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench, type RunBench } from "../../../test/support/run-bench.ts";

const answering = () => fakeModel((request) => lastUserMessage(request).replace("q", "a"));

/** One that holds few attempts at once, beside the bench's own. */
const anotherWorker = (
  parts: Pick<RunServices, "store" | "queue" | "createModel"> & Partial<Pick<RunServices, "onError">>,
): Runs =>
  createRuns({
    isDemo: () => false,
    workerId: `test:${process.pid}:2`,
    newId: () => "unused",
    concurrency: { global: 1, perRun: 4 },
    heartbeatMs: 5_000,
    onError: (error) => {
      throw error;
    },
    ...parts,
  });

/** Carries out the runs of a bench and notes each write of a turn or an end, in order. */
function startNoting({ store, queue }: RunBench): { writes: string[]; runs: Runs } {
  const writes: string[] = [];
  const noted = (turn: NewTurn): string => `turn ${turn.turn_index}`;
  const noting: Store = {
    ...store,
    interactions: {
      ...store.interactions,
      store(lease, turn) {
        writes.push(noted(turn));
        return store.interactions.store(lease, turn);
      },
    },
  };
  const ending: Queue = {
    ...queue,
    finish(lease, end) {
      writes.push(end.turn ? `${noted(end.turn)} and end` : "end");
      return queue.finish(lease, end);
    },
  };
  const runs = anotherWorker({ store: noting, queue: ending, createModel: () => answering() });
  return { writes, runs };
}

async function writesOf(request: Record<string, unknown>): Promise<string[]> {
  await using bench = await startBench({ models: { model: answering() }, ownRuns: ["none"] });
  // The bench has its own worker; it is stopped so that the other one does the work.
  await bench.runs.stop({ graceMs: 0 });
  const { writes, runs } = startNoting(bench);
  const { id } = await bench.create(request);
  await runs.start();
  const run = await runs.wait(id, AbortSignal.timeout(20_000));
  await runs.stop({ graceMs: 1_000 });
  expect(run).toMatchObject({ state: "completed" });
  expect(run.progress.interactions_done).toBe(
    run.progress.interactions_total * (request["history"] === "both" ? 2 : 1),
  );
  return writes;
}

test("stores the last turn together with the end", async () => {
  expect(await writesOf({ test_batch: numberedScenario("one", 1) })).toEqual(["turn 0 and end"]);
  expect(await writesOf({ test_batch: numberedScenario("three", 3) })).toEqual(["turn 0", "turn 1", "turn 2 and end"]);
});

test("stores all concurrent turns before the end", async () => {
  const writes = await writesOf({ test_batch: numberedScenario("three", 3), history: "reference" });
  expect(writes.at(-1)).toMatch(/end$/);
  expect(writes.filter((write) => write.startsWith("turn"))).toHaveLength(3);
});

test("stores the end separately after a second pass", async () => {
  const writes = await writesOf({ test_batch: numberedScenario("two", 2), history: "both" });
  expect(writes.slice(0, -1).toSorted()).toEqual(["turn 0", "turn 1", "turn 2", "turn 3"]);
  expect(writes.at(-1)).toBe("end");
});

const full = new ServiceError("storage_full", "The disk that holds the database is full.");

/** A store and a queue on a disk on which there is no room for each second write of an attempt. */
function onFullDisk({ store, queue }: RunBench): Pick<RunServices, "store" | "queue"> {
  let writes = 0;
  const ifRoom = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    writes += 1;
    if (writes % 2 === 1) throw full;
    return write();
  };
  const { interactions } = store;
  return {
    store: {
      ...store,
      interactions: {
        ...interactions,
        store: (lease, turn) => ifRoom(() => interactions.store(lease, turn)),
        score: (lease, turn) => ifRoom(() => interactions.score(lease, turn)),
      },
    },
    queue: { ...queue, finish: (lease, end) => ifRoom(() => queue.finish(lease, end)) },
  };
}

test.each([
  ["generated", {}],
  ["both", { history: "both" }],
  ["judged", { judge: { endpoint: "http://judge", model_id: "judge" } }],
  ["judged as a whole", { judge: { endpoint: "http://judge", model_id: "judge", scope: "conversation" } }],
])("keeps results that a full disk refuses, without requesting them again: %s", async (_, request) => {
  const model = answering();
  const judge = fakeModel(() => JSON.stringify({ reason: "because", verdict: "equivalent" }));
  await using bench = await startBench({ models: { model, judge }, ownRuns: ["none"] });
  await bench.runs.stop({ graceMs: 0 });
  const errors: unknown[] = [];
  const createModel: RunServices["createModel"] = ({ model_id }) => (model_id === "judge" ? judge : model);
  const runs = anotherWorker({ ...onFullDisk(bench), createModel, onError: (error) => errors.push(error) });
  const { id } = await bench.create({ test_batch: numberedScenario("two", 2), ...request });
  await runs.start();
  const run = await runs.wait(id, AbortSignal.timeout(20_000));
  await runs.stop({ graceMs: 1_000 });
  expect(run.state).toBe("completed");
  expect(model.requests).toHaveLength("history" in request ? 4 : 2);
  expect(judge.requests).toHaveLength("judge" in request ? ("scope" in request.judge ? 1 : 2) : 0);
  expect(new Set(errors)).toEqual(new Set([full]));
});

test("holds its slot until the judge has answered", async () => {
  const steps: string[] = [];
  const judge = fakeModel(() => {
    steps.push("judge");
    return JSON.stringify({ reason: "because", verdict: "partial" });
  });
  await using bench = await startBench({ models: { model: answering(), judge }, ownRuns: ["none"] });
  await bench.runs.stop({ graceMs: 0 });
  const queue: Queue = {
    ...bench.queue,
    claim(options) {
      steps.push("claim");
      return bench.queue.claim(options);
    },
  };
  const createModel: RunServices["createModel"] = ({ model_id }) => (model_id === "judge" ? judge : answering());
  const runs = anotherWorker({ store: bench.store, queue, createModel });
  const { id } = await bench.create({
    test_batch: numberedScenario("one", 1),
    attempts: 4,
    judge: { endpoint: "http://judge", model_id: "judge" },
  });
  await runs.start();
  await runs.wait(id, AbortSignal.timeout(20_000));
  await runs.stop({ graceMs: 1_000 });
  // Without a judge, the second claim follows the first replies at once.
  expect(steps.slice(0, 2)).toEqual(["claim", "judge"]);
  expect(judge.requests).toHaveLength(4);
});

test("stores a reply before the judge is asked, so that another worker asks only the judge", async () => {
  const model = answering();
  const asked = Promise.withResolvers<void>();
  const silent: ChatModel = (_, { signal }) => {
    asked.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const judge = fakeModel(() => JSON.stringify({ reason: "because", verdict: "equivalent" }));
  await using bench = await startBench({ models: { model, judge: silent } });
  const { id } = await bench.create({
    test_batch: numberedScenario("two", 2),
    judge: { endpoint: "http://judge", model_id: "judge" },
    budget: { calls: 4 },
  });
  await asked.promise;
  await bench.runs.stop({ graceMs: 0 });
  expect((await bench.runs.get(id, null)).progress).toMatchObject({ interactions_done: 1 });
  expect((await bench.store.interactions.after(id, 0, 10)).turns).toEqual([]);

  const createModel: RunServices["createModel"] = ({ model_id }) => (model_id === "judge" ? judge : model);
  const runs = anotherWorker({ store: bench.store, queue: bench.queue, createModel });
  await runs.start();
  const run = await runs.wait(id, AbortSignal.timeout(20_000));
  await runs.stop({ graceMs: 1_000 });
  expect(run.summary).toMatchObject({ average_scores: { judge_correctness: 1 }, interactions: 2 });
  expect(run.summary?.stopped_by).toBeUndefined();
  expect([model.requests.length, judge.requests.length]).toEqual([2, 2]);
  const reported = (await bench.store.interactions.after(id, 0, 10)).turns;
  expect(reported.map((turn) => [turn.turn_index, turn.scores?.scores["judge_correctness"]])).toEqual([
    [0, 1],
    [1, 1],
  ]);
});

test("serves callers in order, a few per turn of the event loop", async () => {
  let loop = 0;
  let counting = true;
  const count = () => {
    loop += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const turns = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      await afterReplies();
      return { index, loop };
    }),
  );
  counting = false;
  expect(turns.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  const perLoop = Object.values(Object.groupBy(turns, (turn) => turn.loop)).map((group) => group?.length ?? 0);
  expect(Math.max(...perLoop)).toBe(32);
  expect(turns.map((turn) => turn.loop)).toEqual(
    turns.map((turn) => turn.loop).toSorted((left, right) => left - right),
  );
});

test("serves later callers too", async () => {
  await afterReplies();
  await expect(Promise.all([afterReplies(), afterReplies()])).resolves.toHaveLength(2);
});
