import { expect, test } from "vitest";
import { errorKinds, ServiceError, type ErrorCode } from "../../contract/errors/errors.ts";
import { listStudioModels } from "../../contract/operations/agent-models.ts";
import { createStudioRegistry, type StudioModel } from "./studio-registry.ts";

const first = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
const second = "9b2f6c1e-0000-4000-8000-000000000002";

/** A source that answers from a queue; the last answer repeats. */
function fakeSource(...answers: (readonly StudioModel[] | Error)[]) {
  const calls: AbortSignal[] = [];
  return {
    calls,
    list(signal: AbortSignal) {
      const answer = answers[Math.min(calls.length, answers.length - 1)] ?? [];
      calls.push(signal);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
}

function fakeClock() {
  const clock = () => clock.now;
  clock.now = 0;
  return clock;
}

test("loads the list once in 30 seconds", async () => {
  const source = fakeSource([{ name: "a", id: first }], [{ name: "b", id: second }]);
  const clock = fakeClock();
  const registry = createStudioRegistry({ source, clock });

  expect(await registry.list()).toEqual({ models: { a: first }, stale: false });
  clock.now = 29_999;
  expect(await registry.list()).toEqual({ models: { a: first }, stale: false });
  expect(source.calls).toHaveLength(1);
  clock.now = 30_000;
  expect(await registry.list()).toEqual({ models: { b: second }, stale: false });
});

test("shares one refresh between concurrent callers", async () => {
  const source = fakeSource([{ name: "a", id: first }]);
  const registry = createStudioRegistry({ source });
  await Promise.all([registry.list(), registry.list(), registry.findByName("a"), registry.findById(first)]);
  expect(source.calls).toHaveLength(1);
});

test("keeps the last list, marked stale, when the source fails, and tries again later", async () => {
  const source = fakeSource([{ name: "a", id: first }], new Error("down"), [{ name: "b", id: second }]);
  const clock = fakeClock();
  const registry = createStudioRegistry({ source, clock });
  await registry.list();

  clock.now = 30_000;
  expect(await registry.list()).toEqual({ models: { a: first }, stale: true });
  clock.now = 34_999;
  expect(await registry.list()).toEqual({ models: { a: first }, stale: true });
  expect(source.calls).toHaveLength(2);
  clock.now = 35_000;
  expect(await registry.list()).toEqual({ models: { b: second }, stale: false });
});

test("answers 502 without the cause when no list is known, and tries again", async () => {
  const source = fakeSource(new Error("secret at 10.0.0.1"), [{ name: "a", id: first }]);
  const registry = createStudioRegistry({ source });
  const failure = await registry.list().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "upstream_error", message: expect.not.stringContaining("secret") });
  expect(await registry.list()).toEqual({ models: { a: first }, stale: false });
});

test.each([
  ["upstream_auth", "upstream_auth"],
  ["upstream_timeout", "upstream_error"],
  ["upstream_rate_limited", "upstream_error"],
] as const)("%s of the source is answered as %s, always 502", async (thrown, answered) => {
  const registry = createStudioRegistry({ source: fakeSource(new ServiceError(thrown, "no")) });
  await expect(registry.list()).rejects.toMatchObject({ code: answered });
});

test("fails only with codes of the GET /studio/models contract", async () => {
  const codes = Object.keys(errorKinds) as ErrorCode[];
  const told = codes.map(async (code) => {
    const registry = createStudioRegistry({ source: fakeSource(new ServiceError(code, "no")) });
    return registry.list().catch((error: unknown) => (error as ServiceError).code);
  });
  expect(new Set(await Promise.all(told))).toEqual(new Set(listStudioModels.errors));
  expect(listStudioModels.errors.filter((code) => errorKinds[code].status !== 502)).toEqual([]);
});

test("gives up a silent source at the deadline", async () => {
  const signals: AbortSignal[] = [];
  const source = {
    list(signal: AbortSignal) {
      signals.push(signal);
      return new Promise<never>(() => {});
    },
  };
  await expect(createStudioRegistry({ source, timeoutMs: 5 }).list()).rejects.toMatchObject({ code: "upstream_error" });
  expect(signals[0]?.aborted).toBe(true);
});

test("finds both models of a shared name, and one by its key", async () => {
  const models = [first, second].map((id) => ({ name: "support", id }));
  const registry = createStudioRegistry({ source: fakeSource(models) });
  expect((await registry.list()).models).toEqual({ support: first, "support-9b2f6c1e": second });
  expect(await registry.findByName("support")).toEqual(models);
  expect(await registry.findByName("support-9b2f6c1e")).toEqual([models[1]]);
});

test("leaves out models without a UUID", async () => {
  const source = fakeSource([
    { name: "gpt-4o", id: "gpt-4o" },
    { name: "support", id: first },
  ]);
  expect((await createStudioRegistry({ source }).list()).models).toEqual({ support: first });
});

test("finds a model by any spelling of its UUID", async () => {
  const model = { name: "support", id: first };
  const registry = createStudioRegistry({ source: fakeSource([model]) });
  expect(await registry.findById(`{${first.toUpperCase()}}`)).toEqual(model);
  expect(await registry.findById(second)).toBeNull();
});

test("treats names of object members as ordinary names and finds nothing else under them", async () => {
  const registry = createStudioRegistry({ source: fakeSource([{ name: "__proto__", id: first }]) });
  const { models } = await registry.list();
  expect(JSON.stringify(models)).toBe(`{"__proto__":"${first}"}`);
  expect(models["toString"]).toBeUndefined();
  expect(await registry.findByName("toString")).toEqual([]);
  expect(await registry.findByName("__proto__")).toHaveLength(1);
});
