import { describe, expect, test } from "vitest";
import { sampleReply, sampleRun } from "./sample-runs.ts";
import type { OpenStorage } from "./storage-under-test.ts";
import { claim, created, ending, storedTurn } from "./suite-helpers.ts";

/** The promises of every driver about removing runs. */
export function tidySuite(name: string, open: OpenStorage): void {
  describe(`${name}: tidying`, () => {
    test("runs that ended long ago go, all others stay", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const [old, recent, unfinished] = [sampleRun(), sampleRun(), sampleRun()];
      for (const run of [old, recent, unfinished]) await runs.create(run);
      await runs.finish(old.id, ending({ at: 1_700_000_000_500 }));
      await runs.finish(recent.id, ending({ at: 1_700_000_002_000 }));
      expect(await runs.tidy({ ended_before: null, keys_before: null })).toBe(false);
      expect((await runs.list({ limit: 9 })).runs).toHaveLength(3);
      expect(await runs.tidy({ ended_before: 1_700_000_001_000, keys_before: null })).toBe(false);
      const left = (await runs.list({ limit: 9 })).runs.map((run) => run.id);
      expect(left.toSorted()).toEqual([recent.id, unfinished.id].toSorted());
      expect(await runs.scenarios(old.id)).toEqual([]);
    });

    test("a large run is out of sight at once and deleted in steps", async () => {
      await using storage = await open();
      const { store } = storage;
      const large = sampleRun({
        scenarios: 35,
        turns: 20,
        settings: { attempts: 3 },
        idempotency: { key: "k", hash: "h" },
      });
      await store.runs.create(large);
      const claimed = await claim(storage, { limit: 1_000 });
      await Promise.all(
        claimed.map(async ({ lease }) => {
          const reply = sampleReply();
          for (let turn = 0; turn < 20; turn += 1) {
            await store.interactions.store(lease, { turn_index: turn, reply, scores: null });
          }
        }),
      );
      await store.runs.finish(large.id, ending());
      expect(await store.runs.remove(large.id)).toBe(true);
      expect(await store.runs.remove(large.id)).toBe(false);
      expect(await store.runs.get(large.id)).toBeNull();
      expect(await store.runs.resummarize(large.id, { summary: ending().summary, message: "" })).toBe(false);
      expect((await store.runs.create(sampleRun({ idempotency: { key: "k", hash: "h" } }))).outcome).toBe("created");
      let steps = 1;
      while (await store.runs.tidy({ ended_before: null, keys_before: null })) steps += 1;
      expect(steps).toBe(2);
      expect(await store.attempts.get(claimed[0]!.lease.attempt_id)).toBeNull();
      expect((await store.interactions.after(large.id, 0, 1)).turns).toEqual([]);
    });

    test("a run of few long replies is removed in steps too", async () => {
      await using storage = await open();
      const { store } = storage;
      const run = sampleRun({ turns: 10 });
      const { lease } = await created(storage, run);
      const reply = sampleReply({ agent_reply: "word ".repeat(400_000) });
      for (let turn = 0; turn < 10; turn += 1) {
        await store.interactions.store(lease, { turn_index: turn, reply, scores: null });
      }
      await store.runs.finish(run.id, ending());
      expect(await store.runs.remove(run.id)).toBe(true);
      expect(await store.runs.get(run.id)).toBeNull();
      let steps = 1;
      while (await store.runs.tidy({ ended_before: null, keys_before: null })) steps += 1;
      expect(steps).toBeGreaterThan(1);
      expect(await store.attempts.get(lease.attempt_id)).toBeNull();
      expect((await store.interactions.after(run.id, 0, 1)).turns).toEqual([]);
    });

    test("an old key is forgotten when its run has ended, and may be used for another one", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const keyed = (key: string, created_at: number) => sampleRun({ created_at, idempotency: { key, hash: "h" } });
      const [old, recent, unfinished] = [keyed("old", 1_000), keyed("recent", 3_000), keyed("unfinished", 1_000)];
      for (const run of [old, recent, unfinished]) await runs.create(run);
      for (const { id } of [old, recent]) await runs.finish(id, ending({ at: 4_000 }));
      expect(await runs.tidy({ ended_before: null, keys_before: null })).toBe(false);
      expect((await runs.create(keyed("old", 5_000))).outcome).toBe("replayed");
      expect(await runs.tidy({ ended_before: null, keys_before: 2_000 })).toBe(false);
      expect((await runs.create(keyed("old", 5_000))).outcome).toBe("created");
      expect((await runs.create(keyed("recent", 5_000))).outcome).toBe("replayed");
      expect((await runs.create(keyed("unfinished", 5_000))).outcome).toBe("replayed");
      expect(await runs.get(old.id)).toMatchObject({ state: "completed" });
    });

    test("tidying leaves what is under way alone", async () => {
      await using storage = await open();
      const run = sampleRun();
      const { lease } = await created(storage, run);
      await storage.store.runs.tidy({ ended_before: Number.MAX_SAFE_INTEGER, keys_before: null });
      expect(await storage.store.interactions.store(lease, storedTurn(0))).toBe(true);
    });
  });
}
