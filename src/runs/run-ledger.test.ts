import { expect, test } from "vitest";
import { sampleReply } from "../contract/testing/sample-reply.ts";
import type { NumberedInteraction, Store } from "../contract/store.ts";
import { toStoredReply } from "../evaluation/to-stored-reply.ts";
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

/** A ledger of a run with these stored turns, and a budget of four calls. */
function ledgerOf(rows: NumberedInteraction[]) {
  const after = async (_run: string, seq: number) => rows.filter((row) => row.seq > seq);
  return createRunLedger({
    runId: "run",
    store: { interactions: { after } } as unknown as Store,
    budget: { calls: 4 },
    adaptive: { min: 1, max: 5, ci_width: 0.1 },
    turnsOf: () => 2,
    deadline: null,
    now: Date.now,
  });
}

test("a turn that is read from the store before its writer tells of it counts once", async () => {
  const rows: NumberedInteraction[] = [];
  const ledger = ledgerOf(rows);
  for (const attempt of [1, 2]) {
    expect(ledger.admit()).toBe(true);
    rows.push(turn(attempt));
    // Another attempt of this process asks between the commit and the word of whoever committed.
    await ledger.refresh();
    ledger.stored(turn(attempt));
    await ledger.refresh();
  }
  expect([ledger.admit(), ledger.spent]).toEqual([true, false]);
  expect([ledger.admit(), ledger.spent]).toEqual([true, true]);
});

test("an attempt with a turn missing is not taken for one that is over", async () => {
  const rows: NumberedInteraction[] = [];
  const ledger = ledgerOf(rows);
  rows.push(turn(1));
  await ledger.refresh();
  ledger.stored(turn(1));
  expect(ledger.decide({ scenario_index: 0, attempt: 2, turns: 2 })).toBe("wait");
});
