import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Writer } from "../tables/database.ts";
import type { Tables } from "../tables/schema.ts";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

let connection: DatabaseSync;
let group: GroupCommit;
let transactions: number;

beforeEach(() => {
  connection = new DatabaseSync(":memory:");
  connection.exec("create table note (text not null unique)");
  const kysely = new Kysely<Tables>({ dialect: sqliteDialect(connection) });
  transactions = 0;
  group = createGroupCommit({
    begin: () => {
      transactions += 1;
      return kysely.startTransaction().execute();
    },
  });
});

afterEach(async () => {
  await group.close();
  connection.close();
});

const insert =
  (text: string | null) =>
  async (writer: Writer): Promise<string | null> => {
    await sql`insert into note values (${text})`.execute(writer);
    return text;
  };

const notes = (): string[] =>
  connection
    .prepare("select text from note order by text")
    .all()
    .map((row) => String(row["text"]));

test("shares a transaction between concurrent writes", async () => {
  const texts = Array.from({ length: 500 }, (_, index) => `note ${index}`);
  expect(await Promise.all(texts.map((text) => group.write(insert(text))))).toEqual(texts);
  expect(notes()).toHaveLength(500);
  expect(transactions).toBeLessThan(50);
});

test("commits a write before acknowledging it", async () => {
  await group.write(insert("kept"));
  expect(connection.isTransaction).toBe(false);
  expect(notes()).toEqual(["kept"]);
});

test("rolls back only the write that fails", async () => {
  const results = await Promise.allSettled([
    group.write(insert("a")),
    group.write(async (writer) => {
      await insert("half")(writer);
      await insert(null)(writer);
    }),
    group.write(insert("a")),
    group.write(async () => {
      throw new Error("not even SQL");
    }),
    group.write(insert("b")),
  ]);
  expect(results.map((result) => result.status)).toEqual([
    "fulfilled",
    "rejected",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  expect(notes()).toEqual(["a", "b"]);
});

test("retries each write alone when the transaction is lost", async () => {
  let lose = true;
  const results = await Promise.allSettled([
    group.write(insert("a")),
    group.write(async () => {
      if (!lose) return "second try";
      lose = false;
      // SQLite does this by itself when the disk is full.
      connection.exec("rollback");
      throw new Error("the disk is full");
    }),
    group.write(insert("b")),
  ]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
  expect(notes()).toEqual(["a", "b"]);
});

test("fails only the writes that do not fit on a full disk, and recovers", async () => {
  const { page_count: pages } = connection.prepare("pragma page_count").get() as { page_count: number };
  connection.exec(`pragma max_page_count = ${pages + 2}`);
  const results = await Promise.allSettled([
    group.write(insert("small")),
    group.write(insert("x".repeat(100_000))),
    group.write(insert("tiny")),
  ]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { code: "storage_full" } });
  connection.exec("pragma max_page_count = 1000000");
  await group.write(insert("x".repeat(100_000)));
  expect(notes()).toEqual(["small", "tiny", "x".repeat(100_000)]);
});

test("waits for writes in flight on close and rejects later ones", async () => {
  const writing = group.write(insert("in time"));
  await group.close();
  expect(await writing).toBe("in time");
  await expect(group.write(insert("too late"))).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(notes()).toEqual(["in time"]);
});

test("fails only the waiting writes when the lock is unavailable", async () => {
  let locked = true;
  const kysely = new Kysely<Tables>({ dialect: sqliteDialect(connection) });
  const other = createGroupCommit({
    begin: async () => {
      if (locked) throw new Error("locked");
      return kysely.startTransaction().execute();
    },
  });
  const results = await Promise.allSettled([other.write(insert("a")), other.write(insert("b"))]);
  expect(results.map((result) => result.status)).toEqual(["rejected", "rejected"]);
  locked = false;
  await other.write(insert("c"));
  expect(notes()).toEqual(["c"]);
});

test("runs a last write after the others of its group, in the same commit", async () => {
  const count = async (writer: Writer): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from note`.execute(writer);
    return rows[0]!.count;
  };
  const counted = group.write(count, { last: true });
  const [seen] = await Promise.all([counted, group.write(insert("a")), group.write(insert("b"))]);
  expect(seen).toBe(2);
  expect(transactions).toBe(1);
});

test("runs last writes in a group that has reached its time limit", async () => {
  const slow = async (): Promise<void> => {
    const until = performance.now() + 30;
    while (performance.now() < until);
  };
  const order: string[] = [];
  await Promise.all([
    ...["first", "second", "third"].map((name) => group.write(slow).then(() => order.push(name))),
    group.write(async () => {}, { last: true }).then(() => order.push("last")),
  ]);
  expect(order.indexOf("last")).toBeLessThan(order.indexOf("third"));
});
