import { Client } from "pg";
import { expect, test } from "vitest";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { createPostgresDatabase } from "../../src/storage/drivers/postgres-database.ts";
import { fromPostgresError } from "../../src/storage/drivers/postgres-error.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { sampleRun } from "./sample-runs.ts";

test("when a lock is not released in time, reads are storage_unavailable and writes wait", async () => {
  await using database = await createTestDatabase();
  const url = new URL(database.url);
  url.searchParams.set("options", "-c lock_timeout=50");
  await using storage = await openPostgres({ url: url.href });
  const other = new Client({ connectionString: database.url });
  await other.connect();
  try {
    await other.query("begin; lock table run");
    const creating = storage.store.runs.create(sampleRun());
    creating.catch(() => {});
    await expect(storage.store.runs.list({ limit: 1 })).rejects.toMatchObject({ code: "storage_unavailable" });
    await other.query("commit");
    expect((await creating).outcome).toBe("created");
  } finally {
    await other.end();
  }
});

test("a server that takes no writes for a while, as in a failover, is waited for over new connections", async () => {
  await using database = await createTestDatabase();
  await using patient = await openPostgres({ url: database.url, sweepMs: 0 });
  await using hasty = await openPostgres({ url: database.url, sweepMs: 0, reconnectMs: 0 });
  const name = new URL(database.url).pathname.slice(1);
  const readOnly = (value: string) =>
    database.query(`begin read write; alter database ${name} set default_transaction_read_only = ${value}; commit`);
  await readOnly("on");
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'rehearsal'",
  );
  const creating = patient.store.runs.create(sampleRun());
  creating.catch(() => {});
  const refusal = { code: "storage_unavailable", message: expect.stringContaining("is read-only") };
  await expect(hasty.store.runs.create(sampleRun())).rejects.toMatchObject(refusal);
  await readOnly("off");
  expect((await creating).outcome).toBe("created");
  expect((await hasty.store.runs.create(sampleRun())).outcome).toBe("created");
});

test("a write that waits for a server that is away ends when the database is closed", async () => {
  const nobody = "postgres://127.0.0.1:9/none";
  const database = createPostgresDatabase({ url: nobody, connections: 1, reconnectMs: 3_600_000 });
  const writing = database.write((writer) => writer.selectFrom("run").select("id").execute());
  await Promise.all([expect(writing).rejects.toMatchObject({ code: "storage_unavailable" }), database.close()]);
});

test("a role that may no longer log in, and tables that were dropped, are storage_unavailable", async () => {
  await using database = await createTestDatabase();
  const role = `rehearsal_role_${process.pid}`;
  await database.query(`create role ${role} login; grant all on schema public to ${role}`);
  await database.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${role}`);
  const url = new URL(database.url);
  url.username = role;
  await using storage = await openPostgres({ url: url.href });
  const away = { code: "storage_unavailable" };

  await database.query(`alter role ${role} nologin`);
  await database.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [role]);
  await expect(storage.store.runs.create(sampleRun())).rejects.toMatchObject(away);
  await database.query(`alter role ${role} login`);
  expect((await storage.store.runs.create(sampleRun())).outcome).toBe("created");

  await database.query("drop table run cascade");
  await expect(storage.store.runs.list({ limit: 1 })).rejects.toMatchObject(away);
  await database.query(`reassign owned by ${role} to current_user`);
  await database.query(`drop owned by ${role}; drop role ${role}`);
});

test("with fewer connections than the service would use, reads wait for one", async () => {
  await using database = await createTestDatabase();
  const role = `rehearsal_few_${process.pid}`;
  await database.query(`create role ${role} login connection limit 5; grant all on schema public to ${role}`);
  await database.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${role}`);
  const url = new URL(database.url);
  url.username = role;
  {
    await using storage = await openPostgres({ url: url.href });
    const pages = await Promise.all(Array.from({ length: 50 }, () => storage.store.runs.list({ limit: 1 })));
    expect(pages).toHaveLength(50);
  }
  await database.query(`reassign owned by ${role} to current_user`);
  await database.query(`drop owned by ${role}; drop role ${role}`);
});

test("a full disk during the search for silent workers is reported as storage_full", async () => {
  await using database = await createTestDatabase();
  const errors: unknown[] = [];
  await using _ = await openPostgres({ url: database.url, sweepMs: 20, onError: (error) => errors.push(error) });
  await database.query(`
    create function full_disk() returns trigger language plpgsql
      as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger full_disk before update on pgboss.queue for each statement execute function full_disk()`);
  await expect.poll(() => errors[0], { timeout: 10_000 }).toMatchObject({ code: "storage_full" });
});

const saidOfTheServer =
  "53300 57014 55P03 25P03 25P04 57P05 53200 58030 28P01 28000 3D000 42501 55000 42P01 3F000".split(" ");

test.each(saidOfTheServer)("SQLSTATE %s is storage_unavailable", (code) => {
  const error = Object.assign(new Error("as the server says it"), { code });
  expect(fromPostgresError(error)).toMatchObject({ code: "storage_unavailable", cause: error });
});
