import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { preparePostgresUnderTest, type PostgresUnderTest } from "./postgres-storage.ts";
import { queueModelSuite } from "./queue-model-suite.ts";
import { queueSuite } from "./queue-suite.ts";
import { storeSuite } from "./store-suite.ts";
import { tidySuite } from "./tidy-suite.ts";

let postgres: TestPostgres;
let storage: PostgresUnderTest;

beforeAll(async () => {
  postgres = await startPostgres();
  storage = await preparePostgresUnderTest(postgres);
});

afterAll(async () => {
  await storage[Symbol.asyncDispose]();
  await postgres.stop();
});

const open = () => storage.open();

storeSuite("PostgreSQL", open);
queueSuite("PostgreSQL", open);
tidySuite("PostgreSQL", open);
queueModelSuite("PostgreSQL", open, { numRuns: 8 });
