import { expect, test } from "vitest";
import type { Database } from "../../tables/database.ts";
import { createBossQueue } from "./create-boss-queue.ts";
import type { Slices } from "./slices.ts";

const leaseMs = 10_000;
const away = new Error("no connection");

/** A queue on a server whose clock the test moves, with attempts of a silent worker, and whether a sweep took them. */
function createSweepingQueue() {
  const server = { now: 1_000_000, isAway: false };
  let looks = 0;
  const slices: Partial<Slices> = {
    supervise: async () => {},
    fail: async () => {},
    dead: async () => [],
  };
  const executeQuery = async () => {
    if (server.isAway) throw away;
    return { rows: [{ now: server.now, owners: [], expired: true, unclosed: false }] };
  };
  const takeExpired = async () => {
    looks += 1;
    return [];
  };
  const reader = { getExecutor: () => ({ adapter: {} }), executeQuery };
  const queue = createBossQueue({
    database: { reader, write: takeExpired } as unknown as Database,
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
    const before = looks;
    await queue.sweep().catch((error: unknown) => {
      if (error !== away) throw error;
    });
    return looks > before;
  };
}

test("takes the attempts of silent workers at every sweep", async () => {
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
