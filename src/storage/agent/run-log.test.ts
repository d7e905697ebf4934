import { expect, test } from "vitest";
import type { AgentRunEntry, AgentRunStarted } from "../../contract/agent-run.ts";
import type { Database } from "../database.ts";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import { createPresence } from "./presence.ts";
import { createRunLog } from "./run-log.ts";

const start = (): AgentRunStarted => ({
  type: "run-start",
  at: 0,
  owner: null,
  wire: "agent",
  request_id: "r",
  model_id: "a/b",
  model_resolved: "a/b",
  thread_id: null,
  messages: [],
  tools: [],
  client_tools: [],
});
const resumed: AgentRunEntry = { type: "run-resume", at: 1, decisions: {} };

/** A log on a database that can be away. Nothing is written until somebody reads. */
async function openLog(options: { mostWaiting?: number } = {}) {
  const real = await openSqliteDatabase({ file: ":memory:" });
  const errors: unknown[] = [];
  const state = { away: false };
  const database: Database = {
    ...real,
    write: (work) => (state.away ? Promise.reject(new Error("away")) : real.write(work)),
  };
  const onError = (error: unknown) => void errors.push(error);
  const place = { host: "here", pid: process.pid };
  const presence = createPresence({ database, readNow: async () => 1, place, onError });
  const log = createRunLog({ database, presence, onError, delayMs: 60_000, ...options });
  return { log, state, errors, [Symbol.asyncDispose]: () => log.close().then(real.close) };
}

test("what could not be written is kept in order and written later", async () => {
  await using opened = await openLog();
  const { log, state, errors } = opened;
  state.away = true;
  log.append("1", start());
  await expect(log.get("1", null)).rejects.toThrow("away");
  log.append("1", resumed);
  log.append("2", start());
  state.away = false;
  expect((await log.get("1", null))?.entries).toEqual([start(), resumed]);
  expect((await log.list({ owner: null, limit: 9 })).runs.map(({ id }) => id)).toEqual(["2", "1"]);
  expect(errors).toHaveLength(1);
});

test("a database that stays away does not fill the memory: the oldest runs are given up", async () => {
  await using opened = await openLog({ mostWaiting: 2 });
  const { log, state } = opened;
  state.away = true;
  for (const id of ["1", "2", "3"]) log.append(id, start());
  await expect(log.get("1", null)).rejects.toThrow("away");
  state.away = false;
  expect((await log.list({ owner: null, limit: 9 })).runs.map(({ id }) => id)).toEqual(["3", "2"]);
});

test("a run that cannot be written keeps no other from it", async () => {
  await using opened = await openLog();
  const { log, errors } = opened;
  log.append("1", { ...start(), messages: [{ role: "user", content: 1n as unknown as string }] });
  log.append("2", start());
  expect((await log.list({ owner: null, limit: 9 })).runs.map(({ id }) => id)).toEqual(["2"]);
  expect(errors).toHaveLength(1);
});

test("all that was added before a read is there, also when others read at the same time", async () => {
  await using opened = await openLog();
  const { log } = opened;
  const reads = Array.from({ length: 20 }, (_, index) => {
    log.append(String(index), start());
    return log.get(String(index), null);
  });
  for (const record of await Promise.all(reads)) expect(record?.entries).toHaveLength(1);
});
