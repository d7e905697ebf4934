import { setImmediate as turn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { ClaimedAttempt, Queue } from "../../contract/ports/queue.ts";
import type { Lease } from "../../contract/ports/store.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { LeaseLost } from "../stored/attempt-errors.ts";
import { createWorker, type WorkerOptions } from "./worker.ts";

const attempt = (id: string, run_id = "run"): ClaimedAttempt => ({
  lease: { attempt_id: id, fence: 1 },
  run_id,
  scenario_index: 0,
  attempt: 1,
  tries: 1,
  breaks: 0,
});

/** A queue that hands out what it is given, and remembers what came back. */
function fakeQueue() {
  const ready: ClaimedAttempt[] = [];
  const released: string[] = [];
  const releases: Parameters<Queue["release"]>[1][] = [];
  const cancelListeners = new Set<(runId: string) => void>();
  let beforeClaimEnds = async (): Promise<void> => {};
  const queue: Queue = {
    async claim({ limit }) {
      const claimed = ready.splice(0, limit);
      await beforeClaimEnds();
      return claimed;
    },
    heartbeat: async () => [],
    finish: async () => ({ finished: true, run_drained: false }),
    async release({ attempt_id }, options) {
      released.push(attempt_id);
      releases.push(options);
    },
    recover: async () => 0,
    onWork: () => () => {},
    onCancel(listener) {
      cancelListeners.add(listener);
      return () => cancelListeners.delete(listener);
    },
  };
  return {
    queue,
    ready,
    released,
    releases,
    listeners: () => cancelListeners.size,
    cancel: (runId: string) => cancelListeners.forEach((listener) => listener(runId)),
    duringClaim: (work: () => Promise<void>) => (beforeClaimEnds = work),
  };
}

function startWorker(queue: Queue, options: Partial<WorkerOptions>) {
  const errors: unknown[] = [];
  const worker = createWorker({
    id: "w",
    queue,
    execute: async () => {},
    capacity: 4,
    perRun: 4,
    onError: (error) => errors.push(error),
    onReleased: async () => {},
    onBroken: async () => {},
    ...options,
  });
  worker.start();
  return { worker, errors };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });

test("aborts attempts of a run cancelled by another process, and no others", async () => {
  const fake = fakeQueue();
  fake.ready.push(attempt("a", "cancelled"), attempt("b", "other"));
  const signals = new Map<string, AbortSignal>();
  const { worker, errors } = startWorker(fake.queue, {
    execute: (claimed, { signal }) => {
      signals.set(claimed.run_id, signal);
      return untilAborted(signal);
    },
  });
  await turn();
  fake.cancel("cancelled");
  expect([signals.get("cancelled")?.aborted, signals.get("other")?.aborted]).toEqual([true, false]);
  await turn();
  expect(fake.released).toEqual(["a"]);
  await worker.stop({ graceMs: 0 });
  expect(fake.listeners()).toBe(0);
  expect(errors).toEqual([]);
});

test("keeps only the new lease of an attempt claimed again while it is executed", async () => {
  const fake = fakeQueue();
  const first = attempt("a");
  const second = { ...first, lease: { ...first.lease, fence: 2 } };
  fake.ready.push(first);
  const began: { fence: number; signal: AbortSignal }[] = [];
  const renewed: (readonly Lease[])[] = [];
  const heartbeat: Queue["heartbeat"] = async (_, leases) => {
    renewed.push(leases);
    return [];
  };
  const { worker } = startWorker(
    { ...fake.queue, heartbeat },
    {
      heartbeatMs: 1,
      execute: ({ lease }, { signal }) => {
        began.push({ fence: lease.fence, signal });
        return untilAborted(signal);
      },
    },
  );
  await vi.waitFor(() => expect(renewed.at(-1)).toEqual([first.lease]), 60_000);
  fake.ready.push(second);
  worker.wake();
  await vi.waitFor(() => expect(fake.released).toEqual(["a"]), 60_000);
  expect(began.map(({ fence, signal }) => [fence, signal.aborted])).toEqual([
    [1, true],
    [2, false],
  ]);
  const before = renewed.length;
  await vi.waitFor(() => expect(renewed.length).toBeGreaterThan(before + 1), 60_000);
  expect(renewed.at(-1)).toEqual([second.lease]);
  await worker.stop({ graceMs: 0 });
  expect(began.at(-1)?.signal.aborted).toBe(true);
});

test("renews late leases before it claims", async () => {
  const fake = fakeQueue();
  fake.ready.push(attempt("a"));
  const steps: string[] = [];
  let full = false;
  const queue: Queue = {
    ...fake.queue,
    claim(options) {
      steps.push("claim");
      return fake.queue.claim(options);
    },
    async heartbeat() {
      if (full) throw new ServiceError("storage_full", "full");
      steps.push("heartbeat");
      return [];
    },
  };
  const { worker, errors } = startWorker(queue, { heartbeatMs: 10, execute: (_, { signal }) => untilAborted(signal) });
  await vi.waitFor(() => expect(steps).toContain("heartbeat"), 60_000);
  full = true;
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(5), 60_000);
  const before = steps.length;
  worker.wake();
  await turn();
  expect(steps).toHaveLength(before);
  full = false;
  worker.wake();
  await vi.waitFor(() => expect(steps.slice(before)).toContain("claim"), 60_000);
  expect(steps[before]).toBe("heartbeat");
  await worker.stop({ graceMs: 0 });
});

test("releases an attempt whose lease is lost, without an error", async () => {
  const { queue, ready, releases } = fakeQueue();
  ready.push(attempt("a"));
  const released = Promise.withResolvers<string>();
  const { worker, errors } = startWorker(queue, {
    execute: async () => {
      throw new LeaseLost("cancelled elsewhere");
    },
    isBreak: () => false,
    onReleased: async (runId) => released.resolve(runId),
  });
  expect(await released.promise).toBe("run");
  await worker.stop({ graceMs: 0 });
  expect(releases).toEqual([expect.objectContaining({ broke: false })]);
  expect(errors).toEqual([]);
});

test("releases an attempt aborted by a shutdown at once, without an error", async () => {
  const fake = fakeQueue();
  fake.ready.push(attempt("a"));
  const { worker, errors } = startWorker(fake.queue, {
    async execute() {
      throw new ServiceError("shutting_down", "The service is stopping.");
    },
  });
  await vi.waitFor(() => expect(fake.releases).toEqual([{ delay_ms: 0, broke: false }]), 60_000);
  await worker.stop({ graceMs: 0 });
  expect(errors).toEqual([]);
});

test("stops within its limit while the store accepts no release", async () => {
  const fake = fakeQueue();
  fake.ready.push(attempt("a"));
  let began = false;
  const { worker } = startWorker(
    { ...fake.queue, release: () => new Promise(() => {}) },
    {
      giveBackMs: 1,
      execute: (_, { signal }) => {
        began = true;
        return untilAborted(signal);
      },
    },
  );
  await vi.waitFor(() => expect(began).toBe(true), 60_000);
  await worker.stop({ graceMs: 0 });
  expect(fake.listeners()).toBe(0);
});

test("stops within its limit while a claim is pending, and releases what it brings later", async () => {
  const { queue, ready, released, duringClaim } = fakeQueue();
  ready.push(attempt("late"));
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  duringClaim(() => answered);
  const begun: string[] = [];
  const { worker, errors } = startWorker(queue, {
    giveBackMs: 20,
    async execute({ lease }, { signal }) {
      signal.throwIfAborted();
      begun.push(lease.attempt_id);
    },
  });
  await turn();
  await worker.stop({ graceMs: 0 });
  answer();
  await vi.waitFor(() => expect(released).toEqual(["late"]), 60_000);
  expect(begun).toEqual([]);
  expect(errors).toEqual([]);
});

test("does not execute claimed attempts of a run cancelled meanwhile", async () => {
  const fake = fakeQueue();
  fake.ready.push(attempt("a", "cancelled"), attempt("b", "other"));
  fake.duringClaim(async () => {
    await turn();
    fake.cancel("cancelled");
  });
  const begun: string[] = [];
  const { worker } = startWorker(fake.queue, {
    async execute({ run_id }, { signal }) {
      signal.throwIfAborted();
      begun.push(run_id);
    },
  });
  await expect.poll(() => fake.released).toEqual(["a"]);
  expect(begun).toEqual(["other"]);
  await worker.stop({ graceMs: 0 });
});

test("does not overlap polls, and reports and repeats failed ones", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let polls = 0;
  const { worker, errors } = startWorker(fakeQueue().queue, {
    pollMs: 1,
    async onPoll() {
      polls += 1;
      if (polls === 1) throw new Error("away");
      await promise;
    },
  });
  await expect.poll(() => polls).toBe(2);
  await new Promise((done) => setTimeout(done, 20));
  expect(polls).toBe(2);
  expect(errors).toEqual([new Error("away")]);
  const stopped = worker.stop({ graceMs: 0 });
  resolve();
  await stopped;
});

test("claims the next attempt while one is ending, where the queue allows it", async () => {
  for (const claimsFollowEnds of [true, false]) {
    const fake = fakeQueue();
    fake.ready.push(attempt("a"), attempt("b"), attempt("c"));
    const begun: string[] = [];
    const { promise: written, resolve: write } = Promise.withResolvers<void>();
    const { worker } = startWorker(
      { ...fake.queue, claimsFollowEnds },
      {
        capacity: 1,
        async execute({ lease }, { ending }) {
          begun.push(lease.attempt_id);
          if (lease.attempt_id === "a") ending();
          await written;
        },
      },
    );
    await turn();
    await turn();
    expect(begun).toEqual(claimsFollowEnds ? ["a", "b"] : ["a"]);
    write();
    await expect.poll(() => begun).toEqual(["a", "b", "c"]);
    await worker.stop({ graceMs: 1_000 });
  }
});

test("limits the number of ending attempts", async () => {
  const { queue, ready } = fakeQueue();
  ready.push(...Array.from({ length: 50 }, (_, index) => attempt(String(index))));
  const begun: string[] = [];
  const ends = Promise.withResolvers<void>();
  const { worker } = startWorker(
    { ...queue, claimsFollowEnds: true },
    {
      async execute({ lease }, { ending }) {
        begun.push(lease.attempt_id);
        ending();
        if (begun.length <= 8) await ends.promise;
      },
    },
  );
  for (let turns = 0; turns < 100; turns += 1) await turn();
  expect(begun).toHaveLength(8);
  ends.resolve();
  await vi.waitFor(() => expect(begun).toHaveLength(50), 60_000);
  await worker.stop({ graceMs: 0 });
});

test("claims nothing on a wake-up while every slot is taken", async () => {
  const fake = fakeQueue();
  fake.ready.push(attempt("a"));
  let asked = 0;
  const queue: Queue = {
    ...fake.queue,
    claim(options) {
      asked += 1;
      return fake.queue.claim(options);
    },
  };
  const execute: WorkerOptions["execute"] = (_claimed, control) => untilAborted(control.signal);
  const { worker } = startWorker(queue, { capacity: 1, spare: 1, pollMs: 1_000_000, execute });
  for (let wakes = 0; wakes < 3; wakes += 1) {
    await turn();
    worker.wake();
  }
  await turn();
  expect(asked).toBe(1);
  await worker.stop({ graceMs: 0 });
});

test("claims only its own runs", async () => {
  const runs = new Set(["mine"]);
  const asked: unknown[] = [];
  const fake = fakeQueue();
  const { worker } = startWorker(
    {
      ...fake.queue,
      async claim(options) {
        asked.push(options.runs);
        return [];
      },
    },
    { runs },
  );
  await turn();
  expect(asked).toEqual([runs]);
  await worker.stop({ graceMs: 0 });
});

test("pauses longer after each failure of an attempt, and gives up after the fifth", async () => {
  const fake = fakeQueue();
  const broken: unknown[] = [];
  const { worker, errors } = startWorker(fake.queue, {
    execute: async () => {
      throw new Error("always");
    },
    onBroken: async ({ lease }, error) => void broken.push([lease.attempt_id, error]),
  });
  for (let breaks = 0; breaks < 5; breaks += 1) {
    expect(broken).toEqual([]);
    fake.ready.push({ ...attempt("a"), breaks });
    worker.wake();
    await expect.poll(() => fake.releases.length).toBe(breaks + 1);
  }
  expect(fake.releases.map((options) => options?.delay_ms)).toEqual([1_000, 4_000, 16_000, 64_000, 256_000]);
  expect(fake.releases.every((options) => options?.broke)).toBe(true);
  await expect.poll(() => broken).toEqual([["a", new Error("always")]]);
  expect(errors).toHaveLength(5);
  await worker.stop({ graceMs: 0 });
});

test("claims nothing while an attempt has to run alone", async () => {
  const fake = fakeQueue();
  const ends = new Map<string, () => void>();
  const { worker } = startWorker(fake.queue, {
    execute: ({ lease }) => new Promise((resolve) => ends.set(lease.attempt_id, resolve)),
  });
  fake.ready.push({ ...attempt("a"), alone: true });
  worker.wake();
  await turn();
  fake.ready.push(attempt("b"));
  worker.wake();
  await turn();
  expect([...ends.keys()]).toEqual(["a"]);
  ends.get("a")?.();
  await expect.poll(() => [...ends.keys()]).toEqual(["a", "b"]);
  ends.get("b")?.();
  await worker.stop({ graceMs: 0 });
});

test("gives up an attempt that broke its process, but tries one more time after an unreported failure", async () => {
  const fake = fakeQueue();
  const broken: unknown[] = [];
  const tried: string[] = [];
  const { worker } = startWorker(fake.queue, {
    execute: async ({ lease }) => void tried.push(lease.attempt_id),
    onBroken: async ({ breaks }, error) => void broken.push([breaks, String(error)]),
  });
  fake.ready.push({ ...attempt("a"), alone: true, fatal: true });
  worker.wake();
  await expect.poll(() => broken).toEqual([[0, expect.stringContaining("ended its process twice")]]);
  expect([tried, fake.released]).toEqual([[], ["a"]]);
  fake.ready.push({ ...attempt("b"), breaks: 5 });
  worker.wake();
  await expect.poll(() => tried).toEqual(["b"]);
  expect(broken).toHaveLength(1);
  await worker.stop({ graceMs: 0 });
});

test("does not count transient errors towards giving up", async () => {
  const fake = fakeQueue();
  const away = new Error("the store is away");
  const broken: unknown[] = [];
  const { worker } = startWorker(fake.queue, {
    execute: ({ lease }, { signal }) => (lease.attempt_id === "a" ? Promise.reject(away) : untilAborted(signal)),
    isBreak: (error) => error !== away,
    onBroken: async ({ lease }) => void broken.push(lease.attempt_id),
  });
  fake.ready.push(
    { ...attempt("a"), breaks: 4 },
    { ...attempt("b", "cancelled"), breaks: 4 },
    { ...attempt("c"), breaks: 4 },
  );
  worker.wake();
  await expect.poll(() => fake.released).toEqual(["a"]);
  fake.cancel("cancelled");
  await worker.stop({ graceMs: 0 });
  expect(fake.released).toEqual(["a", "b", "c"]);
  expect(fake.releases).toEqual([
    { delay_ms: 1_000, broke: false },
    { delay_ms: 0, broke: false },
    { delay_ms: 0, broke: false },
  ]);
  expect(broken).toEqual([]);
});
