import { expect, test } from "vitest";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import type { NumberedInteraction, Store } from "../../contract/ports/store.ts";
import { toStoredReply } from "../../evaluation/conversation/stored-reply.ts";
import { createRunLedger } from "./run-ledger.ts";

const turn = (attempt: number): NumberedInteraction => ({
  seq: attempt,
  attempt_id: `a${attempt}`,
  scenario_index: 0,
  attempt,
  turn_index: 0,
  reply: toStoredReply(sampleReply("hello")),
  scores: null,
});

const { signal } = new AbortController();

const noScores = { generated_metadata: {}, label_sources: {}, scores: {}, score_reasons: {}, scoring_version: "1" };

/** A ledger of a run with these stored turns, and a budget of four calls. */
function ledgerOf(rows: NumberedInteraction[], budget = { calls: 4 }) {
  const after = async (_run: string, seq: number) => ({ turns: rows.filter((row) => row.seq > seq), more: false });
  return createRunLedger({
    runId: "run",
    store: { interactions: { after } } as unknown as Store,
    budget,
    deadline: null,
    now: Date.now,
  });
}

test("counts a turn once when the store reports it before its writer", async () => {
  const rows: NumberedInteraction[] = [];
  const ledger = ledgerOf(rows);
  for (const attempt of [1, 2]) {
    expect(await ledger.admit(signal)).toBe(true);
    rows.push(turn(attempt));
    // Another attempt of this process reads between the commit and the report of the writer.
    await ledger.refresh();
    ledger.settle();
    ledger.stored(turn(attempt));
    await ledger.refresh();
  }
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, false]);
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, true]);
});

test("counts helper spend from the call on, and once", async () => {
  const rows: NumberedInteraction[] = [];
  const ledger = ledgerOf(rows, { calls: 6 });
  const vote = { calls: 1, tokens: 2, money: 0 };
  for (const _ of ["reply", "vote", "vote", "vote"]) expect(await ledger.admit(signal)).toBe(true);
  for (const _ of ["vote", "vote", "vote"]) ledger.settle(vote);
  // The turn is not stored yet: its reply counts as in flight, its votes as spent.
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, false]);
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, true]);
  ledger.settle();
  ledger.settle();

  const usage = { input_tokens: 3, output_tokens: 3, total_tokens: 6 };
  const judged = { ...turn(1), scores: { ...noScores, helper_usage: { calls: 3, usage, cost: null } } };
  rows.push(judged);
  await ledger.refresh();
  ledger.settle();
  ledger.stored(judged);
  await ledger.refresh();
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, false]);
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, true]);
});

test("counts the spend of a conversation judge after its last turn was read", async () => {
  const rows = [turn(1)];
  const ledger = ledgerOf(rows);
  expect(await ledger.admit(signal)).toBe(true);
  await ledger.refresh();
  ledger.settle();
  ledger.stored(turn(1));
  for (const _ of ["vote", "vote", "vote"]) {
    expect(await ledger.admit(signal)).toBe(true);
    ledger.settle({ calls: 1, tokens: 2, money: 0 });
  }
  expect(ledger.spent).toBe(true);
});

test("counts a reply left unscored from the start, and once when it is scored", async () => {
  const rows = [{ ...turn(1), seq: -1 }, turn(2), { ...turn(3), seq: -3 }];
  const ledger = ledgerOf(rows.toSorted((left, right) => left.seq - right.seq));
  await ledger.refresh();
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, true]);
  ledger.settle();
  ledger.stored({ ...turn(1), scores: noScores });
  await ledger.refresh();
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, true]);
});

test("starts attempts while the calls left cover all of them", async () => {
  const ledger = ledgerOf([], { calls: 7 });
  const begun: number[] = [];
  const needs = [1, 2, 3, 4, 5].map((attempt) => ledger.reserve(2, signal).then((need) => (begun.push(attempt), need)));
  const [first, second, third] = await Promise.all(needs.slice(0, 3));
  expect(begun).toEqual([1, 2, 3]);
  // The calls released by the first are enough for one more attempt, not for two.
  first?.release();
  await needs[3];
  expect(begun).toEqual([1, 2, 3, 4]);
  for (const need of [second, third, await needs[3]]) need?.release();
  await needs[4];
});

test("starts an attempt that is not covered when no other is in progress or the budget is spent", async () => {
  const ledger = ledgerOf([], { calls: 3 });
  const tooLarge = await ledger.reserve(9, signal);
  const small = await ledger.reserve(2, signal);
  const leaving = new AbortController();
  const left = ledger.reserve(2, leaving.signal);
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  const later = ledger.reserve(4, signal);
  for (const need of [tooLarge, small]) need.release();
  await later;
  const atTheEnd = ledger.reserve(4, signal);
  for (const _ of [1, 2, 3]) expect(await ledger.admit(signal)).toBe(true);
  ledger.replied({ ...turn(1), turn_index: 0 });
  await atTheEnd;
});
