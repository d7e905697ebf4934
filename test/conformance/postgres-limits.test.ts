import { afterAll, beforeAll } from "vitest";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { startPostgres, type TestDatabase, type TestPostgres } from "../support/postgres.ts";
import { librarySuite } from "./library-suite.ts";
import { limitsSuite } from "./limits-suite.ts";

let postgres: TestPostgres;
let prepared: TestDatabase;

beforeAll(async () => {
  postgres = await startPostgres();
  prepared = await postgres.createDatabase();
  await (await openPostgres({ url: prepared.url })).close();
});

afterAll(() => postgres.stop());

limitsSuite("PostgreSQL", async () => {
  const database = await postgres.createDatabase({ from: prepared });
  return {
    open: () => openPostgres({ url: database.url, connections: 3 }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
});

librarySuite("PostgreSQL", async () => {
  const database = await postgres.createDatabase({ from: prepared });
  const { library, close } = await openPostgres({ url: database.url, connections: 3 });
  return {
    library,
    async [Symbol.asyncDispose]() {
      await close();
      await database[Symbol.asyncDispose]();
    },
  };
});
