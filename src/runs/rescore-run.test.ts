import { expect, test } from "vitest";
import { sampleRun } from "../../test/conformance/sample-runs.ts";
import { ending } from "../../test/conformance/suite-helpers.ts";
import { ServiceError } from "../contract/errors.ts";
import type { Store } from "../contract/ports/store.ts";
import { scoringVersion } from "../contract/schemas/score.ts";
import { openSqlite } from "../storage/drivers/open-sqlite.ts";
import { createRunScoring } from "./create-scoring.ts";
import { rescoreAlone, rescoreRun, type RescoreOptions } from "./rescore-run.ts";
import { fakeModel, lastUserMessage } from "./testing/fake-model.ts";
import { numberedScenario, startBench } from "./testing/run-bench.ts";

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
  const createScoring = createRunScoring({ createModel: ({ model_id }) => models[model_id as keyof typeof models] });
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

test("scores that rest on what models said before are named", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: judgeAt });
  await using _ = bench;
  const asked = judge.requests.length;
  const kept = await rescore({ askModels: false });
  expect(judge.requests).toHaveLength(asked);
  expect(kept.attempt?.interactions.map(({ kept_scores }) => kept_scores)).toEqual([
    ["judge_correctness"],
    ["judge_correctness"],
  ]);
  const anew = await rescore({ askModels: true });
  expect(anew.attempt?.interactions.map(({ kept_scores }) => kept_scores)).toEqual([undefined, undefined]);
});

test("a verdict on a conversation is kept, and says so", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: { ...judgeAt, scope: "conversation" } });
  await using _ = bench;
  const { attempt, response } = await rescore({ askModels: false });
  expect(judge.requests).toHaveLength(1);
  expect(attempt?.conversation).toMatchObject({ kept: true, scores: { conversation_quality: 0.5 } });
  expect(response.summary.average_scores["conversation_quality"]).toBe(0.5);
});

test("a verdict on a conversation is asked for again when models may be asked", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: { ...judgeAt, scope: "conversation" } });
  await using _ = bench;
  const { attempt, response } = await rescore({ askModels: true });
  expect(judge.requests).toHaveLength(2);
  expect(judge.requests[1]?.messages).toEqual(judge.requests[0]?.messages);
  expect(attempt?.conversation).toMatchObject({ scores: { conversation_quality: 0 } });
  expect(attempt?.conversation).not.toHaveProperty("kept");
  expect(response.summary.average_scores["conversation_quality"]).toBe(0);
});

test("a judge that is asked again sees the turns before, as it did the first time", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: judgeAt });
  await using _ = bench;
  await rescore({ askModels: true });
  const [first, second, ...again] = judge.requests.map(({ messages }) => messages);
  expect(again).toEqual([first, second]);
});

test("broken off, it leaves a run whose figures are those of its turns", async () => {
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

test("broken off and asked for again, it asks models only for what they have not said yet", async () => {
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

test("what a judge said while the store takes nothing is held, and not asked for again", async () => {
  const { bench, judge, rescore } = await endedRun({ judge: { ...judgeAt, scope: "conversation" } });
  await using _ = bench;
  const full = new ServiceError("storage_full", "full");
  const refusals = { left: 2 };
  const refusing = <Write extends (...given: never[]) => Promise<unknown>>(write: Write): Write =>
    ((...given) => (refusals.left-- > 0 ? Promise.reject(full) : write(...given))) as Write;
  const { store } = bench;
  const told: number[] = [];
  const { response } = await rescore({
    askModels: true,
    onRefused: (_error, times) => void told.push(times),
    store: { ...store, interactions: { ...store.interactions, rescore: refusing(store.interactions.rescore) } },
  });
  expect(told).toEqual([1, 2]);
  expect(judge.requests).toHaveLength(1 + 1);
  expect(response.summary.average_scores["conversation_quality"]).toBe(0);
});

test("broken off before an upgrade, it asks models about all turns: scores of two releases do not mix", async () => {
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

test("a run says by which definitions it was scored, also when others have come since", async () => {
  const { bench, runId, rescore } = await endedRun({});
  await using _ = bench;
  await age(bench.store, runId);
  const before = await bench.results((await bench.store.runs.get(runId))!);
  expect(before.scoring_version).toBe("1");
  const { response } = await rescore({ askModels: false });
  expect(response.scoring_version).toBe(scoringVersion);
});

test("whoever is sent away while another scores the run again is told why", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const { store } = storage;
  const run = sampleRun();
  await store.runs.create(run);
  await store.runs.finish(run.id, ending());
  await store.runs.holdForRescore(run.id);

  const away = new ServiceError("storage_unavailable", "The database cannot be reached.");
  const controller = new AbortController();
  const check = async () => void setImmediate(() => controller.abort(away));
  const waiting = rescoreAlone(run.id, { store, check, work: async () => {}, signal: controller.signal });
  await expect(waiting).rejects.toBe(away);
});
