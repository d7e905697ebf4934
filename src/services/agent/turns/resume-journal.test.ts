import { expect, test } from "vitest";
import { failsWith, scriptedModel } from "../../../agent/testing/scripted-model.ts";
import type { SuccessfulReply } from "../../../contract/ports/chat-model.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { createResumeJournal, type ResumeEntry } from "./resume-journal.ts";

const options = { signal: new AbortController().signal };
const request = { messages: [] };
const ended = { ok: true, result: "sent", duration_ms: 1 };

/** A journal with the steps in `done` as the store returns them. */
function journalOn(done: ResumeEntry[], decisions: Parameters<typeof createResumeJournal>[0]["decisions"]) {
  const stored = JSON.parse(JSON.stringify(done)) as ResumeEntry[];
  return createResumeJournal({ done: stored, decisions, note: async (entry) => void done.push(entry) });
}

test("returns completed steps to the process that resumes, even when they were stored twice", async () => {
  const done: ResumeEntry[] = [];
  const first = journalOn(done, { a: "approve" });
  expect(await Promise.all([first.calls.begin("a"), first.calls.begin("b")])).toEqual([null, null]);
  await first.calls.end("a", ended);
  const asked = first.remember(scriptedModel("One", failsWith("upstream_error"), "Two"));
  for (let call = 0; call < 3; call += 1) await asked(request, options);
  expect(done.filter(({ type }) => type === "decided")).toHaveLength(1);
  expect(done[0]?.type).toBe("decided");

  const second = journalOn([...done, ...done], { a: "approve" });
  expect(await second.calls.begin("a")).toEqual(ended);
  expect(await second.calls.begin("b")).toBe("unknown");
  const again = second.remember(scriptedModel("New"));
  const texts: string[] = [];
  for (let call = 0; call < 4; call += 1) texts.push(((await again(request, options)) as SuccessfulReply).text);
  expect(texts).toEqual(["One", "New", "Two", "New"]);
});

test("accepts other decisions until one of them has been carried out", () => {
  const done: ResumeEntry[] = [{ type: "decided", decisions: { a: { args: { to: "x" } } } }];
  expect(() => journalOn([], { a: "deny" })).not.toThrow();
  expect(() => journalOn(done, { a: { args: { to: "x" } } })).not.toThrow();
  expect(() => journalOn(done, { a: { args: { to: "y" } } })).toThrow("other decisions");
  expect(() => journalOn(done, { a: "approve" })).toThrow("other decisions");
});

test("starts no call after the store has failed, and stores completed steps later", async () => {
  const done: ResumeEntry[] = [];
  let full = false;
  const journal = createResumeJournal({
    done: [],
    decisions: { a: "approve", b: "approve" },
    async note(entry) {
      if (full) throw new ServiceError("storage_full", "The disk is full.");
      done.push(entry);
    },
  });
  await journal.calls.begin("a");
  full = true;
  await expect(journal.calls.end("a", ended)).rejects.toThrow("full");
  await expect(journal.catchUp()).rejects.toThrow("full");
  full = false;
  await expect(journal.calls.begin("b")).rejects.toThrow("full");
  await journal.catchUp();
  await journal.catchUp();
  const next = journalOn(done, { a: "approve", b: "approve" });
  expect(await next.calls.begin("a")).toEqual(ended);
  expect(await next.calls.begin("b")).toBeNull();
  expect(done.filter(({ type }) => type === "call-end")).toHaveLength(1);
});
