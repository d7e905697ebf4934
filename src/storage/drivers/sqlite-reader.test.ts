import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import { createSqliteReader, sqliteReaderDialect, type SqliteReader } from "./sqlite-reader.ts";

/** A file with a table of three rows, and a reader on it. */
async function readerOnFile(): Promise<{ reader: SqliteReader; database: DatabaseSync } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-reader-"));
  const file = join(folder, "store.db");
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = wal; create table thing (id integer, name text)");
  database.exec("insert into thing values (1, 'one'), (2, null), (3, 'three')");
  const reader = createSqliteReader({ file, lockTimeoutMs: 1_000 });
  return {
    reader,
    database,
    async [Symbol.asyncDispose]() {
      await reader.close();
      database.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Counts to a million inside the database: far longer than one turn of the event loop. */
const longQuery =
  "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000) select max(i) as most from n";

test("answers with rows, including later commits", async () => {
  await using stored = await readerOnFile();
  const all = "select id, name from thing where id > ? order by id";
  expect(await stored.reader.query(all, [1])).toEqual([
    { id: 2, name: null },
    { id: 3, name: "three" },
  ]);
  stored.database.exec("insert into thing values (4, 'four')");
  expect(await stored.reader.query(all, [3])).toEqual([{ id: 4, name: "four" }]);
});

test("does not block the event loop", async () => {
  await using stored = await readerOnFile();
  await stored.reader.query("select 1", []);
  let answered = false;
  let turns = 0;
  const answer = stored.reader.query(longQuery, []).finally(() => (answered = true));
  for (; !answered; turns += 1) await setImmediate();
  expect(await answer).toEqual([{ most: 1_000_000 }]);
  expect(turns).toBeGreaterThan(10);
});

test("sends a query before the last one is answered, so that the thread always has work", async () => {
  await using stored = await readerOnFile();
  const sent: string[] = [];
  const first = Promise.withResolvers<[]>();
  const reader: SqliteReader = {
    ...stored.reader,
    query: (text) => (sent.push(text), sent.length === 1 ? first.promise : Promise.resolve([])),
  };
  const database = new Kysely<unknown>({ dialect: sqliteReaderDialect(reader) });
  const waiting = sql`select 1`.execute(database);
  await sql`select 2`.execute(database);
  expect(sent).toEqual(["select 1", "select 2"]);
  first.resolve([]);
  await waiting;
});

test("fails only the query that cannot be answered", async () => {
  await using stored = await readerOnFile();
  const [wrong, write, right] = await Promise.allSettled([
    stored.reader.query("select name from nowhere", []),
    stored.reader.query("delete from thing", []),
    stored.reader.query("select count(*) as count from thing", []),
  ]);
  expect(wrong).toMatchObject({ status: "rejected", reason: { message: "no such table: nowhere" } });
  expect(write).toMatchObject({ status: "rejected", reason: { code: "storage_unavailable" } });
  expect(right).toEqual({ status: "fulfilled", value: [{ count: 3 }] });
});

test("reports a file that cannot be opened as a store failure", async () => {
  const reader = createSqliteReader({
    file: join(tmpdir(), "rehearsal-no-such-folder", "store.db"),
    lockTimeoutMs: 10,
  });
  await expect(reader.query("select 1", [])).rejects.toMatchObject({ code: "storage_unavailable" });
  await reader.close();
});

test("finishes the running query on close and rejects later ones", async () => {
  await using stored = await readerOnFile();
  const under = stored.reader.query(longQuery, []);
  const closed = stored.reader.close();
  await expect(stored.reader.query("select 1", [])).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(await under).toEqual([{ most: 1_000_000 }]);
  await closed;
  await stored.reader.close();
});
