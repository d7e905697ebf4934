import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Database } from "../tables/database.ts";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import { trackWriteHealth } from "./create-store.ts";

const full = new ServiceError("storage_full", "The disk that holds the database is full.");

/** A database that counts its writes and fails them on request. */
async function failing() {
  const database = await openSqliteDatabase({ file: ":memory:" });
  const state = { writes: 0, failure: null as Error | null };
  const write: Database["write"] = (work, options) => {
    state.writes += 1;
    return state.failure ? Promise.reject(state.failure) : database.write(work, options);
  };
  return { database, state, watched: trackWriteHealth({ write }), [Symbol.asyncDispose]: database.close };
}

test("checks without a write while writes succeed", async () => {
  await using place = await failing();
  await place.watched.check();
  await place.watched.write(async () => {});
  await place.watched.check();
  expect(place.state.writes).toBe(1);
});

test("stays unready after a refused write until a probe write succeeds and leaves nothing behind", async () => {
  await using place = await failing();
  const { state, watched, database } = place;
  state.failure = full;
  await expect(watched.write(async () => {})).rejects.toBe(full);
  await expect(watched.check()).rejects.toBe(full);
  await expect(Promise.all([watched.check(), watched.check()])).rejects.toBe(full);
  expect(state.writes).toBe(3);

  state.failure = null;
  await watched.check();
  await watched.check();
  expect(state.writes).toBe(4);
  expect(await database.reader.selectFrom("agent_process").selectAll().execute()).toEqual([]);
});

test("ignores write failures that are not caused by the store", async () => {
  await using place = await failing();
  place.state.failure = new ServiceError("run_not_found", "There is no such run.");
  await expect(place.watched.write(async () => {})).rejects.toThrow("no such run");
  await place.watched.check();
  expect(place.state.writes).toBe(1);
});
