import { expect, test } from "vitest";
import { sampleReply } from "../contract/testing/sample-reply.ts";
import type { NumberedInteraction, Store } from "../contract/ports/store.ts";
import { toStoredReply } from "../evaluation/run-attempt.ts";
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

test("a turn that is read from the store before its writer tells of it counts once", async () => {
  const rows: NumberedInteraction[] = [];
  const ledger = ledgerOf(rows);
  for (const attempt of [1, 2]) {
    expect(await ledger.admit(signal)).toBe(true);
    rows.push(turn(attempt));
    // Another attempt of this process asks between the commit and the word of whoever committed.
    await ledger.refresh();
    ledger.settle();
    ledger.stored(turn(attempt));
    await ledger.refresh();
  }
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, false]);
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, true]);
});

test("what helping with a turn took counts from the call on, and once", async () => {
  const rows: NumberedInteraction[] = [];
  const ledger = ledgerOf(rows, { calls: 6 });
  const vote = { calls: 1, tokens: 2, money: 0 };
  for (const _ of ["reply", "vote", "vote", "vote"]) expect(await ledger.admit(signal)).toBe(true);
  for (const _ of ["vote", "vote", "vote"]) ledger.settle(vote);
  // The turn is not stored yet: its reply counts as under way, its votes as spent.
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

test("what judging a conversation took counts, though its last turn was read before", async () => {
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

test("a reply that a process left unscored counts from the start, and once when it is scored", async () => {
  const rows = [{ ...turn(1), seq: -1 }, turn(2), { ...turn(3), seq: -3 }];
  const ledger = ledgerOf(rows.toSorted((left, right) => left.seq - right.seq));
  await ledger.refresh();
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, true]);
  ledger.settle();
  ledger.stored({ ...turn(1), scores: noScores });
  await ledger.refresh();
  expect([await ledger.admit(signal), ledger.spent]).toEqual([true, true]);
});

test("attempts begin as long as the calls that are left bear what all of them need", async () => {
  const ledger = ledgerOf([], { calls: 7 });
  const begun: number[] = [];
  const needs = [1, 2, 3, 4, 5].map((attempt) => ledger.begin(2, signal).then((need) => (begun.push(attempt), need)));
  const [first, second, third] = await Promise.all(needs.slice(0, 3));
  expect(begun).toEqual([1, 2, 3]);
  // What the first one does not need after all is enough for the next one, but not for two.
  first?.end();
  await needs[3];
  expect(begun).toEqual([1, 2, 3, 4]);
  for (const need of [second, third, await needs[3]]) need?.end();
  await needs[4];
});

test("an attempt that the calls left do not bear begins once nothing else is under way, or the budget is spent", async () => {
  const ledger = ledgerOf([], { calls: 3 });
  const tooLarge = await ledger.begin(9, signal);
  const small = await ledger.begin(2, signal);
  const leaving = new AbortController();
  const left = ledger.begin(2, leaving.signal);
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  const later = ledger.begin(4, signal);
  for (const need of [tooLarge, small]) need.end();
  await later;
  const atTheEnd = ledger.begin(4, signal);
  for (const _ of [1, 2, 3]) expect(await ledger.admit(signal)).toBe(true);
  ledger.replied({ ...turn(1), turn_index: 0 });
  await atTheEnd;
});
