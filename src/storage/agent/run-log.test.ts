import { expect, test } from "vitest";
import type { AgentRunEntry, AgentRunStarted } from "../../contract/schemas/agent/agent-run.ts";
import type { Database } from "../tables/database.ts";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import { createPresence } from "../leases/presence.ts";
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
const called: AgentRunEntry = {
  type: "model-call",
  at: 1,
  call: 1,
  duration_ms: 1,
  model_resolved: "a/b",
  reply: null,
};

/** A log on a database that can be made unavailable. Nothing is written before the first read. */
async function openLog(options: { mostWaiting?: number; mostCharacters?: number } = {}) {
  const real = await openSqliteDatabase({ file: ":memory:" });
  const errors: unknown[] = [];
  const state = { away: false, silent: false };
  const database: Database = {
    ...real,
    async write(work) {
      if (state.away) throw new Error("away");
      const result = await real.write(work);
      if (state.silent) throw new Error("committed, but nobody heard");
      return result;
    },
  };
  const onError = (error: unknown) => void errors.push(error);
  const location = { host: "here", pid: process.pid };
  const presence = createPresence({ database, readNow: async () => 1, location, onError });
  const log = createRunLog({ database, presence, onError, delayMs: 60_000, ...options });
  return { log, state, errors, [Symbol.asyncDispose]: () => log.close().then(real.close) };
}

test("reports entries as written once they are stored or dropped", async () => {
  await using opened = await openLog({ mostWaiting: 1 });
  const { log, state } = opened;
  const told: string[] = [];
  const add = (id: string) => {
    log.append(id, start());
    void log.written(id).then(() => told.push(id));
  };
  add("1");
  await log.flush();
  state.away = true;
  add("2");
  await log.flush().catch(() => {});
  expect(told).toEqual(["1"]);
  add("3");
  await log.flush().catch(() => {});
  expect(told).toEqual(["1", "2"]);
  state.away = false;
  await log.flush();
  await log.written("3");
  await log.written("unknown");
  expect(told).toEqual(["1", "2", "3"]);
});

test("writes long conversations one after the other, each once", async () => {
  await using opened = await openLog();
  const { log } = opened;
  const messages = [{ role: "user" as const, content: "x".repeat(700_000) }];
  for (const id of ["1", "2", "3"]) log.append(id, { ...start(), messages });
  await log.flush();
  for (const id of ["1", "2", "3"]) expect((await log.get(id, null))?.entries).toHaveLength(1);
});

test("keeps entries in order and writes them later when a write fails", async () => {
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

test("shows stored runs while the disk is full, and does not deny pending ones", async () => {
  await using opened = await openLog();
  const { log, state } = opened;
  log.append("1", start());
  await log.flush();
  state.away = true;
  log.append("2", start());
  expect((await log.list({ owner: null, limit: 9 })).runs.map(({ id }) => id)).toEqual(["1"]);
  expect((await log.get("1", null))?.entries).toEqual([start()]);
  await expect(log.get("2", null)).rejects.toThrow("away");
  log.append("1", resumed);
  await expect(log.get("1", null)).rejects.toThrow("away");
  await expect(log.get("unknown", null)).rejects.toThrow("away");
});

test("stores entries once after an uncertain commit, and those after it", async () => {
  await using opened = await openLog();
  const { log, state } = opened;
  log.append("0", start());
  await log.get("0", null);
  const entries = [start(), called, { ...called, at: 2 }, { ...called, at: 3 }];
  for (const entry of entries) {
    state.silent = true;
    log.append("1", entry);
    await expect(log.get("1", null)).rejects.toThrow("nobody heard");
    state.silent = false;
    if (entry === called) await log.get("1", null);
  }
  const record = await log.get("1", null);
  expect(record?.entries).toEqual(entries);
  expect((await log.list({ owner: null, limit: 1 })).runs).toMatchObject([{ id: "1", model_calls: 3 }]);
});

const long: AgentRunStarted = { ...start(), messages: [{ role: "user", content: "x".repeat(1_000) }] };

test.each([{ mostWaiting: 2 }, { mostCharacters: 3_000 }])(
  "drops the oldest runs and reports it when the database stays unavailable (%o)",
  async (options) => {
    await using opened = await openLog(options);
    const { log, state, errors } = opened;
    state.away = true;
    for (const id of ["1", "2"]) log.append(id, long);
    await expect(log.get("1", null)).rejects.toThrow("away");
    expect(errors.splice(0)).toHaveLength(1);
    log.append("1", called);
    log.append("3", long);
    await expect(log.get("1", null)).rejects.toThrow("away");
    expect(errors).toMatchObject([{ message: "away" }, { message: expect.stringMatching(/log of 1 agent/) }]);
    state.away = false;
    expect((await log.list({ owner: null, limit: 9 })).runs.map(({ id }) => id)).toEqual(["3", "2"]);
  },
);

test("writes other runs when one cannot be written", async () => {
  await using opened = await openLog();
  const { log, errors } = opened;
  log.append("1", { ...start(), messages: [{ role: "user", content: 1n as unknown as string }] });
  log.append("2", start());
  expect((await log.list({ owner: null, limit: 9 })).runs.map(({ id }) => id)).toEqual(["2"]);
  expect(errors).toHaveLength(1);
});

test("shows everything added before a read, also with concurrent reads", async () => {
  await using opened = await openLog();
  const { log } = opened;
  const reads = Array.from({ length: 20 }, (_, index) => {
    log.append(String(index), start());
    return log.get(String(index), null);
  });
  for (const record of await Promise.all(reads)) expect(record?.entries).toHaveLength(1);
});
