import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { sampleSummary } from "../../test/conformance/sample-runs.ts";
import type { Store } from "../contract/ports/store.ts";
import { openSqlite } from "../storage/drivers/open-sqlite.ts";
import { createRunScoring } from "./create-scoring.ts";
import { createRescorer } from "./rescorer.ts";
import { fakeModel } from "./testing/fake-model.ts";
import { RescoreRequest } from "../contract/schemas/evaluation-request.ts";
import { numberedScenario, planLimits, startBench } from "./testing/run-bench.ts";

test("whoever asks while a run is being scored again gets the same answer", async () => {
  const model = fakeModel(() => "a1");
  await using bench = await startBench({ models: { model } });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 1) });
  const scoring = createRunScoring({ createModel: () => model });
  let begun = 0;
  const rescored: string[] = [];
  const rescore = createRescorer({
    store: bench.store,
    now: Date.now,
    createScoring: (options) => {
      begun += 1;
      return scoring(options);
    },
    onRescored: (id) => rescored.push(id),
  });
  const [first, second, stranger] = await Promise.allSettled([
    rescore(run_id, null),
    rescore(run_id, null),
    rescore(run_id, "somebody else"),
  ]);
  expect(first).toMatchObject({ status: "fulfilled", value: { id: run_id } });
  expect(second).toEqual(first);
  expect(stranger).toMatchObject({ status: "rejected", reason: { code: "run_not_found" } });
  expect(begun).toBe(1);
  await rescore(run_id, null);
  expect(begun).toBe(2);
});

test("what is asked for otherwise is done afterwards, not in between", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const suite = Array.from({ length: 20 }, (_, index) => numberedScenario(`s${index}`, 1));
  const { run_id } = await bench.evaluate({ test_batch: suite });
  const by = (...scorers: string[]) =>
    bench.runs.rescore(run_id, null, {
      replace: { request: RescoreRequest.parse({ scorers }), limits: planLimits, helpers: {} },
    });
  const [first, second] = await Promise.all([by("exact_match"), by("rouge_l")]);
  expect(Object.keys(first.summary?.average_scores ?? {})).toEqual(["success", "exact_match", "overall"]);
  expect(Object.keys(second.summary?.average_scores ?? {})).toEqual(["success", "rouge_l", "overall"]);
});

test("what another process is at is waited for, also when it dies", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 1) });
  const { store } = bench;
  const gone = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  onTestFinished(() => void gone.kill("SIGKILL"));
  await using other = await openSqlite({ file: bench.file, pid: gone.pid! });
  const hold = (await other.store.runs.holdForRescore(run_id))!;
  let asked = 0;
  const waiting: Store = {
    ...store,
    runs: { ...store.runs, holdForRescore: (id) => (asked++, store.runs.holdForRescore(id)) },
  };
  const createScoring = createRunScoring({ createModel: () => fakeModel(() => "a1") });
  const rescore = createRescorer({ store: waiting, now: Date.now, createScoring, onRescored: () => {} });
  const rescored = rescore(run_id, null);
  await expect.poll(() => asked).toBeGreaterThan(1);
  expect((await store.runs.get(run_id))?.summary).not.toHaveProperty("rescored");
  gone.kill("SIGKILL");
  expect((await rescored).summary?.rescored).toEqual({ at: expect.any(String), replaced: [] });
  expect(await other.store.interactions.rescore(hold, [])).toBe(0);
  expect(await other.store.runs.resummarize(run_id, { summary: sampleSummary, message: "late" }, hold)).toBe(false);
});

test("after another process took the run over, it is scored anew", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 1) });
  const { store } = bench;
  let taken = false;
  const paused: Store = {
    ...store,
    interactions: {
      ...store.interactions,
      async rescore(hold, turns) {
        if (!taken) await store.runs.releaseAfterRescore(hold);
        taken = true;
        return store.interactions.rescore(hold, turns);
      },
    },
  };
  const createScoring = createRunScoring({ createModel: () => fakeModel(() => "a1") });
  const rescore = createRescorer({ store: paused, now: Date.now, createScoring, onRescored: () => {} });
  const { summary } = await rescore(run_id, null);
  expect(summary?.rescored).toEqual({ at: expect.any(String), replaced: [] });
  expect(await store.runs.holdForRescore(run_id)).not.toBeNull();
});

test("a run that is deleted meanwhile is gone", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 1) });
  const { store } = bench;
  const deleting: Store = {
    ...store,
    interactions: {
      ...store.interactions,
      rescore: async (hold, turns) => (await store.runs.remove(run_id), store.interactions.rescore(hold, turns)),
    },
  };
  const createScoring = createRunScoring({ createModel: () => fakeModel(() => "a1") });
  const rescore = createRescorer({ store: deleting, now: Date.now, createScoring, onRescored: () => {} });
  await expect(rescore(run_id, null)).rejects.toMatchObject({ code: "run_not_found" });
});
