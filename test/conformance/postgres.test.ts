import { afterAll, beforeAll } from "vitest";
import { preparePostgresUnderTest, type PostgresUnderTest } from "./postgres-storage.ts";
import { queueModelSuite } from "./queue-model-suite.ts";
import { queueSuite } from "./queue-suite.ts";
import { storeSuite } from "./store-suite.ts";
import { tidySuite } from "./tidy-suite.ts";

let storage: PostgresUnderTest;

beforeAll(async () => {
  storage = await preparePostgresUnderTest();
});

afterAll(() => storage[Symbol.asyncDispose]());

const open = () => storage.open();

storeSuite("PostgreSQL", open);
queueSuite("PostgreSQL", open);
tidySuite("PostgreSQL", open);
queueModelSuite("PostgreSQL", open, { numRuns: 8 });
