import { afterAll, beforeAll, expect, test } from "vitest";
import { toStartError } from "../../src/storage/drivers/postgres-error.ts";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { StoreFileError } from "../../src/storage/store-file-error.ts";
import { startPostgres, type TestDatabase, type TestPostgres } from "../support/postgres.ts";

let postgres: TestPostgres;
let database: TestDatabase;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createDatabase();
}, 60_000);

afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await postgres.stop();
});

const otherwise = (change: (url: URL) => void): string => {
  const url = new URL(database.url);
  change(url);
  return url.href;
};

/** Why a start with this address fails. */
const refusalOf = (url: string): Promise<unknown> => openPostgres({ url }).catch((error: unknown) => error);

test.each([
  ["a database that is not there", (url: URL) => (url.pathname = "/nowhere"), 'database "nowhere" does not exist'],
  ["a role that is not there", (url: URL) => (url.username = "nobody"), "nobody"],
  ["a server without TLS", (url: URL) => url.searchParams.set("sslmode", "verify-full"), "does not support SSL"],
])("%s is one line for the operator", async (_, change, said) => {
  const error = await refusalOf(otherwise(change));
  expect(error).toBeInstanceOf(StoreFileError);
  expect((error as Error).message).toContain(said);
});

test("a role that may make no tables, as any but the owner since PostgreSQL 15, is told what it needs", async () => {
  await using own = await postgres.createDatabase();
  await own.query("create role powerless login password 'p'");
  const url = new URL(own.url);
  Object.assign(url, { username: "powerless", password: "p" });
  try {
    const name = url.pathname.slice(1);
    expect(await refusalOf(url.href)).toMatchObject({
      name: "StoreFileError",
      message: expect.stringMatching(`^The role "powerless" may not .* in the database "${name}"`),
    });
    await own.query(`alter database ${name} owner to powerless`);
    const storage = await openPostgres({ url: url.href });
    await storage.close();
  } finally {
    await own.query("reassign owned by powerless to current_user; drop owned by powerless; drop role powerless");
  }
});

test.each(["postgres://u:p@ss:w/ord@host/x", "postgres://u:50%ff@host/x"])(
  "the password in %s has to be written otherwise, and is not shown",
  async (url) => {
    const error = await refusalOf(url);
    expect(error).toBeInstanceOf(StoreFileError);
    expect((error as Error).message).toMatch(/^The address of the database cannot be read: .*%40/);
    expect((error as Error).message).not.toMatch(/ss:w|50%ff/);
  },
);

test.each([
  [Object.assign(new Error('password authentication failed for user "u"'), { code: "28P01" })],
  [Object.assign(new Error("self-signed certificate in certificate chain"), { code: "SELF_SIGNED_CERT_IN_CHAIN" })],
  [new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string")],
])("%s is for the operator", (error) => {
  expect(toStartError(error)).toMatchObject({
    name: "StoreFileError",
    message: expect.stringContaining(error.message),
  });
});

test("what is a bug stays one", () => {
  const bug = Object.assign(new Error("syntax error"), { code: "42601" });
  expect(toStartError(bug)).toBe(bug);
});
