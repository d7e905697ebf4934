import { describe, expect, test } from "vitest";
import type { JournalEntry, JournalPart } from "../../src/contract/ports/journal.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { sampleRun } from "./sample-runs.ts";
import type { OpenStorage } from "./storage-under-test.ts";
import { claim, created, ending, storedTurn } from "./suite-helpers.ts";

const callEntry = (name: string): JournalEntry => ({
  type: "call",
  call: { id: "c", name, arguments: {}, result: { done: name } },
  changes: [{ op: "set", path: "/a~1b", value: name }],
});

const part = (turn_index: number, number: number, name = `call ${number}`): JournalPart => ({
  turn_index,
  number,
  entries: [callEntry(name)],
});

/** What every driver promises about the journals of turns in a world. */
export function journalSuite(name: string, open: OpenStorage): void {
  describe(`${name}: journals`, () => {
    test("keeps the parts of an attempt in order, code unit by code unit", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun({ turns: 2 }));
      const texts = hostileTexts.map(([, text]) => text);
      const parts = [...texts.map((text, number) => part(0, number, text)), part(1, 0)];
      for (const one of parts) expect(await storage.store.journal.append(lease, one)).toBe(true);
      expect(await storage.store.journal.ofAttempt(lease.attempt_id)).toEqual(parts);
    });

    test("concurrent attempts write beside each other, and a repeated part is kept once", async () => {
      await using storage = await open();
      await storage.store.runs.create(sampleRun({ scenarios: 8 }));
      const claimed = await claim(storage);
      await Promise.all(
        claimed.flatMap(({ lease }) => [0, 0, 1].map((n) => storage.store.journal.append(lease, part(0, n)))),
      );
      for (const { lease } of claimed) {
        expect(await storage.store.journal.ofAttempt(lease.attempt_id)).toEqual([part(0, 0), part(0, 1)]);
      }
    });

    test("only the holder of the attempt writes, and the next one reads what the last one wrote", async () => {
      await using storage = await open();
      const other = await storage.another();
      const first = await created(storage, sampleRun());
      expect(await storage.store.journal.append(first.lease, part(0, 0))).toBe(true);
      await storage.pass(storage.leaseMs + storage.noticeMs + 1_000);
      const [second] = await other.queue.claim({ worker: "other", limit: 1, perRun: 1 });
      expect(second?.lease.attempt_id).toBe(first.lease.attempt_id);
      expect(await storage.store.journal.append(first.lease, part(0, 1, "stale"))).toBe(false);
      expect(await other.store.journal.append(second!.lease, part(0, 1))).toBe(true);
      expect(await other.store.journal.ofAttempt(first.lease.attempt_id)).toEqual([part(0, 0), part(0, 1)]);
    });

    test("a cancelled run takes no more steps, and its journals are deleted with it", async () => {
      await using storage = await open();
      const { lease, run_id } = await created(storage, sampleRun({ turns: 2 }));
      await storage.store.journal.append(lease, part(0, 0));
      await storage.store.interactions.store(lease, storedTurn(0));
      await storage.store.runs.cancel(run_id);
      expect(await storage.store.journal.append(lease, part(1, 0))).toBe(false);
      expect(await storage.store.journal.ofAttempt(lease.attempt_id)).toHaveLength(1);
      await storage.store.runs.finish(run_id, ending({ state: "cancelled" }));
      expect(await storage.store.runs.remove(run_id)).toBe(true);
      while (await storage.store.runs.tidy({ ended_before: null, keys_before: null }));
      expect(await storage.store.journal.ofAttempt(lease.attempt_id)).toEqual([]);
    });

    test("a large journal is deleted in steps", async () => {
      await using storage = await open();
      const { lease, run_id } = await created(storage, sampleRun());
      const long = "x".repeat(3_000_000);
      for (let number = 0; number < 3; number += 1) await storage.store.journal.append(lease, part(0, number, long));
      await storage.queue.finish(lease, { average_scores: {} });
      await storage.store.runs.finish(run_id, ending());
      await storage.store.runs.remove(run_id);
      expect(await storage.store.journal.ofAttempt(lease.attempt_id)).not.toEqual([]);
      let steps = 0;
      while (await storage.store.runs.tidy({ ended_before: null, keys_before: null })) steps += 1;
      expect(steps).toBeGreaterThan(0);
      expect(await storage.store.journal.ofAttempt(lease.attempt_id)).toEqual([]);
    });
  });
}
