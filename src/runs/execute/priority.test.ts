import { expect, test } from "vitest";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { startBench } from "../../../test/support/run-bench.ts";
import { toRun } from "../results/to-run.ts";

const scenarios = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${name}${index}`,
    interactions: [{ id: "1", user_message: name }],
  }));

test("executes a run of higher priority first, and reports its priority", async () => {
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const asked: string[] = [];
  const inner = fakeModel(() => "yes");
  const model: typeof inner = Object.assign(
    async (...input: Parameters<typeof inner>) => {
      asked.push(lastUserMessage(input[0]));
      started.resolve();
      await gate.promise;
      return inner(...input);
    },
    { requests: inner.requests },
  );
  await using bench = await startBench({ models: { model }, concurrency: { global: 1, perRun: 8 } });
  const usual = await bench.create({ test_batch: scenarios("usual", 4) });
  await started.promise;
  const later = await bench.create({ test_batch: scenarios("later", 2), priority: -1 });
  const urgent = await bench.create({ test_batch: scenarios("urgent", 4), priority: 7 });
  gate.resolve();
  const ended = await Promise.all(
    [usual, later, urgent].map(({ id }) => bench.runs.wait(id, AbortSignal.timeout(20_000))),
  );
  expect(ended.map((run) => toRun(run).priority)).toEqual([undefined, -1, 7]);
  expect(asked.filter((name) => name === "usual")).toHaveLength(4);
  // Attempts already claimed when the urgent run arrived are executed first.
  expect(asked.lastIndexOf("urgent")).toBeLessThan(asked.lastIndexOf("usual"));
  expect(asked.slice(-2)).toEqual(["later", "later"]);
  const again = await bench.runs.request(ended[2]!);
  expect(again.priority).toBe(7);
});
