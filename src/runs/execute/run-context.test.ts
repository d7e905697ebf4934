import { expect, test } from "vitest";
import type { ChatOptions } from "../../contract/ports/chat-model.ts";
import { Interaction } from "../../contract/schemas/scenario.ts";
import { createRunContexts, streamedModel, wantsStream, type RunContext } from "./run-context.ts";
import { fakeModel } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";

test("shares the context of a run between concurrent attempts, whatever other runs come in between", async () => {
  const model = fakeModel(() => "Hi");
  await using bench = await startBench({ models: { model } });
  const ids: string[] = [];
  for (const id of ["a", "b", "c"]) ids.push((await bench.create({ test_batch: numberedScenario(id, 1) })).id);
  const [slow = "", ...others] = ids;
  const contexts = createRunContexts(bench, {
    createModel: () => model,
    createScoring: async () => ({ scoring: {} as RunContext["scoring"], conversationJudge: null }),
    now: Date.now,
    keep: 1,
  });
  await contexts.during(slow, async (first) => {
    for (const id of others) await contexts.during(id, async () => {});
    await contexts.during(slow, async (again) => expect(again).toBe(first));
  });
});

test("drops unused contexts", async () => {
  const model = fakeModel(() => "Hi");
  await using bench = await startBench({ models: { model } });
  const [one, other] = [
    await bench.create({ test_batch: numberedScenario("a", 1) }),
    await bench.create({ test_batch: numberedScenario("b", 1) }),
  ];
  const contexts = createRunContexts(bench, {
    createModel: () => model,
    createScoring: async () => ({ scoring: {} as RunContext["scoring"], conversationJudge: null }),
    now: Date.now,
    keep: 1,
  });
  const contextOf = (id: string) => contexts.during(id, async (context) => context);
  const first = await contextOf(one.id);
  expect(await contextOf(one.id)).toBe(first);
  await contextOf(other.id);
  expect(await contextOf(one.id)).not.toBe(first);
});

test("keeps a newer context when an older one fails late", async () => {
  const model = fakeModel(() => "Hi");
  await using bench = await startBench({ models: { model } });
  const { id } = await bench.create({ test_batch: numberedScenario("a", 1) });
  const [asked, late] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  let reads = 0;
  const contexts = createRunContexts(bench, {
    createModel: () => model,
    createScoring: async () => {
      reads += 1;
      if (reads > 1) return { scoring: {} as RunContext["scoring"], conversationJudge: null };
      asked.resolve();
      return late.promise;
    },
    now: Date.now,
  });
  const contextOf = () => contexts.during(id, async (context) => context);
  const failed = contextOf();
  await asked.promise;
  contexts.forget(id);
  const second = await contextOf();
  late.reject(new Error("too late"));
  await expect(failed).rejects.toThrow("too late");
  expect(await contextOf()).toBe(second);
});

test("streams when the run or a check of the first token asks for it", () => {
  expect(wantsStream({}, [])).toBe(false);
  expect(wantsStream({ stream: true }, [])).toBe(true);
  const check = { type: "latency", max_ms: 200, of: "first_token" } as const;
  expect(wantsStream({ scorers: ["token_f1", check] }, [])).toBe(true);
  expect(wantsStream({ scorers: [{ ...check, of: "reply" }] }, [])).toBe(false);
  expect(wantsStream({ stream: false, scorers: [check] }, [])).toBe(false);
  const turn = Interaction.parse({ id: "1", user_message: "Hi", interaction_type: "opening", checks: [check] });
  const scenario = { id: "a", description: "", tags: [], interactions: [turn] };
  expect(wantsStream({}, [scenario])).toBe(true);
  expect(wantsStream({ stream: false }, [scenario])).toBe(false);
});

test("passes the stream option to the model with all others", async () => {
  const seen: ChatOptions[] = [];
  const answer = fakeModel(() => "Hi");
  const model = streamedModel((request, options) => {
    seen.push(options);
    return answer(request, options);
  });
  const { signal } = new AbortController();
  await model({ messages: [] }, { signal });
  expect(seen).toEqual([{ signal, stream: true }]);
});
