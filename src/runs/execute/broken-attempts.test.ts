import { expect, test } from "vitest";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench, type RunBench } from "../../../test/support/run-bench.ts";
import { webhookEvents } from "../deliver-webhooks.ts";

const right = () => fakeModel((request) => lastUserMessage(request).replace("q", "a"));
const breaking: ChatModel = () => Promise.reject(new Error("no way\nto judge"));

test("stores a reply whose scoring fails with the reason, and does not request it again", async () => {
  const model = right();
  const errors: unknown[] = [];
  await using bench = await startBench({
    models: { model, judge: breaking },
    onError: (error) => errors.push(error),
  });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 2),
    judge: { endpoint: "http://judge", model_id: "judge" },
  });
  expect(response.state).toBe("completed");
  const turns = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turns.map(({ agent_reply, scores }) => [agent_reply, scores])).toEqual([
    ["a1", { success: 1 }],
    ["a2", { success: 1 }],
  ]);
  expect(turns[0]?.score_reasons["overall"]).toBe("unscored: scoring broke: no way to judge");
  expect(model.requests).toHaveLength(2);
  expect(errors).toHaveLength(2);
});

test("ends a conversation without a verdict when judging fails", async () => {
  const model = right();
  await using bench = await startBench({ models: { model, judge: breaking }, onError: () => {} });
  const rubrics = [{ name: "polite", text: "Is it polite?" }];
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 2),
    judge: { endpoint: "http://judge", model_id: "judge", scope: "conversation", rubrics },
  });
  expect(response.state).toBe("completed");
  const [attempt] = response.results.scenarios[0]?.attempts ?? [];
  expect(attempt?.conversation?.scores).toEqual({});
  expect(Object.values(attempt?.conversation?.score_reasons ?? {})).toEqual([
    "unscored: scoring broke: no way to judge",
  ]);
  expect(attempt?.interactions.map(({ scores }) => scores["overall"])).toEqual([1, 1]);
  expect(response.message).toBe("Evaluation completed: 2 interactions; the scoring of 2 failed");
  expect(model.requests).toHaveLength(2);
});

/**
 * Makes the rests between two tries of an attempt a thousand times shorter, and notes which counted as a break. After the last try the
 * rest stays what it is: the run fails while the attempt rests.
 */
function impatient({ queue }: RunBench): boolean[] {
  const { release } = queue;
  const broke: boolean[] = [];
  Object.assign(queue, {
    release: (lease, { delay_ms = 0, ...options } = {}) => {
      broke.push(options.broke ?? false);
      const isLast = broke.filter(Boolean).length === 5;
      return release(lease, { ...options, delay_ms: isLast ? delay_ms : delay_ms / 1_000 });
    },
  } satisfies Partial<RunBench["queue"]>);
  return broke;
}

test("fails a run whose attempt keeps failing, with the reason, and keeps its results", async () => {
  const model: ChatModel = (request, options) =>
    lastUserMessage(request) === "q2" ? Promise.reject(new TypeError("cannot read it")) : right()(request, options);
  await using bench = await startBench({ models: { model }, onError: () => {} });
  const broke = impatient(bench);
  const { id } = await bench.create({ test_batch: numberedScenario("s", 3) });
  const run = await bench.runs.wait(id, AbortSignal.timeout(20_000));
  expect(run.state).toBe("failed");
  expect(run.message).toBe(
    'Evaluation failed: attempt 1 of the scenario "s" failed 5 times, most recently with: cannot read it',
  );
  expect(broke).toEqual([true, true, true, true, true]);
  expect(run.progress).toMatchObject({ interactions_done: 1 });
  const response = await bench.results(run);
  expect(response.results.scenarios[0]?.attempts[0]?.interactions.map((turn) => turn.agent_reply)).toEqual(["a1"]);
  expect(webhookEvents(run).map(({ body }) => body.type)).toEqual(["run.failed"]);
});

test("fails a run that cannot be started", async () => {
  await using bench = await startBench({ models: {}, onError: () => {} });
  impatient(bench);
  const { id } = await bench.create({
    test_batch: [numberedScenario("one", 1), numberedScenario("two", 1)],
    attempts: 3,
  });
  const run = await bench.runs.wait(id, AbortSignal.timeout(20_000));
  expect(run).toMatchObject({ state: "failed", message: expect.stringContaining("no model model") });
});

test("fails a run whose attempt breaks its process, with the figures so far", async () => {
  await using bench = await startBench({ models: { model: right() }, onError: () => {} });
  const { claim } = bench.queue;
  // As after two ends of the process during the second attempt.
  const afterDeaths: RunBench["queue"]["claim"] = async (options) =>
    (await claim(options)).map((claimed) =>
      claimed.attempt === 2 ? { ...claimed, alone: true, fatal: true } : claimed,
    );
  Object.assign(bench.queue, { claim: afterDeaths } satisfies Partial<RunBench["queue"]>);
  // Comes after the claim that the worker began with.
  await claim({ worker: "another", limit: 0, perRun: 1 });
  const { id } = await bench.create({ test_batch: numberedScenario("s", 1), attempts: 2 });
  const run = await bench.runs.wait(id, AbortSignal.timeout(20_000));
  expect(run).toMatchObject({
    state: "failed",
    message: expect.stringContaining('attempt 2 of the scenario "s" failed: it ended its process twice'),
  });
  expect(run.summary).not.toBeNull();
});
