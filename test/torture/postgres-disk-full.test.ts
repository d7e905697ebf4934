import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { collect } from "../conformance/suite-helpers.ts";
import { deepTest } from "../support/deep-test.ts";
import { startPostgres } from "../support/postgres.ts";
import { findUnprivilegedUser } from "../support/postgres/programs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTortureBench } from "./bench.ts";
import { megabyte, mountSmallDisk } from "./small-disk.ts";
import { diskFillingRun } from "./torture-run.ts";

/** A folder that the server may write to. */
async function hand(folder: string): Promise<void> {
  const user = await findUnprivilegedUser();
  if (user) await chown(folder, user.uid, user.gid);
}

deepTest("replies for which PostgreSQL has no room are held, and asked for once", async (context) => {
  // A server that was given does not see our disk.
  if (process.env["DATABASE_URL"]) return context.skip();
  await using folder = await temporaryFolder();
  await chmod(folder.path, 0o755);
  const disk = folder.file("disk");
  await mkdir(disk);
  const unmount = mountSmallDisk(disk);
  if (!unmount) return context.skip();
  const postgres = await startPostgres();
  try {
    await using database = await postgres.createDatabase();
    await using storage = await openPostgres({ url: database.url });
    const files = join(disk, "files");
    await mkdir(files);
    await hand(files);
    await database.query(`create tablespace small location '${files}'`);
    await database.query("alter table interaction set tablespace small");
    const ballast = join(disk, "ballast");
    await writeFile(ballast, Buffer.alloc(14 * megabyte));
    const run = diskFillingRun();
    await storage.store.runs.create(run);
    // Hardly to be packed: 48 of them are more than the room beside the ballast.
    await using bench = await startTortureBench(storage, {
      reply: (turn) => turn + randomBytes(60_000).toString("base64"),
    });

    await expect.poll(() => bench.errors[0], { timeout: 20_000 }).toMatchObject({ code: "storage_full" });
    // Long enough for several tries to write each of them.
    await sleep(3_000);
    await rm(ballast);
    expect((await bench.ended(run.id)).state).toBe("completed");
    const stored = (await collect(storage.store.attempts.withInteractions(run.id))).flatMap((one) => one.interactions);
    expect(stored.filter(({ reply }) => reply.error === null)).toHaveLength(48);
    expect(new Set(bench.calls.values())).toEqual(new Set([1]));
  } finally {
    await postgres.stop();
    unmount();
  }
});
