import { afterAll, beforeAll } from "vitest";
import { hostClock } from "../../src/storage/tables/host.ts";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { openSqlite, type OpenedStorage } from "../../src/storage/drivers/open-sqlite.ts";
import type { TestDatabase } from "../support/postgres.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { agentMemorySuite } from "./agent-memory-suite.ts";
import type { MemoryUnderTest } from "./memory-under-test.ts";

interface OpenOptions {
  readonly pid?: number;
  readonly now: () => number;
}

function underTest(
  place: AsyncDisposable,
  openStorage: (options: OpenOptions) => Promise<OpenedStorage>,
): MemoryUnderTest {
  const opened: OpenedStorage[] = [];
  let passed = 0;
  return {
    async open(options = {}) {
      const storage = await openStorage({ ...options, now: () => Date.now() + passed });
      opened.push(storage);
      return storage;
    },
    pass: (ms) => void (passed += ms),
    async [Symbol.asyncDispose]() {
      for (const storage of opened) await storage.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

agentMemorySuite("SQLite", async () => {
  const folder = await temporaryFolder();
  return underTest(folder, ({ now, ...options }) =>
    openSqlite({ file: folder.file("rehearsal.db"), clock: { ...hostClock, now }, ...options }),
  );
});

let prepared: TestDatabase;
beforeAll(async () => {
  prepared = await createTestDatabase();
  await (await openPostgres({ url: prepared.url })).close();
});
afterAll(() => prepared[Symbol.asyncDispose]());

agentMemorySuite("PostgreSQL", async () => {
  const database = await createTestDatabase({ from: prepared });
  return underTest(database, ({ now, ...options }) =>
    openPostgres({ url: database.url, connections: 3, clock: { ...hostClock, now }, ...options }),
  );
});
