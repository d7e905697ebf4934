import { expect, test } from "vitest";
import { failsWith, scriptedModel } from "../../../agent/testing/scripted-model.ts";
import type { Reply } from "../../../contract/ports/chat-model.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { createTurnJournal, type TurnJournalEntry } from "./turn-journal.ts";

const options = { signal: new AbortController().signal };
const request = { messages: [] };
const ended = { ok: true, result: "sent", duration_ms: 1 };
const call = (id: string, args: Record<string, unknown> = { to: id }) => ({ id, name: "send", args });
const route = { resolved: () => "model", restore() {} };

/** A journal with the steps in `done` as the store returns them. */
function journalOn(done: TurnJournalEntry[], decisions?: Parameters<typeof createTurnJournal>[0]["decisions"]) {
  const stored = JSON.parse(JSON.stringify(done)) as TurnJournalEntry[];
  return createTurnJournal({
    done: stored,
    ...(decisions && { decisions }),
    note: async (entry) => void done.push(entry),
  });
}

async function ask(model: (...asked: [typeof request, typeof options]) => Promise<Reply>, calls: number) {
  const texts: string[] = [];
  for (let count = 0; count < calls; count += 1) {
    const reply = await model(request, options);
    texts.push(reply.ok ? reply.text : reply.error.code);
  }
  return texts;
}

test("returns completed steps to the process that continues, even when they were stored twice", async () => {
  const done: TurnJournalEntry[] = [];
  const first = journalOn(done, { a: "approve" });
  expect(await Promise.all([first.calls.begin(call("a")), first.calls.begin(call("b"))])).toEqual([null, null]);
  await first.calls.end("a", ended);
  await ask(first.remember(scriptedModel("One", failsWith("upstream_error"), "Two"), route), 3);
  expect(done.filter(({ type }) => type === "decided")).toHaveLength(1);
  expect(done[0]?.type).toBe("decided");

  const second = journalOn([...done, ...done], { a: "approve" });
  expect(await second.calls.begin(call("a"))).toEqual(ended);
  expect(await second.calls.begin(call("b"))).toBe("unknown");
  expect(await ask(second.remember(scriptedModel("New"), route), 4)).toEqual(["One", "upstream_error", "Two", "New"]);
});

test("uses stored replies only up to the first that is missing: a new one may lead elsewhere", async () => {
  const done: TurnJournalEntry[] = [];
  await ask(journalOn(done).remember(scriptedModel("One", "Two", "Three"), route), 3);
  const withGap = done.filter((entry) => entry.type !== "reply" || entry.call !== 2);
  const replayed = journalOn(withGap).remember(scriptedModel("New", "Newer"), route);
  expect(await ask(replayed, 3)).toEqual(["One", "New", "Newer"]);
});

test("restores the model that gave a stored reply", async () => {
  const done: TurnJournalEntry[] = [];
  await ask(journalOn(done).remember(scriptedModel("One"), { ...route, resolved: () => "fallback" }), 1);
  const restored: string[] = [];
  const again = journalOn(done).remember(scriptedModel(), {
    ...route,
    restore: (resolved) => void restored.push(resolved),
  });
  await ask(again, 1);
  expect(restored).toEqual(["fallback"]);
});

test("knows a call by its tool and arguments, however it is numbered and whatever came before it", async () => {
  const done: TurnJournalEntry[] = [];
  const first = journalOn(done);
  for (const [id, to] of [
    ["1", "a"],
    ["2", "b"],
    ["3", "a"],
  ] as const) {
    expect(await first.calls.begin(call(id, { to, cc: null }))).toBeNull();
    await first.calls.end(id, { ...ended, result: id });
  }
  const second = journalOn(done);
  expect(await second.calls.begin(call("x", { cc: null, to: "b" }))).toMatchObject({ result: "2" });
  expect(await second.calls.begin(call("y", { cc: null, to: "a" }))).toMatchObject({ result: "1" });
  expect(await second.calls.begin(call("z", { cc: null, to: "a" }))).toMatchObject({ result: "3" });
  expect(await second.calls.begin(call("1", { to: "a" }))).toBeNull();
});

test("accepts other decisions until one of them has been carried out", () => {
  const done: TurnJournalEntry[] = [{ type: "decided", decisions: { a: { args: { to: "x" } } } }];
  expect(() => journalOn([], { a: "deny" })).not.toThrow();
  expect(() => journalOn(done, { a: { args: { to: "x" } } })).not.toThrow();
  expect(() => journalOn(done, { a: { args: { to: "y" } } })).toThrow("other decisions");
  expect(() => journalOn(done, { a: "approve" })).toThrow("other decisions");
});

test("starts no call after the store has failed, and stores completed steps later", async () => {
  const done: TurnJournalEntry[] = [];
  let full = false;
  const journal = createTurnJournal({
    done: [],
    decisions: { a: "approve", b: "approve" },
    async note(entry) {
      if (full) throw new ServiceError("storage_full", "The disk is full.");
      done.push(entry);
    },
  });
  await journal.calls.begin(call("a"));
  full = true;
  await expect(journal.calls.end("a", ended)).rejects.toThrow("full");
  await expect(journal.catchUp()).rejects.toThrow("full");
  full = false;
  await expect(journal.calls.begin(call("b"))).rejects.toThrow("full");
  await journal.catchUp();
  await journal.catchUp();
  const next = journalOn(done, { a: "approve", b: "approve" });
  expect(await next.calls.begin(call("a"))).toEqual(ended);
  expect(await next.calls.begin(call("b"))).toBeNull();
  expect(done.filter(({ type }) => type === "call-end")).toHaveLength(1);
});
