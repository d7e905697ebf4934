import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { createByteBudget, estimateMemory } from "../../base/byte-budget.ts";
import type { ChatModel, FailedReply } from "../../contract/ports/chat-model.ts";
import { fakeModel } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";

const long = "ж".repeat(100_000);
const large = (id: string) => numberedScenario(id, 1, { user_message: long });
const replyTo = fakeModel(() => "Yes");

/** A model that takes its time, and how many of its calls were under way at most. */
function slowModel(answer: ChatModel) {
  const seen = { now: 0, most: 0 };
  const model: ChatModel = async (request, options) => {
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await wait(30);
    seen.now -= 1;
    return answer(request, options);
  };
  return { model, seen };
}

test.each([
  ["has memory for two", 2, 2],
  ["has memory for none", 0.5, 1],
])("runs whose scenarios are large go on one after the other in a process that %s", async (_name, size, most) => {
  const { model, seen } = slowModel(replyTo);
  // The scenario as it was read, and twice as it is sent.
  const memory = createByteBudget(size * 3.1 * estimateMemory(large("s")));
  await using bench = await startBench({ models: { model }, memory });
  const ids = ["a", "b", "c", "d", "e"];
  const results = await Promise.all(ids.map((id) => bench.evaluate({ test_batch: large(id) })));
  expect(results.map(({ state }) => state)).toEqual(ids.map(() => "completed"));
  expect(seen.most).toBeLessThanOrEqual(most);
});

test("a reply for which others leave no memory is asked for again when they have ended", async () => {
  const refused: FailedReply = {
    ok: false,
    error: { code: "overloaded", detail: "no memory", upstream_status: 200, tries: 1, retryable: true },
    latency_ms: 1,
  };
  const { model, seen } = slowModel(async (request, options) => {
    for (let piece = 0; piece < 10; piece += 1) {
      if (options.admitBytes?.(50_000) === false) return refused;
      await wait(20);
    }
    return replyTo(request, options);
  });
  const errors: unknown[] = [];
  await using bench = await startBench({
    models: { model },
    memory: createByteBudget(3_000_000),
    onError: (error) => void errors.push(error),
  });
  const results = await Promise.all(
    ["a", "b", "c"].map((id) => bench.evaluate({ test_batch: numberedScenario(id, 1) })),
  );
  const replies = results.flatMap(
    ({ results: { scenarios } }) => scenarios[0]?.attempts[0]?.interactions[0]?.agent_reply,
  );
  expect(replies).toEqual(["Yes", "Yes", "Yes"]);
  expect(seen.most).toBeGreaterThan(1);
  expect(errors).not.toEqual([]);
});
