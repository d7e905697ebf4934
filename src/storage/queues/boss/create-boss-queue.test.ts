import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Database } from "../../database.ts";
import { createBossQueue } from "./create-boss-queue.ts";
import { readNow } from "./clock.ts";
import type { Jobs } from "./jobs.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const leaseMs = 10_000;
const diskFull = Object.assign(new Error("could not extend file"), { code: "53100" });

/** A queue on a server that fails with `trouble`, and the requests it received. */
function createSweepingQueue() {
  const requests: string[] = [];
  const server: { trouble: Error | null } = { trouble: null };
  const ask = async (what: string): Promise<void> => {
    if (server.trouble) throw server.trouble;
    requests.push(what);
  };
  const slow = { ms: 0 };
  const jobs: Partial<Jobs> = {
    supervise: async () => {
      await ask("supervise");
      vi.advanceTimersByTime(slow.ms);
    },
    touchAll: () => ask("touch all"),
  };
  const clock = { ahead: 0 };
  const write = async (work: unknown): Promise<unknown> => {
    if (work === readNow) return performance.now() + clock.ahead;
    return work === jobs.touchAll ? jobs.touchAll?.({} as never) : 0;
  };
  const database = { write } as unknown as Database;
  const queue = createBossQueue({
    database,
    jobs: jobs as Jobs,
    writes: { finish: async () => ({ finished: true, run_drained: false }), release: async () => {} },
    leaseMs,
    announce() {},
    onWork: () => () => {},
    onCancel: () => () => {},
    host: "here",
    pid: 1,
  });
  return {
    clock,
    slow,
    async sweep(trouble: Error | null, afterMs: number): Promise<readonly string[]> {
      vi.advanceTimersByTime(afterMs);
      server.trouble = trouble;
      await queue.sweep().catch((error: unknown) => expect(error).toBe(trouble));
      return requests.splice(0);
    },
  };
}

test("renews all jobs after an outage before it looks for silent workers", async () => {
  const { sweep } = createSweepingQueue();
  expect(await sweep(null, 0)).toEqual(["supervise"]);
  for (let seconds = 0; seconds < 12; seconds += 1) expect(await sweep(diskFull, 1_000)).toEqual([]);
  expect(await sweep(null, 1_000)).toEqual(["touch all", "supervise"]);
  expect(await sweep(null, 1_000)).toEqual(["supervise"]);
});

test("renews nothing after a short failure or one of another kind", async () => {
  const { sweep } = createSweepingQueue();
  expect(await sweep(diskFull, 1_000)).toEqual([]);
  expect(await sweep(null, 1_000)).toEqual(["supervise"]);
  for (let seconds = 0; seconds < 12; seconds += 1) expect(await sweep(new Error("a bug"), 1_000)).toEqual([]);
  expect(await sweep(null, 1_000)).toEqual(["supervise"]);
});

test("renews all jobs after the process or its host was suspended", async () => {
  const { sweep, clock } = createSweepingQueue();
  expect(await sweep(null, 0)).toEqual(["supervise"]);
  expect(await sweep(null, 1_000)).toEqual(["supervise"]);
  expect(await sweep(null, 13_000)).toEqual(["touch all", "supervise"]);
  expect(await sweep(null, 1_000)).toEqual(["supervise"]);
  // The clock of this process stops while its host sleeps; that of the database continues.
  clock.ahead += 13_000;
  expect(await sweep(null, 1_000)).toEqual(["touch all", "supervise"]);
  expect(await sweep(null, 1_000)).toEqual(["supervise"]);
});

test("still notices silent workers when sweeps take long", async () => {
  const { sweep, slow } = createSweepingQueue();
  slow.ms = 8_000;
  for (let times = 0; times < 4; times += 1) expect(await sweep(null, 1_000)).toEqual(["supervise"]);
});
