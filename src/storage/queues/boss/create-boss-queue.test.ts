import { expect, test } from "vitest";
import type { Database } from "../../database.ts";
import { createBossQueue } from "./create-boss-queue.ts";
import type { Slices } from "./slices.ts";

const leaseMs = 10_000;
const away = new Error("no connection");

/** A queue on a server whose clock the test moves, and how often it looked for silent workers. */
function createSweepingQueue() {
  const server = { now: 1_000_000, isAway: false };
  let supervised = 0;
  const slices: Partial<Slices> = {
    supervise: async () => void (supervised += 1),
    fail: async () => {},
    dead: async () => [],
  };
  const executeQuery = async () => {
    if (server.isAway) throw away;
    return { rows: [{ now: server.now, owners: [], expired: false, unclosed: false }] };
  };
  const reader = { getExecutor: () => ({ adapter: {} }), executeQuery };
  const queue = createBossQueue({
    database: { reader, write: async () => ({}) } as unknown as Database,
    slices: slices as Slices,
    writes: { finish: async () => ({ finished: true, run_drained: false }), release: async () => {} },
    leaseMs,
    lookMs: 0,
    announce() {},
    onWork: () => () => {},
    onCancel: () => () => {},
    host: "here",
    pid: 1,
  });
  return async (seconds: number, { isAway = false } = {}): Promise<boolean> => {
    Object.assign(server, { now: server.now + seconds * 1_000, isAway });
    const before = supervised;
    await queue.sweep().catch((error: unknown) => {
      if (error !== away) throw error;
    });
    return supervised > before;
  };
}

test("looks for silent workers at every sweep", async () => {
  const sweep = createSweepingQueue();
  expect([await sweep(0), await sweep(2), await sweep(2)]).toEqual([true, true, true]);
});

test("gives workers time for a heartbeat after an outage or a suspension", async () => {
  const sweep = createSweepingQueue();
  expect(await sweep(0)).toBe(true);
  for (let sweeps = 0; sweeps < 3; sweeps += 1) expect(await sweep(2, { isAway: true })).toBe(false);
  for (let sweeps = 0; sweeps < 4; sweeps += 1) expect(await sweep(2)).toBe(false);
  expect([await sweep(2), await sweep(2)]).toEqual([true, true]);
});

test("a short failure changes nothing", async () => {
  const sweep = createSweepingQueue();
  expect([await sweep(0), await sweep(2, { isAway: true }), await sweep(2)]).toEqual([true, false, true]);
});
