import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { LocalEndpoint, type Report } from "./local-endpoint.ts";
import type { Allowance } from "./settle-endpoint.ts";

const never = new AbortController().signal;
/** Goes by the clock of the test. */
const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

function endpoint(answer: (report: Report) => Partial<Allowance> = () => ({})) {
  const reports: Report[] = [];
  const local = new LocalEndpoint({
    leaseMs: 60_000,
    onError: () => {},
    settle: async (report) => {
      reports.push(report);
      return { slots: 4, share: 4, permits: null, grew: false, waitMs: 0, ...answer(report) };
    },
  });
  return { local, reports };
}

test("a thousand calls cost a handful of settlements", async () => {
  const { local, reports } = endpoint();
  await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      const slot = await local.acquire({ run_id: "run", signal: never });
      await setImmediate();
      slot.release({ outcome: "ok", tokens: 10 });
    }),
  );
  await local.close();
  expect(reports.length).toBeLessThan(10);
  expect(reports.reduce((sum, report) => sum + report.ok, 0)).toBe(1_000);
  expect(reports.reduce((sum, report) => sum + report.measured.tokens, 0)).toBe(10_000);
  expect(reports.at(-1)).toMatchObject({ inUse: 0, wanted: 0 });
});

test("what could not be told is told again", async () => {
  let failures = 2;
  const { local, reports } = endpoint(() => {
    failures -= 1;
    if (failures === 0) throw new Error("away");
    return {};
  });
  const slot = await local.acquire({ run_id: "run", signal: never });
  slot.release({ outcome: "refused", retry_after_ms: 5 });
  const again = await local.acquire({ run_id: "run", signal: never });
  again.release({ outcome: "ok" });
  expect(reports.slice(1, 3)).toMatchObject([
    { refusedMs: expect.any(Number), pauseMs: 5 },
    { refusedMs: expect.any(Number), pauseMs: 5 },
  ]);
  await local.close();
});

test("a call that is refused and goes on trying lets others start later, at once", async () => {
  const { local, reports } = endpoint(({ refusedMs }) => ({ waitMs: refusedMs === null ? 0 : 60_000 }));
  const slot = await local.acquire({ run_id: "run", signal: never });
  slot.refused(5);
  await expect.poll(() => reports.length).toBe(2);
  expect(reports[1]).toMatchObject({ refusedMs: expect.any(Number), pauseMs: 5, inUse: 1 });
  const waiting = local.acquire({ run_id: "run", signal: never });
  slot.release({ outcome: "ok" });
  await local.close(new Error("closed"));
  await expect(waiting).rejects.toThrow("closed");
});

test("of calls that are refused, the age of the youngest is told, and a call that goes on begins again", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { local, reports } = endpoint();
  const acquire = async () => {
    const slot = local.acquire({ run_id: "run", signal: never });
    await vi.advanceTimersByTimeAsync(1);
    return await slot;
  };
  const old = [await acquire(), await acquire()];
  await vi.advanceTimersByTimeAsync(100_000);
  const young = await acquire();
  old[0]!.refused();
  young.refused();
  await vi.advanceTimersByTimeAsync(30);
  young.release({ outcome: "refused" });
  await vi.advanceTimersByTimeAsync(10);
  old[1]!.release({ outcome: "refused" });
  await vi.advanceTimersByTimeAsync(10);
  const told = reports.flatMap(({ refusedMs }) => refusedMs ?? []);
  expect(told).toEqual([1, 30, expect.closeTo(100_042, -1)]);
  await local.close();
});

test("whoever stops does not wait for a time, and gets the place of a call that ends", async () => {
  let waitMs = 0;
  const { local, reports } = endpoint(() => ({ slots: 1, share: 1, waitMs }));
  const slot = await local.acquire({ run_id: "run", signal: never });
  local.stopWaiting(new Error("stopping"));
  const next = local.acquire({ run_id: "run", signal: never });
  slot.release({ outcome: "ok" });
  const second = await next;
  waitMs = 60_000;
  const waiting = local.acquire({ run_id: "run", signal: never });
  second.refused(60_000);
  await expect(waiting).rejects.toThrow("stopping");
  await expect(local.acquire({ run_id: "run", signal: never })).rejects.toThrow("stopping");
  second.release({ outcome: "ok" });
  await local.close();
  expect(reports.at(-1)).toMatchObject({ inUse: 0 });
});

test("whoever waits for a time when all stop is turned away", async () => {
  const { local, reports } = endpoint(() => ({ waitMs: 60_000 }));
  const waiting = local.acquire({ run_id: "run", signal: never });
  await expect.poll(() => reports.length).toBe(1);
  local.stopWaiting(new Error("stopping"));
  await expect(waiting).rejects.toThrow("stopping");
  await local.close();
});

test("a place goes to the highest priority that waits, then to the run with the fewest calls", async () => {
  const { local } = endpoint(() => ({ slots: 1, share: 1 }));
  const order: string[] = [];
  const held = await local.acquire({ run_id: "usual", signal: never });
  const calls = [
    ["usual", 0],
    ["usual", 0],
    ["later", -5],
    ["urgent", 5],
    ["urgent", 5],
    ["other", undefined],
  ] as const;
  const waiting = calls.map(async ([run_id, priority]) => {
    const slot = await local.acquire({ run_id, priority, signal: never });
    order.push(run_id);
    slot.release({ outcome: "ok" });
  });
  held.release({ outcome: "ok" });
  await Promise.all(waiting);
  await local.close();
  expect(order).toEqual(["urgent", "urgent", "usual", "usual", "other", "later"]);
});

test("a place goes to the owner with the fewest calls, however many runs others have", async () => {
  const { local } = endpoint(() => ({ slots: 2, share: 2 }));
  const order: string[] = [];
  const held = await Promise.all(["a", "b"].map((run_id) => local.acquire({ run_id, owner: "one", signal: never })));
  const waiting = ["c one", "d one", "e one", "f two"].map(async (name) => {
    const [run_id = "", owner] = name.split(" ");
    const slot = await local.acquire({ run_id, owner, signal: never });
    order.push(name);
    slot.release({ outcome: "ok" });
  });
  held[0]?.release({ outcome: "ok" });
  await Promise.all(waiting);
  held[1]?.release({ outcome: "ok" });
  await local.close();
  expect(order).toEqual(["f two", "c one", "d one", "e one"]);
});

test("what is closed while the store is away is closed all the same", async () => {
  const settling = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const local = new LocalEndpoint({
    leaseMs: 60_000,
    onError: () => {},
    settle: async () => {
      ask();
      await settling.promise;
      throw new Error("away");
    },
  });
  const waiting = local.acquire({ run_id: "run", signal: never });
  await asked;
  const closed = local.close(new Error("closed"));
  await expect(waiting).rejects.toThrow("closed");
  settling.resolve();
  await expect(closed).resolves.toBeUndefined();
});

test("a store that never answers does not keep anyone from closing", async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const settle = (): Promise<never> => {
    ask();
    return new Promise(() => {});
  };
  const local = new LocalEndpoint({ leaseMs: 60_000, onError: () => {}, settle });
  const waiting = local.acquire({ run_id: "run", signal: never });
  await asked;
  const closed = local.close(new Error("closed"));
  await expect(waiting).rejects.toThrow("closed");
  await closed;
});

test("permits that were not used are given back", async () => {
  const { local, reports } = endpoint(({ permits }) => ({ permits: permits > 0 ? 10 : 0 }));
  const slot = await local.acquire({ run_id: "run", signal: never });
  slot.release({ outcome: "ok" });
  await local.close();
  expect(reports.at(-1)).toMatchObject({ unusedPermits: 9 });
});

test("permits that came late are given back, unless the store is always so slow", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reports: Report[] = [];
  let answerMs = 10;
  const local = new LocalEndpoint({
    leaseMs: 60_000,
    onError: () => {},
    settle: async (report) => {
      reports.push(report);
      await sleep(answerMs);
      return { slots: 4, share: 4, permits: report.permits, grew: false, waitMs: 0 };
    },
  });
  const started: number[] = [];
  const call = async () => {
    const slot = await local.acquire({ run_id: "run", signal: never });
    started.push(performance.now());
    slot.release({ outcome: "ok" });
  };
  void call();
  await vi.advanceTimersByTimeAsync(20);
  expect(started).toHaveLength(1);

  answerMs = 2_000;
  void call();
  await vi.advanceTimersByTimeAsync(2_100);
  expect(started).toHaveLength(1);
  expect(reports.at(-1)).toMatchObject({ unusedPermits: 1, permits: 1 });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(started).toHaveLength(2);
  const closed = local.close();
  await vi.advanceTimersByTimeAsync(5_000);
  await closed;
});

test("an endpoint is idle once its calls are over and told, and not before", async () => {
  const { local } = endpoint(({ wanted }) => ({ slots: wanted, share: wanted }));
  expect(local.isIdle).toBe(true);
  const slot = await local.acquire({ run_id: "run", signal: never });
  expect(local.isIdle).toBe(false);
  slot.release({ outcome: "ok" });
  expect(local.isIdle).toBe(false);
  await expect.poll(() => local.isIdle, { timeout: 5_000 }).toBe(true);
  await local.close();
});
