import { expect, test } from "vitest";
import { sampleRun } from "../../../../test/conformance/sample-runs.ts";
import { storedTurn } from "../../../../test/conformance/suite-helpers.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { openSqlite } from "../../drivers/open-sqlite.ts";
import { openSqliteDatabase } from "../../drivers/sqlite-database.ts";
import { createLeaseQueue } from "./create-lease-queue.ts";
import { createWorkSignal } from "./work-signal.ts";

const leaseMs = 1_000;
const full = new ServiceError("storage_full", "full");

test("renews leases that expired during an outage once more", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  let [time, isFull] = [1_000_000, false];
  const clock = { now: Date.now, steady: () => time };
  await using holder = await openSqlite({ file, leaseMs, clock });
  await holder.store.runs.create(sampleRun({ scenarios: 1 }));
  const [held] = await holder.queue.claim({ worker: "elsewhere:1:holder", limit: 1, perRun: 1 });

  const database = await openSqliteDatabase({ file });
  const write: typeof database.write = (work, options) =>
    isFull ? Promise.reject(full) : database.write(work, options);
  const signal = createWorkSignal(database, clock);
  const other = createLeaseQueue({ database: { ...database, write }, clock, leaseMs, signal, host: "here", pid: 2 });
  const claim = () => other.claim({ worker: "here:2:other", limit: 1, perRun: 1 });

  isFull = true;
  time += 10 * leaseMs;
  await expect(claim()).rejects.toBe(full);
  isFull = false;
  expect(await claim()).toEqual([]);
  expect(await claim()).toEqual([]);
  expect(await holder.store.interactions.store(held!.lease, storedTurn(0))).toBe(true);

  time += leaseMs;
  expect((await claim()).map(({ lease }) => lease.attempt_id)).toEqual([held!.lease.attempt_id]);
  await database.close();
});
