import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { ClaimedAttempt } from "../../src/contract/ports/queue.ts";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import type { OpenedStorage } from "../../src/storage/drivers/open-sqlite.ts";
import { sampleReply, sampleRun, sampleScores } from "../conformance/sample-runs.ts";
import { deepTest } from "../support/deep-test.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";

deepTest(
  "two processes that write to the same runs at once store every turn once, in an order that readers can follow",
  async () => {
    await using database = await createTestDatabase();
    await using one = await openPostgres({ url: database.url, connections: 4, lookMs: 0 });
    await using other = await openPostgres({ url: database.url, connections: 4, lookMs: 0 });
    const runs = Array.from({ length: 5 }, () => sampleRun({ scenarios: 40, turns: 3 }));
    for (const run of runs) await one.store.runs.create(run);
    const reading = runs.map(({ id }) => followTurns(one, id, 120));
    const ends = (await Promise.all([one, other].map((storage, index) => workOff(storage, `worker-${index}`)))).flat();

    expect(ends).toHaveLength(200);
    expect(ends.filter(({ run_drained }) => run_drained)).toHaveLength(5);
    for (const numbers of await Promise.all(reading)) {
      expect(numbers).toHaveLength(120);
      expect(numbers).toEqual(numbers.toSorted((left, right) => left - right));
    }
    for (const { id } of runs) {
      const { progress } = (await one.store.runs.get(id))!;
      expect(progress).toMatchObject({ attempts_done: 40, interactions_done: 120, interactions_failed: 0 });
    }
    for (const { queue } of [one, other])
      expect(await queue.claim({ worker: "last", limit: 30, perRun: 100 })).toEqual([]);
    expect(await database.query("select id from pgboss.job where state < 'completed'")).toEqual([]);
  },
);

/** Claims and finishes attempts until none is left; gives every fifth back first, and says everything twice. */
async function workOff(storage: OpenedStorage, worker: string): Promise<{ run_drained: boolean }[]> {
  const ends: { run_drained: boolean }[] = [];
  for (;;) {
    const claimed = await storage.queue.claim({ worker, limit: 30, perRun: 100 });
    if (claimed.length === 0) {
      if ((await storage.store.runs.unconcluded()).length === 5) return ends;
      await sleep(5);
    }
    await Promise.all(
      claimed.map(async (attempt, index) => {
        if (index % 5 === 0 && attempt.tries === 1) return storage.queue.release(attempt.lease);
        ends.push(await finish(storage, attempt));
      }),
    );
  }
}

async function finish({ store, queue }: OpenedStorage, { lease }: ClaimedAttempt): Promise<{ run_drained: boolean }> {
  const turn = (turn_index: number) => ({ turn_index, reply: sampleReply(), scores: sampleScores() });
  const stale = { ...lease, fence: lease.fence - 1 };
  const stored = await Promise.all([
    store.interactions.store(lease, turn(0)),
    store.interactions.store(lease, turn(0)),
    store.interactions.store(stale, turn(1)),
    store.interactions.store(lease, turn(1)),
  ]);
  expect(stored.filter(Boolean)).toHaveLength(2);
  const end = await queue.finish(lease, { average_scores: { success: 1 }, turn: turn(2) });
  expect(end.finished).toBe(true);
  expect(await queue.finish(lease, { average_scores: {} })).toEqual({ finished: false, run_drained: false });
  return end;
}

/** Reads turns as they come, as a listener does: each time those after the last it has seen. */
async function followTurns({ store }: OpenedStorage, runId: string, count: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < count) {
    for (const { seq } of (await store.interactions.after(runId, seen.at(-1) ?? 0, 50)).turns) seen.push(seq);
  }
  return seen;
}
