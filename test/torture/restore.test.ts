import { randomUUIDv7 } from "node:crypto";
import { copyFile, rm } from "node:fs/promises";
import { expect } from "vitest";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { copyDatabase } from "../../src/storage/drivers/sqlite-backup.ts";
import { collect } from "../conformance/suite-helpers.ts";
import { sampleReply } from "../conformance/sample-runs.ts";
import { deepTest } from "../support/deep-test.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTortureBench } from "./bench.ts";
import { tortureRun } from "./torture-run.ts";

deepTest(
  "a lost store is put back from a backup that was made while it was written to, and its runs go on",
  async () => {
    await using folder = await temporaryFolder();
    const file = folder.file("rehearsal.db");
    const run = tortureRun({ id: randomUUIDv7(), endpoint: "http://model.test", scenarios: 200, turns: 2 });
    const storedBefore = await workAndBackUp();
    await Promise.all(["", "-wal", "-shm"].map((suffix) => rm(`${file}${suffix}`, { force: true })));
    await copyFile(folder.file("backup.db"), file);

    await using restored = await openSqlite({ file, host: "another", leaseMs: 1_000 });
    await using bench = await startTortureBench(restored);
    expect((await bench.ended(run.id)).state).toBe("completed");
    const attempts = await collect(restored.store.attempts.withInteractions(run.id));
    const kept = attempts.filter(({ interactions }) => interactions[0]?.reply.agent_reply === "before the backup");
    expect(kept.length).toBeGreaterThanOrEqual(storedBefore);
    expect(attempts.every(({ interactions }) => interactions.length === 2)).toBe(true);
    // Nothing that is in the backup was asked for again.
    expect(bench.calls.size).toBe(400 - kept.length);
    expect(bench.errors).toEqual([]);

    /** Stores the first turn of every attempt, and in the middle of it makes a backup, as another process would. */
    async function workAndBackUp(): Promise<number> {
      await using storage = await openSqlite({ file });
      await storage.store.runs.create(run);
      const claimed = await storage.queue.claim({ worker: "gone:1:x", limit: 200, perRun: 200 });
      const reply = sampleReply({ agent_reply: "before the backup" });
      let stored = 0;
      let storedThen = 0;
      let copying: Promise<void> | undefined;
      for (const { lease } of claimed) {
        await storage.store.interactions.store(lease, { turn_index: 0, reply, scores: null });
        stored += 1;
        if (stored !== 100) continue;
        storedThen = stored;
        copying = copyDatabase(file, folder.file("backup.db"));
      }
      await copying;
      return storedThen;
    }
  },
);
