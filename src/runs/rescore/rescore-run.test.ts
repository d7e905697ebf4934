import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { sampleRun, sampleSummary } from "../../../test/conformance/sample-runs.ts";
import { ending } from "../../../test/conformance/suite-helpers.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Store } from "../../contract/ports/store.ts";
import { RescoreRequest } from "../../contract/schemas/evaluation-request.ts";
import { scoringVersion } from "../../contract/schemas/scores/score.ts";
import { openSqlite } from "../../storage/drivers/open-sqlite.ts";
import { createRunScoring } from "../execute/run-scoring.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, planLimits, startBench } from "../../../test/support/run-bench.ts";
import { createRescorer, rescoreExclusively, rescoreRun, type RescoreOptions } from "./rescore-run.ts";

const judgeAt = { endpoint: "http://judge", model_id: "judge" };

/** A run that has ended, and a way to score it again with a judge that has changed its mind. */
async function endedRun(request: Record<string, unknown>, onJudge: (call: number) => void = () => {}) {
  let verdict = "partial";
  const judge = fakeModel((_, call) => {
    onJudge(call);
    return JSON.stringify({ reason: "because", verdict });
  });
  const models = { model: fakeModel((asked) => lastUserMessage(asked).replace("q", "a")), judge };
  const bench = await startBench({ models });
  const before = await bench.evaluate({ test_batch: numberedScenario("s", 2), ...request });
  const createScoring = createRunScoring(
    {},
    { createModel: ({ model_id }) => models[model_id as keyof typeof models] },
  );
  return {
    bench,
    judge,
    runId: before.run_id,
    async rescore(options: Pick<RescoreOptions, "askModels" | "signal" | "onRefused"> & { store?: Store }) {
      verdict = "fail";
      const run = await rescoreRun(before.run_id, { store: bench.store, createScoring, now: Date.now, ...options });
      const after = await bench.results(run);
      return { response: after, attempt: after.results.scenarios[0]?.attempts[0] };
    },
  };
}

/** Makes the scores of a run those of an earlier release. */
async function age(store: Store, runId: string): Promise<void> {
  const hold = (await store.runs.holdForRescore(runId))!;
  for await (const { id, interactions } of store.attempts.withInteractions(runId)) {
    const turns = interactions.map(({ turn_index, scores }) => ({
      attempt_id: id,
      turn_index,
      scores: { ...scores!, scoring_version: "1" },
    }));
    await store.interactions.rescore(hold, turns);
  }
  await store.runs.releaseAfterRescore(hold);
}

test("names the scores that are kept from models", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: judgeAt });
  await using _ = bench;
  const asked = judge.requests.length;
  const kept = await rescore({ askModels: false });
  expect(judge.requests).toHaveLength(asked);
  expect(kept.attempt?.interactions.map(({ kept_scores }) => kept_scores)).toEqual([
    ["judge_correctness"],
    ["judge_correctness"],
  ]);
  const again = await rescore({ askModels: true });
  expect(again.attempt?.interactions.map(({ kept_scores }) => kept_scores)).toEqual([undefined, undefined]);
});

test("keeps a verdict on a conversation, and marks it", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: { ...judgeAt, scope: "conversation" } });
  await using _ = bench;
  const { attempt, response } = await rescore({ askModels: false });
  expect(judge.requests).toHaveLength(1);
  expect(attempt?.conversation).toMatchObject({ kept: true, scores: { conversation_quality: 0.5 } });
  expect(response.summary.average_scores["conversation_quality"]).toBe(0.5);
});

test("asks for a new verdict on a conversation when models may be asked", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: { ...judgeAt, scope: "conversation" } });
  await using _ = bench;
  const { attempt, response } = await rescore({ askModels: true });
  expect(judge.requests).toHaveLength(2);
  expect(judge.requests[1]?.messages).toEqual(judge.requests[0]?.messages);
  expect(attempt?.conversation).toMatchObject({ scores: { conversation_quality: 0 } });
  expect(attempt?.conversation).not.toHaveProperty("kept");
  expect(response.summary.average_scores["conversation_quality"]).toBe(0);
});

test("shows a judge the earlier turns again", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: judgeAt });
  await using _ = bench;
  await rescore({ askModels: true });
  const [first, second, ...again] = judge.requests.map(({ messages }) => messages);
  expect(again).toEqual([first, second]);
});

test("leaves figures that match the stored turns when it is interrupted", async () => {
  const left = new AbortController();
  const judge = { ...judgeAt, scope: "conversation" };
  const { bench, runId, rescore } = await endedRun({ judge, attempts: 2 }, (call) => {
    if (call === 3) left.abort();
  });
  await using _ = bench;
  await expect(rescore({ askModels: true, signal: left.signal })).rejects.toMatchObject({ name: "AbortError" });
  const { results, summary } = await bench.results((await bench.store.runs.get(runId))!);
  const attempts = results.scenarios[0]!.attempts.map(({ average_scores }) => average_scores["conversation_quality"]);
  expect(attempts).toEqual([0, 0.5]);
  expect(summary.average_scores["conversation_quality"]).toBe(0.25);
});

test("asks models only for missing verdicts when it is repeated after an interruption", async () => {
  const left = new AbortController();
  const asking = { ...judgeAt, scope: "conversation" };
  const { bench, runId, judge, rescore } = await endedRun({ judge: asking, attempts: 3 }, (call) => {
    if (call === 3 + 1) left.abort();
  });
  await using _ = bench;
  await expect(rescore({ askModels: true, signal: left.signal })).rejects.toMatchObject({ name: "AbortError" });
  expect(judge.requests).toHaveLength(3 + 1);
  const { response } = await rescore({ askModels: true });
  expect(judge.requests).toHaveLength(3 + 1 + 2);
  expect(response.summary.average_scores["conversation_quality"]).toBe(0);
  expect(JSON.stringify(response)).not.toContain("asked_in");
  const { summary } = (await bench.store.runs.get(runId))!;
  expect(summary?.rescored).not.toHaveProperty("partial");
  await rescore({ askModels: true });
  expect(judge.requests).toHaveLength(3 + 1 + 2 + 3);
});

test("keeps verdicts while the store accepts nothing, without asking again", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: { ...judgeAt, scope: "conversation" } });
  await using _ = bench;
  const full = new ServiceError("storage_full", "full");
  const refusals = { left: 2 };
  const refusing = <Write extends (...given: never[]) => Promise<unknown>>(write: Write): Write =>
    ((...given) => (refusals.left-- > 0 ? Promise.reject(full) : write(...given))) as Write;
  const { store } = bench;
  const reported: number[] = [];
  const { response } = await rescore({
    askModels: true,
    onRefused: (_error, times) => void reported.push(times),
    store: { ...store, interactions: { ...store.interactions, rescore: refusing(store.interactions.rescore) } },
  });
  expect(reported).toEqual([1, 2]);
  expect(judge.requests).toHaveLength(1 + 1);
  expect(response.summary.average_scores["conversation_quality"]).toBe(0);
});

test("asks models about all turns when it was interrupted before an upgrade", async () => {
  const left = new AbortController();
  const asking = { ...judgeAt, scope: "conversation" };
  const { bench, runId, judge, rescore } = await endedRun({ judge: asking, attempts: 2 }, (call) => {
    if (call === 2 + 1) left.abort();
  });
  await using _ = bench;
  await expect(rescore({ askModels: true, signal: left.signal })).rejects.toMatchObject({ name: "AbortError" });
  await age(bench.store, runId);
  const { response } = await rescore({ askModels: true });
  expect(judge.requests).toHaveLength(2 + 1 + 2);
  expect(response.scoring_version).toBe(scoringVersion);
});

test("reports the scoring version of a run after newer ones exist", async () => {
  const { bench, runId, rescore } = await endedRun({});
  await using _ = bench;
  await age(bench.store, runId);
  const before = await bench.results((await bench.store.runs.get(runId))!);
  expect(before.scoring_version).toBe("1");
  const { response } = await rescore({ askModels: false });
  expect(response.scoring_version).toBe(scoringVersion);
});

test("reports why a rescoring was taken over", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const { store } = storage;
  const run = sampleRun();
  await store.runs.create(run);
  await store.runs.finish(run.id, ending());
  await store.runs.holdForRescore(run.id);

  const away = new ServiceError("storage_unavailable", "The database cannot be reached.");
  const controller = new AbortController();
  const check = async () => void setImmediate(() => controller.abort(away));
  const waiting = rescoreExclusively(run.id, { store, check, work: async () => {}, signal: controller.signal });
  await expect(waiting).rejects.toBe(away);
});

test("shares the result of an identical request in progress", async () => {
  const model = fakeModel(() => "a1");
  await using bench = await startBench({ models: { model } });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 1) });
  const scoring = createRunScoring({}, { createModel: () => model });
  let begun = 0;
  const rescore = createRescorer({
    store: bench.store,
    now: Date.now,
    createScoring: (options) => {
      begun += 1;
      return scoring(options);
    },
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

test("runs a different request afterwards", async () => {
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

test("waits for another process, even if it dies", async () => {
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
  const createScoring = createRunScoring({}, { createModel: () => fakeModel(() => "a1") });
  const rescore = createRescorer({ store: waiting, now: Date.now, createScoring });
  const rescored = rescore(run_id, null);
  await expect.poll(() => asked).toBeGreaterThan(1);
  expect((await store.runs.get(run_id))?.summary).not.toHaveProperty("rescored");
  gone.kill("SIGKILL");
  expect((await rescored).summary?.rescored).toEqual({ at: expect.any(String), replaced: [] });
  expect(await other.store.interactions.rescore(hold, [])).toBe(0);
  expect(await other.store.runs.resummarize(run_id, { summary: sampleSummary, message: "late" }, hold)).toBe(false);
});

test("starts again after another process took the run over", async () => {
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
  const createScoring = createRunScoring({}, { createModel: () => fakeModel(() => "a1") });
  const rescore = createRescorer({ store: paused, now: Date.now, createScoring });
  const { summary } = await rescore(run_id, null);
  expect(summary?.rescored).toEqual({ at: expect.any(String), replaced: [] });
  expect(await store.runs.holdForRescore(run_id)).not.toBeNull();
});

test("rejects when the run is deleted meanwhile", async () => {
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
  const createScoring = createRunScoring({}, { createModel: () => fakeModel(() => "a1") });
  const rescore = createRescorer({ store: deleting, now: Date.now, createScoring });
  await expect(rescore(run_id, null)).rejects.toMatchObject({ code: "run_not_found" });
});
