import { hostClock, type HostClock } from "../../src/storage/tables/host.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { queueModelSuite } from "./queue-model-suite.ts";
import { queueSuite } from "./queue-suite.ts";
import { brokeDown, type StorageUnderTest } from "./storage-under-test.ts";
import { storeSuite } from "./store-suite.ts";
import { tidySuite } from "./tidy-suite.ts";

const leaseMs = 15_000;

/** A clock whose steady time moves only by hand. */
function handClock(): HostClock & { pass(ms: number): void } {
  let steady = 1_000_000;
  return { now: hostClock.now, steady: () => steady, pass: (ms) => void (steady += ms) };
}

async function openFile(): Promise<StorageUnderTest> {
  const folder = await temporaryFolder();
  const clock = handClock();
  const open = () => openSqlite({ file: folder.file("rehearsal.db"), leaseMs, clock, brokeDown });
  const opened = [await open()];
  return {
    store: opened[0]!.store,
    queue: opened[0]!.queue,
    leaseMs,
    noticeMs: 0,
    async another() {
      const other = await open();
      opened.push(other);
      return other;
    },
    pass: async (ms) => clock.pass(ms),
    async [Symbol.asyncDispose]() {
      for (const storage of opened) await storage.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function openMemory(): Promise<StorageUnderTest> {
  const clock = handClock();
  const { store, queue, close } = await openSqlite({ file: ":memory:", leaseMs, clock });
  return {
    store,
    queue,
    leaseMs,
    noticeMs: 0,
    another: async () => ({ store, queue }),
    pass: async (ms) => clock.pass(ms),
    [Symbol.asyncDispose]: close,
  };
}

storeSuite("SQLite", openFile);
queueSuite("SQLite", openFile);
tidySuite("SQLite", openFile);
queueModelSuite("SQLite in memory", openMemory);
