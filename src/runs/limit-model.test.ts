import { expect, test } from "vitest";
import type { CallEnd, Limits } from "../contract/ports/limits.ts";
import type { ChatModel, Reply } from "../contract/ports/chat-model.ts";
import { limitModel, limitModels } from "./limit-model.ts";

function fakeLimits(): Limits & { ends: CallEnd[]; refusals: number[]; asked: string[] } {
  const ends: CallEnd[] = [];
  const refusals: number[] = [];
  const asked: string[] = [];
  return {
    ends,
    refusals,
    asked,
    acquire: async ({ endpoint, run_id }) => {
      asked.push(`${endpoint} ${run_id}`);
      return { refused: (pause = 0) => refusals.push(pause), release: (end) => ends.push(end) };
    },
    stopWaiting: () => {},
    close: async () => {},
  };
}

const limited: Reply = {
  ok: false,
  latency_ms: 1,
  error: {
    code: "upstream_rate_limited",
    detail: "",
    upstream_status: 429,
    tries: 1,
    retryable: true,
    retry_after_ms: 2000,
  },
};
const where = { endpoint: "http://127.0.0.1:1", run_id: "run" };

test("a call takes a place and gives it back with what it learnt", async () => {
  const limits = fakeLimits();
  const model = limitModel(async () => limited, { limits, ...where });
  expect(await model({ messages: [] }, { signal: new AbortController().signal })).toBe(limited);
  expect(limits.asked).toEqual(["http://127.0.0.1:1 run"]);
  expect(limits.ends).toEqual([{ outcome: "refused", retry_after_ms: 2000 }]);
});

test("a call that timed out counts as refused, another failure does not", async () => {
  const limits = fakeLimits();
  for (const code of ["upstream_timeout", "upstream_error"] as const) {
    const failed: Reply = { ...limited, error: { ...limited.error, code } };
    await limitModel(async () => failed, { limits, ...where })(
      { messages: [] },
      { signal: new AbortController().signal },
    );
  }
  expect(limits.ends).toEqual([{ outcome: "refused" }, { outcome: "failed" }]);
});

test("what the endpoint refuses is told at once, while the call goes on; a wait that nobody waits is no pause", async () => {
  const limits = fakeLimits();
  const refusing: ChatModel = async (_request, { onRefused }) => {
    for (const wait of [700, undefined, 61_000]) onRefused?.(wait);
    expect(limits.ends).toEqual([]);
    return limited;
  };
  await limitModel(refusing, { limits, ...where })({ messages: [] }, { signal: new AbortController().signal });
  expect(limits.refusals).toEqual([700, 0, 0]);
});

test("a run that was cancelled while it waited starts no call, and the place is free again", async () => {
  const limits = fakeLimits();
  const controller = new AbortController();
  let calls = 0;
  const counting: ChatModel = async () => {
    calls += 1;
    return limited;
  };
  const model = limitModel(counting, { limits, ...where });
  const call = model({ messages: [] }, { signal: controller.signal });
  controller.abort(new Error("cancelled"));
  await expect(call).rejects.toThrow("cancelled");
  expect(calls).toBe(0);
  expect(limits.ends).toEqual([{ outcome: "failed" }]);
});

test("helping models keep to the limits of their own endpoint, each in its own name", async () => {
  const limits = fakeLimits();
  const create = limitModels(() => async () => limited, limits);
  const request = [{ messages: [] }, { signal: new AbortController().signal }] as const;
  await create({ endpoint: "http://judge.test:80/v1/chat" })(...request);
  await create({ endpoint: "http://judge.test/v1" })(...request);
  expect(limits.asked.map((line) => line.split(" ")[0])).toEqual(["http://judge.test", "http://judge.test"]);
  expect(new Set(limits.asked).size).toBe(2);
  expect(limits.ends).toHaveLength(2);
});

test("without limits the models are as they were made", () => {
  const create = (): ChatModel => async () => limited;
  expect(limitModels(create, undefined)).toBe(create);
});
