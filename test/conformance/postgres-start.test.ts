import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fromPostgresStartError } from "../../src/storage/drivers/postgres-error.ts";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { StoreFileError } from "../../src/storage/tables/database.ts";
import { runCli } from "../cli/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { TestDatabase } from "../support/postgres.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database[Symbol.asyncDispose]());

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
  [
    "a certificate that is not there",
    (url: URL) => (url.search = "?sslmode=verify-full&sslrootcert=/nowhere/root.pem"),
    "names a file that cannot be read: ENOENT: no such file or directory, open '/nowhere/root.pem'",
  ],
])("%s is one line for the operator", async (_, change, said) => {
  const error = await refusalOf(otherwise(change));
  expect(error).toBeInstanceOf(StoreFileError);
  expect((error as Error).message).toContain(said);
});

test("a role without the right to create tables is refused with the right it needs", async () => {
  await using own = await createTestDatabase();
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
  expect(fromPostgresStartError(error)).toMatchObject({
    name: "StoreFileError",
    message: expect.stringContaining(error.message),
  });
});

test("a new database that takes no writes, as on a standby, is reported as such", async () => {
  await using own = await createTestDatabase();
  await own.query(`alter database ${new URL(own.url).pathname.slice(1)} set default_transaction_read_only = on`);
  expect(await refusalOf(own.url)).toMatchObject({
    code: "storage_unavailable",
    message: "The database is read-only at the moment.",
  });
});

test("a statement that the server breaks off at the start is asked again, also where kysely keeps the reason to itself", async () => {
  await using own = await createTestDatabase();
  await own.query(`create function break_off() returns event_trigger language plpgsql as $$
      begin
        if current_setting('application_name') <> 'rehearsal' then return; end if;
        if nextval('breaks') < 3 then raise exception 'broken off' using errcode = '57014'; end if;
      end $$;
    create sequence breaks;
    create event trigger breaks on ddl_command_start when tag in ('CREATE TABLE') execute function break_off()`);
  const waits: unknown[] = [];
  const storage = await openPostgres({ url: own.url, startMs: 15_000, onWait: (error) => waits.push(error) });
  await storage.close();
  expect(waits).toMatchObject([{ code: "storage_unavailable" }]);
});

/** The connection is lost in this many commits of migrations, as far as a client can tell. */
const losing = (times: number): string => `create sequence losses;
  create function lose() returns trigger language plpgsql as $$
    begin
      if nextval('losses') <= ${times} then raise exception 'lost' using errcode = '57P01'; end if;
      return null;
    end $$;
  create function prepare_loss() returns event_trigger language plpgsql as $$
    begin
      if to_regclass('kysely_migration') is null or exists (select 1 from pg_trigger where tgname = 'lose') then return; end if;
      create constraint trigger lose after insert on kysely_migration
        deferrable initially deferred for each row execute function lose();
    end $$;
  create event trigger prepare_loss on ddl_command_end when tag in ('CREATE TABLE') execute function prepare_loss()`;

test("a start whose commit is lost is tried again, since doing it twice does no harm", async () => {
  await using own = await createTestDatabase();
  await own.query(losing(1));
  await using storage = await openPostgres({ url: own.url });
  expect((await storage.store.runs.list({ limit: 1 })).runs).toEqual([]);
});

test("a start that fails at its last step leaves nothing that keeps the command alive", async () => {
  await using own = await createTestDatabase();
  await using folder = await temporaryFolder();
  await own.query(losing(1_000));
  const { code, stderr } = await runCli(["runs", "list"], { cwd: folder.path, env: { DATABASE_URL: own.url } });
  expect([code, stderr]).toEqual([78, "rehearsal: The database cannot be reached.\n"]);
});

/** A proxy before the server that closes every connection until `comeBack` is called. */
async function startAway(target: URL) {
  let isBack = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client.on("error", () => {}));
    if (!isBack) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname).on("error", () => {});
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: otherwise((url) => Object.assign(url, { hostname: "127.0.0.1", port })),
    comeBack() {
      isBack = true;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a start waits for an unreachable server only when configured to", async () => {
  await using away = await startAway(new URL(database.url));
  expect(await refusalOf(away.url)).toMatchObject({ code: "storage_unavailable" });
  const waiting = Promise.withResolvers<unknown>();
  const opening = openPostgres({ url: away.url, startMs: 60_000, onWait: waiting.resolve });
  expect(await waiting.promise).toMatchObject({ code: "storage_unavailable" });
  away.comeBack();
  await (await opening).close();
});

test("a missing socket file counts as a server that is restarting", async () => {
  await using folder = await temporaryFolder();
  const url = `postgres:///rehearsal?host=${folder.path}`;
  expect(await refusalOf(url)).toMatchObject({
    code: "storage_unavailable",
    message: "The database cannot be reached.",
  });
  const waits: unknown[] = [];
  const opening = openPostgres({ url, startMs: 1, onWait: (error) => waits.push(error) });
  await expect(opening).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(waits).toHaveLength(1);
});

test("an unknown error is passed on unchanged", () => {
  const bug = Object.assign(new Error("syntax error"), { code: "42601" });
  expect(fromPostgresStartError(bug)).toBe(bug);
});
