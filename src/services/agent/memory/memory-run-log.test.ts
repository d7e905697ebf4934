import { expect, test } from "vitest";
import type { AgentRunEntry } from "../../../contract/agent-run.ts";
import { createMemoryRunLog } from "./memory-run-log.ts";

function start(overrides: Partial<Extract<AgentRunEntry, { type: "run-start" }>> = {}): AgentRunEntry {
  return {
    type: "run-start",
    at: 0,
    owner: null,
    wire: "agent",
    request_id: "r",
    model_id: "a/b",
    model_resolved: "a/b",
    thread_id: null,
    messages: [{ role: "user", content: "Hi" }],
    tools: [],
    client_tools: [],
    ...overrides,
  };
}

test("lists newest first, page by page, to the owner only", async () => {
  const log = createMemoryRunLog();
  for (const id of ["1", "2", "3", "4", "5"]) log.append(id, start({ owner: id === "3" ? "other" : null }));
  const first = await log.list({ owner: null, limit: 2 });
  expect(first.runs.map(({ id }) => id)).toEqual(["5", "4"]);
  const second = await log.list({ owner: null, limit: 2, cursor: first.next_cursor ?? "" });
  expect(second).toMatchObject({ runs: [{ id: "2" }, { id: "1" }], next_cursor: null });
  expect(await log.get("3", null)).toBeNull();
  expect(await log.get("3", "other")).toMatchObject({ id: "3" });
});

test("the oldest runs make room, by number and by size", async () => {
  const few = createMemoryRunLog({ maxRuns: 2 });
  for (const id of ["1", "2", "3"]) few.append(id, start());
  expect((await few.list({ owner: null, limit: 9 })).runs.map(({ id }) => id)).toEqual(["3", "2"]);

  const small = createMemoryRunLog({ maxCharacters: 2500 });
  for (const id of ["1", "2", "3"]) small.append(id, start({ messages: [{ role: "user", content: "x".repeat(500) }] }));
  expect((await small.list({ owner: null, limit: 9 })).runs.map(({ id }) => id)).toEqual(["3", "2"]);
});

test("runs end by age, and what is added to a dropped run is dropped", async () => {
  let now = 0;
  const log = createMemoryRunLog({ ttlMs: 10, now: () => now });
  log.append("1", start());
  now = 10;
  expect(await log.get("1", null)).toBeNull();
  log.append("2", start());
  log.append("1", { type: "run-resume", at: 11, decisions: {} });
  expect((await log.list({ owner: null, limit: 9 })).runs.map(({ id }) => id)).toEqual(["2"]);
});

test("what was read does not change when the run goes on", async () => {
  const log = createMemoryRunLog();
  log.append("1", start());
  const before = await log.get("1", null);
  log.append("1", { type: "run-resume", at: 1, decisions: {} });
  expect(before?.entries).toHaveLength(1);
});
