import { expect, test } from "vitest";
import { adaptCalls } from "./adapt-calls.ts";

const start = { calls: 16, successes: 0, halved_at: 0 };
const refused = { ok: 0, refused: true, most: 16 };

test("a refusal halves, down to one call at a time", () => {
  let state = start;
  const seen = [];
  for (let now = 2_000; now <= 12_000; now += 2_000) {
    state = adaptCalls(state, { ...refused, now });
    seen.push(state.calls);
  }
  expect(seen).toEqual([8, 4, 2, 1, 1, 1]);
});

test("refusals that come together halve once", () => {
  const once = adaptCalls(start, { ...refused, now: 5_000 });
  expect(adaptCalls(once, { ...refused, now: 5_999 }).calls).toBe(8);
  expect(adaptCalls(once, { ...refused, now: 6_000 }).calls).toBe(4);
});

test("a clock that started again does not keep it from halving", () => {
  expect(adaptCalls({ ...start, halved_at: 9e9 }, { ...refused, now: 10 }).calls).toBe(8);
});

test("as many successes as calls at once add one, up to the limit", () => {
  const well = { refused: false, most: 6, now: 1 };
  const grown = adaptCalls({ calls: 4, successes: 1, halved_at: 0 }, { ...well, ok: 3 });
  expect(grown).toEqual({ calls: 5, successes: 0, halved_at: 0 });
  expect(adaptCalls(grown, { ...well, ok: 4 })).toEqual({ calls: 5, successes: 4, halved_at: 0 });
  expect(adaptCalls(grown, { ...well, ok: 500 })).toEqual({ calls: 6, successes: 0, halved_at: 0 });
});

test("a limit that the operator lowered holds at once", () => {
  expect(adaptCalls(start, { ok: 0, refused: false, most: 3, now: 1 }).calls).toBe(3);
});
