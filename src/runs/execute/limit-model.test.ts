import { expect, test } from "vitest";
import type { CallEnd, Limits } from "../../contract/ports/limits.ts";
import type { ChatModel, Reply } from "../../contract/ports/chat-model.ts";
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

test("acquires a slot and releases it with the outcome of the call", async () => {
  const limits = fakeLimits();
  const model = limitModel(async () => limited, { limits, ...where });
  expect(await model({ messages: [] }, { signal: new AbortController().signal })).toBe(limited);
  expect(limits.asked).toEqual(["http://127.0.0.1:1 run"]);
  expect(limits.ends).toEqual([{ outcome: "refused", retry_after_ms: 2000 }]);
});

test("reports a timeout as refused, and other failures as failed", async () => {
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

test("reports a refusal at once while the call continues; a pause that is too long counts as none", async () => {
  const limits = fakeLimits();
  const refusing: ChatModel = async (_request, { onRefused }) => {
    for (const wait of [700, undefined, 61_000]) onRefused?.(wait);
    expect(limits.ends).toEqual([]);
    return limited;
  };
  await limitModel(refusing, { limits, ...where })({ messages: [] }, { signal: new AbortController().signal });
  expect(limits.refusals).toEqual([700, 0, 0]);
});

test("starts no call for a run cancelled during the wait, and releases the slot", async () => {
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

test("applies the limits of their own endpoint to helper models, each under its own name", async () => {
  const limits = fakeLimits();
  const create = limitModels(() => async () => limited, limits);
  const request = [{ messages: [] }, { signal: new AbortController().signal }] as const;
  await create({ endpoint: "http://judge.test:80/v1/chat" })(...request);
  await create({ endpoint: "http://judge.test/v1" })(...request);
  expect(limits.asked.map((line) => line.split(" ")[0])).toEqual(["http://judge.test", "http://judge.test"]);
  expect(new Set(limits.asked).size).toBe(2);
  expect(limits.ends).toHaveLength(2);
});

test("returns the models unchanged without limits", () => {
  const create = (): ChatModel => async () => limited;
  expect(limitModels(create, undefined)).toBe(create);
});
