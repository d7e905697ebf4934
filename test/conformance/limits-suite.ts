import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { CallEnd, CallSlot, EndpointLimits, Limits } from "../../src/contract/ports/limits.ts";
import type { OpenedStorage } from "../../src/storage/drivers/open-sqlite.ts";

/** One database, in real time, opened as often as there are workers. */
interface LimitsUnderTest extends AsyncDisposable {
  open(): Promise<OpenedStorage>;
}

const endpoint = "http://127.0.0.1:9/v1";
const never = new AbortController().signal;

/** The promises of every driver of the `Limits` port. */
export function limitsSuite(name: string, prepare: () => Promise<LimitsUnderTest>): void {
  const workers = async (count: number, limits: EndpointLimits, leaseMs?: number) =>
    workersWith(
      Array.from({ length: count }, () => limits),
      leaseMs,
    );
  /** One worker for each of these limits. */
  const workersWith = async (each: readonly EndpointLimits[], leaseMs?: number) => {
    const storage = await prepare();
    const opened = await Promise.all(each.map(() => storage.open()));
    const made = opened.map((one, index) =>
      one.createLimits({ worker: `w${index}`, limitsOf: () => each[index]!, ...(leaseMs && { leaseMs }) }),
    );
    return {
      all: made as [Limits, Limits],
      opened,
      async [Symbol.asyncDispose]() {
        await Promise.all(made.map((one) => one.close()));
        await Promise.all(opened.map((one) => one.close()));
        await storage[Symbol.asyncDispose]();
      },
    };
  };

  describe(`${name}: limits`, () => {
    test("workers together make no more calls at once than allowed, and all get through", async () => {
      await using two = await workers(2, { concurrency: 5 });
      const crowd = countCalls();
      await Promise.all(
        two.all.flatMap((limits) =>
          Array.from({ length: 40 }, () => crowd.call(limits, { ms: 1 + Math.random() * 5 })),
        ),
      );
      expect(crowd.most).toBeLessThanOrEqual(5);
      expect(crowd.most).toBeGreaterThan(1);
      expect(crowd.ended).toBe(80);
    });

    test("a worker that comes later gets its share while the first still has much to do", async () => {
      await using two = await workers(2, { concurrency: 4 }, 200);
      const [first, second] = two.all;
      const [busy, late] = [countCalls(), countCalls()];
      let stop = false;
      const lanes = Array.from({ length: 20 }, async () => {
        while (!stop) await busy.call(first, { ms: 5 });
      });
      await Promise.all(Array.from({ length: 6 }, () => late.call(second, { ms: 5 })));
      stop = true;
      await Promise.all(lanes);
      expect(late.ended).toBe(6);
    });

    test("one place serves two workers in turn", async () => {
      await using two = await workers(2, { concurrency: 1 }, 200);
      const crowd = countCalls();
      await Promise.all(two.all.flatMap((limits) => Array.from({ length: 4 }, () => crowd.call(limits, { ms: 2 }))));
      expect([crowd.most, crowd.ended]).toEqual([1, 8]);
    });

    test("runs take turns: a small one does not wait for a large one", async () => {
      await using one = await workers(1, { concurrency: 2 });
      const order: string[] = [];
      const crowd = countCalls();
      const call = async (run: string): Promise<void> => {
        await crowd.call(one.all[0], { ms: 2, run });
        order.push(run);
      };
      const large = Array.from({ length: 30 }, () => call("large"));
      await Promise.all(Array.from({ length: 3 }, () => call("small")));
      expect(order.filter((run) => run === "large").length).toBeLessThan(15);
      await Promise.all(large);
    });

    test("calls come no faster than the rate, all workers together", async () => {
      await using two = await workers(2, { concurrency: 50, requests_per_minute: 1_200 });
      const startedAt = performance.now();
      const crowd = countCalls();
      await Promise.all(two.all.flatMap((limits) => Array.from({ length: 20 }, () => crowd.call(limits, { ms: 0 }))));
      // A second's worth at once, the rest one by one.
      expect(performance.now() - startedAt).toBeGreaterThan(((40 - 20) * 60_000) / 1_200);
      expect(crowd.ended).toBe(40);
    });

    test("tokens are used no faster than the rate, also while the tokens of a call are unknown", async () => {
      await using two = await workers(2, { concurrency: 50, tokens_per_minute: 60_000 });
      const startedAt = performance.now();
      const crowd = countCalls();
      const call = (limits: Limits) => crowd.call(limits, { ms: 0, end: { outcome: "ok", tokens: 600 } });
      await Promise.all([0, 1, 0, 1, 0].map((worker) => call(two.all[worker]!)));
      // The fifth call waits until less than a second's worth of the 2,400 tokens before it is owed.
      expect(performance.now() - startedAt).toBeGreaterThan(1_000);
    });

    test("an endpoint that tells no tokens is called as usual", async () => {
      await using one = await workers(1, { concurrency: 10, tokens_per_minute: 60 });
      const crowd = countCalls();
      while (crowd.most < 10) {
        await Promise.all(Array.from({ length: 20 }, () => crowd.call(one.all[0], { ms: 5 })));
      }
      expect(crowd.most).toBe(10);
    });

    test("the time an endpoint asks for holds for every worker", async () => {
      await using two = await workers(2, { concurrency: 5 });
      const [first, second] = two.all;
      const slots = await Promise.all([300, 1].map(() => first.acquire({ endpoint, run_id: "run", signal: never })));
      const startedAt = performance.now();
      for (const [index, retry_after_ms] of [300, 1].entries())
        slots[index]!.release({ outcome: "failed", retry_after_ms });
      // The other worker has not asked for anything yet: it learns of the pause when it does.
      await sleep(50);
      const crowd = countCalls();
      await Promise.all([crowd.call(first, { ms: 0 }), crowd.call(second, { ms: 0 })]);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(295);
    });

    test("a worker makes as many calls at once as its own number says, whatever others made before or make now", async () => {
      await using two = await workersWith([16, 100].map((concurrency) => ({ concurrency, shared: false })));
      const [first, second] = two.all;
      const crowd = countCalls();
      await Promise.all(Array.from({ length: 40 }, () => crowd.call(first, { ms: 1 })));
      expect(crowd.most).toBe(16);
      await acquireMany(first, 16);
      expect(await acquireMany(second, 100)).toHaveLength(100);
      expect([await isFull(first), await isFull(second)]).toEqual([true, true]);
    });

    test("a limit that is shared counts the calls of those who share it, and the lowest one holds", async () => {
      await using three = await workersWith([
        { concurrency: 50, shared: false },
        { concurrency: 6 },
        { concurrency: 4 },
      ]);
      const [own, six, four] = three.all as readonly Limits[] as [Limits, Limits, Limits];
      await acquireMany(own, 50);
      await acquireMany(six, 3);
      await acquireMany(four, 1);
      expect([await isFull(four), await isFull(six)]).toEqual([true, true]);
    });

    test("a refused call halves what is under way, for everyone, and success brings it back", async () => {
      await using two = await workersWith(
        [
          { concurrency: 100, shared: false },
          { concurrency: 8, shared: false },
        ],
        200,
      );
      const [first, second] = two.all;
      const [refused, ...others] = [...(await acquireMany(first, 8)), ...(await acquireMany(second, 8))];
      refused?.release({ outcome: "refused", retry_after_ms: 20 });
      for (const slot of others) slot.release({ outcome: "failed" });
      // A limit learned by one worker reaches the other with its next read of the shared row.
      let afterwards = countCalls();
      do {
        afterwards = countCalls();
        const { call } = afterwards;
        const calls = two.all.flatMap((limits) =>
          Array.from({ length: 20 }, () => call(limits, { ms: 3, end: { outcome: "failed" } })),
        );
        await Promise.all(calls);
      } while (afterwards.most > 8);
      expect(afterwards.most).toBeGreaterThan(1);
      const better = countCalls();
      while (better.most < 16) {
        await Promise.all(Array.from({ length: 40 }, () => better.call(first, { ms: 20 })));
      }
    });

    test("places held by a dead worker are freed", async () => {
      await using two = await workers(2, { concurrency: 2 }, 400);
      const [first, second] = two.all;
      const request = { endpoint, run_id: "r", signal: never };
      await Promise.all([first.acquire(request), first.acquire(request)]);
      await two.opened[0]!.close();
      const [one, other] = await Promise.all([second.acquire(request), second.acquire(request)]);
      expect([one, other]).toHaveLength(2);
    });

    test("an aborted wait takes no place, and releasing twice frees one place", async () => {
      await using one = await workers(1, { concurrency: 1 });
      const [limits] = one.all;
      const held = await limits.acquire({ endpoint, run_id: "r", signal: never });
      const controller = new AbortController();
      const waiting = limits.acquire({ endpoint, run_id: "r", signal: controller.signal });
      controller.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
      await expect(limits.acquire({ endpoint, run_id: "r", signal: controller.signal })).rejects.toThrow("enough");
      held.release({ outcome: "ok" });
      held.release({ outcome: "ok" });
      const crowd = countCalls();
      await Promise.all([1, 2, 3].map(() => crowd.call(limits, { ms: 2 })));
      expect(crowd.most).toBe(1);
    });

    test("endpoints do not share, and closed limits reject those who wait", async () => {
      await using one = await workers(1, { concurrency: 1 });
      const [limits] = one.all;
      await limits.acquire({ endpoint: "http://a", run_id: "r", signal: never });
      await limits.acquire({ endpoint: "http://b", run_id: "r", signal: never });
      const waiting = limits.acquire({ endpoint: "http://a", run_id: "r", signal: never });
      await Promise.all([expect(waiting).rejects.toMatchObject({ code: "shutting_down" }), limits.close()]);
    });
  });
}

/** Calls that begin and do not end. Fails instead of waiting for ever. */
function acquireMany(limits: Limits, count: number): Promise<CallSlot[]> {
  const signal = AbortSignal.timeout(20_000);
  return Promise.all(Array.from({ length: count }, () => limits.acquire({ endpoint, run_id: "r", signal })));
}

/** True when one more call would have to wait. */
async function isFull(limits: Limits): Promise<boolean> {
  const waiting = limits.acquire({ endpoint, run_id: "r", signal: AbortSignal.timeout(200) });
  return waiting.then(
    () => false,
    () => true,
  );
}

interface Call {
  readonly ms: number;
  readonly run?: string;
  readonly end?: CallEnd;
}

function countCalls() {
  let now = 0;
  const counted = {
    most: 0,
    ended: 0,
    async call(limits: Limits, { ms, run = "r", end = { outcome: "ok" } }: Call): Promise<void> {
      const slot = await limits.acquire({ endpoint, run_id: run, signal: never });
      now += 1;
      counted.most = Math.max(counted.most, now);
      if (ms > 0) await sleep(ms);
      now -= 1;
      counted.ended += 1;
      slot.release(end);
    },
  };
  return counted;
}
