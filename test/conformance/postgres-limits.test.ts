import { afterAll, beforeAll } from "vitest";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import type { TestDatabase } from "../support/postgres.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { librarySuite } from "./library-suite.ts";
import { limitsSuite } from "./limits-suite.ts";

let prepared: TestDatabase;

beforeAll(async () => {
  prepared = await createTestDatabase();
  await (await openPostgres({ url: prepared.url })).close();
});

afterAll(() => prepared[Symbol.asyncDispose]());

limitsSuite("PostgreSQL", async () => {
  const database = await createTestDatabase({ from: prepared });
  return {
    open: () => openPostgres({ url: database.url, connections: 3 }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
});

librarySuite("PostgreSQL", async () => {
  const database = await createTestDatabase({ from: prepared });
  const { library, close } = await openPostgres({ url: database.url, connections: 3 });
  return {
    library,
    async [Symbol.asyncDispose]() {
      await close();
      await database[Symbol.asyncDispose]();
    },
  };
});
