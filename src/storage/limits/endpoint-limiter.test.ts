import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { EndpointLimiter, type UsageReport } from "./endpoint-limiter.ts";
import type { Quota } from "./quota.ts";

const never = new AbortController().signal;
/** Uses the fake timers of the test. */
const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

function endpoint(answer: (report: UsageReport) => Partial<Quota> = () => ({})) {
  const reports: UsageReport[] = [];
  const limiter = new EndpointLimiter({
    leaseMs: 60_000,
    onError: () => {},
    renew: async (report) => {
      reports.push(report);
      return { slots: 4, share: 4, permits: null, increased: false, waitMs: 0, ...answer(report) };
    },
  });
  return { limiter, reports };
}

test("renews only a few times for a thousand calls", async () => {
  const { limiter, reports } = endpoint();
  await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      const slot = await limiter.acquire({ run_id: "run", signal: never });
      await setImmediate();
      slot.release({ outcome: "ok", tokens: 10 });
    }),
  );
  await limiter.close();
  expect(reports.length).toBeLessThan(10);
  expect(reports.reduce((sum, report) => sum + report.ok, 0)).toBe(1_000);
  expect(reports.reduce((sum, report) => sum + report.measured.tokens, 0)).toBe(10_000);
  expect(reports.at(-1)).toMatchObject({ inUse: 0, wanted: 0 });
});

test("reports again after a failed renewal", async () => {
  let failures = 2;
  const { limiter, reports } = endpoint(() => {
    failures -= 1;
    if (failures === 0) throw new Error("away");
    return {};
  });
  const slot = await limiter.acquire({ run_id: "run", signal: never });
  slot.release({ outcome: "refused", retry_after_ms: 5 });
  const again = await limiter.acquire({ run_id: "run", signal: never });
  again.release({ outcome: "ok" });
  expect(reports.slice(1, 3)).toMatchObject([
    { refusedMs: expect.any(Number), pauseMs: 5 },
    { refusedMs: expect.any(Number), pauseMs: 5 },
  ]);
  await limiter.close();
});

test("delays other calls as soon as a call is refused, even if that call retries", async () => {
  const { limiter, reports } = endpoint(({ refusedMs }) => ({ waitMs: refusedMs === null ? 0 : 60_000 }));
  const slot = await limiter.acquire({ run_id: "run", signal: never });
  slot.refused(5);
  await expect.poll(() => reports.length).toBe(2);
  expect(reports[1]).toMatchObject({ refusedMs: expect.any(Number), pauseMs: 5, inUse: 1 });
  const waiting = limiter.acquire({ run_id: "run", signal: never });
  slot.release({ outcome: "ok" });
  await limiter.close(new Error("closed"));
  await expect(waiting).rejects.toThrow("closed");
});

test("reports the age of the youngest refused call, counting a retry as a new call", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { limiter, reports } = endpoint();
  const acquire = async () => {
    const slot = limiter.acquire({ run_id: "run", signal: never });
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
  const ages = reports.flatMap(({ refusedMs }) => refusedMs ?? []);
  expect(ages).toEqual([1, 30, expect.closeTo(100_042, -1)]);
  await limiter.close();
});

test("rejects waits for a pause after stopWaiting, but still reuses freed slots", async () => {
  let waitMs = 0;
  const { limiter, reports } = endpoint(() => ({ slots: 1, share: 1, waitMs }));
  const slot = await limiter.acquire({ run_id: "run", signal: never });
  limiter.stopWaiting(new Error("stopping"));
  const next = limiter.acquire({ run_id: "run", signal: never });
  slot.release({ outcome: "ok" });
  const second = await next;
  waitMs = 60_000;
  const waiting = limiter.acquire({ run_id: "run", signal: never });
  second.refused(60_000);
  await expect(waiting).rejects.toThrow("stopping");
  await expect(limiter.acquire({ run_id: "run", signal: never })).rejects.toThrow("stopping");
  second.release({ outcome: "ok" });
  await limiter.close();
  expect(reports.at(-1)).toMatchObject({ inUse: 0 });
});

test("rejects calls that wait for a pause when stopWaiting is called", async () => {
  const { limiter, reports } = endpoint(() => ({ waitMs: 60_000 }));
  const waiting = limiter.acquire({ run_id: "run", signal: never });
  await expect.poll(() => reports.length).toBe(1);
  limiter.stopWaiting(new Error("stopping"));
  await expect(waiting).rejects.toThrow("stopping");
  await limiter.close();
});

test("gives a slot to the highest priority, then to the run with the fewest calls", async () => {
  const { limiter } = endpoint(() => ({ slots: 1, share: 1 }));
  const order: string[] = [];
  const held = await limiter.acquire({ run_id: "usual", signal: never });
  const calls = [
    ["usual", 0],
    ["usual", 0],
    ["later", -5],
    ["urgent", 5],
    ["urgent", 5],
    ["other", undefined],
  ] as const;
  const waiting = calls.map(async ([run_id, priority]) => {
    const slot = await limiter.acquire({ run_id, priority, signal: never });
    order.push(run_id);
    slot.release({ outcome: "ok" });
  });
  held.release({ outcome: "ok" });
  await Promise.all(waiting);
  await limiter.close();
  expect(order).toEqual(["urgent", "urgent", "usual", "usual", "other", "later"]);
});

test("gives a slot to the owner with the fewest calls, however many runs others have", async () => {
  const { limiter } = endpoint(() => ({ slots: 2, share: 2 }));
  const order: string[] = [];
  const held = await Promise.all(["a", "b"].map((run_id) => limiter.acquire({ run_id, owner: "one", signal: never })));
  const waiting = ["c one", "d one", "e one", "f two"].map(async (name) => {
    const [run_id = "", owner] = name.split(" ");
    const slot = await limiter.acquire({ run_id, owner, signal: never });
    order.push(name);
    slot.release({ outcome: "ok" });
  });
  held[0]?.release({ outcome: "ok" });
  await Promise.all(waiting);
  held[1]?.release({ outcome: "ok" });
  await limiter.close();
  expect(order).toEqual(["f two", "c one", "d one", "e one"]);
});

test("closes while the store is unavailable", async () => {
  const settling = Promise.withResolvers<void>();
  const { promise: requested, resolve: onRequest } = Promise.withResolvers<void>();
  const limiter = new EndpointLimiter({
    leaseMs: 60_000,
    onError: () => {},
    renew: async () => {
      onRequest();
      await settling.promise;
      throw new Error("away");
    },
  });
  const waiting = limiter.acquire({ run_id: "run", signal: never });
  await requested;
  const closed = limiter.close(new Error("closed"));
  await expect(waiting).rejects.toThrow("closed");
  settling.resolve();
  await expect(closed).resolves.toBeUndefined();
});

test("closes while the store never answers", async () => {
  const { promise: requested, resolve: onRequest } = Promise.withResolvers<void>();
  const renew = (): Promise<never> => {
    onRequest();
    return new Promise(() => {});
  };
  const limiter = new EndpointLimiter({ leaseMs: 60_000, onError: () => {}, renew });
  const waiting = limiter.acquire({ run_id: "run", signal: never });
  await requested;
  const closed = limiter.close(new Error("closed"));
  await expect(waiting).rejects.toThrow("closed");
  await closed;
});

test("returns unused permits", async () => {
  const { limiter, reports } = endpoint(({ permits }) => ({ permits: permits > 0 ? 10 : 0 }));
  const slot = await limiter.acquire({ run_id: "run", signal: never });
  slot.release({ outcome: "ok" });
  await limiter.close();
  expect(reports.at(-1)).toMatchObject({ unusedPermits: 9 });
});

test("returns permits that came late, unless the store is always slow", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reports: UsageReport[] = [];
  let answerMs = 10;
  const limiter = new EndpointLimiter({
    leaseMs: 60_000,
    onError: () => {},
    renew: async (report) => {
      reports.push(report);
      await sleep(answerMs);
      return { slots: 4, share: 4, permits: report.permits, increased: false, waitMs: 0 };
    },
  });
  const started: number[] = [];
  const call = async () => {
    const slot = await limiter.acquire({ run_id: "run", signal: never });
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
  const closed = limiter.close();
  await vi.advanceTimersByTimeAsync(5_000);
  await closed;
});

test("is idle once its calls have ended and are reported", async () => {
  const { limiter } = endpoint(({ wanted }) => ({ slots: wanted, share: wanted }));
  expect(limiter.isIdle).toBe(true);
  const slot = await limiter.acquire({ run_id: "run", signal: never });
  expect(limiter.isIdle).toBe(false);
  slot.release({ outcome: "ok" });
  expect(limiter.isIdle).toBe(false);
  await expect.poll(() => limiter.isIdle, { timeout: 5_000 }).toBe(true);
  await limiter.close();
});
