import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { ServiceError } from "../../src/contract/errors/errors.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { deepTest } from "../support/deep-test.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { collect } from "../conformance/suite-helpers.ts";
import { startTortureBench } from "./bench.ts";
import { megabyte, mountSmallDisk } from "./small-disk.ts";
import { diskFillingRun } from "./torture-run.ts";

const leaseMs = 1_000;

deepTest(
  "a disk that fills up stops the run, which goes on when there is room again and asks for nothing twice",
  async (context) => {
    await using folder = await temporaryFolder();
    const disk = folder.file("disk");
    await mkdir(disk);
    const unmount = mountSmallDisk(disk);
    if (!unmount) return context.skip();
    try {
      const ballast = join(disk, "ballast");
      const file = join(disk, "rehearsal.db");
      await using storage = await openSqlite({ file, leaseMs });
      await writeFile(ballast, Buffer.alloc(13 * megabyte));
      const run = diskFillingRun();
      await storage.store.runs.create(run);
      // 48 replies of 80 kB are more than the room beside the ballast.
      await using bench = await startTortureBench(storage, { reply: (turn) => turn + "x".repeat(80_000) });

      await expect.poll(() => bench.errors.length, { timeout: 20_000 }).toBeGreaterThan(0);
      const [error] = bench.errors;
      expect(error).toBeInstanceOf(ServiceError);
      expect((error as ServiceError).code).toBe("storage_full");
      // Longer than any lease: attempts whose leases could not be renewed must not go to another worker.
      await sleep(3 * leaseMs);
      const before = (await collect(storage.store.attempts.withInteractions(run.id))).flatMap(
        (one) => one.interactions,
      );
      await rm(ballast);
      expect((await bench.ended(run.id)).state).toBe("completed");

      const stored = (await collect(storage.store.attempts.withInteractions(run.id))).flatMap(
        (one) => one.interactions,
      );
      expect(stored).toHaveLength(48);
      expect(new Set(bench.calls.values())).toEqual(new Set([1]));
      expect(stored.every(({ reply }) => reply.error === null)).toBe(true);
      for (const turn of before) expect(stored).toContainEqual(turn);
      const check = new DatabaseSync(file, { readOnly: true });
      expect(check.prepare("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
      check.close();
    } finally {
      unmount();
    }
  },
);
