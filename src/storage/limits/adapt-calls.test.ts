import { expect, test } from "vitest";
import { adaptCalls, type AdaptiveCalls } from "./settle-endpoint.ts";

const unknown: AdaptiveCalls = { calls: 0, successes: 0, halved_at: 0, refused_at: 0 };
const sixteen: AdaptiveCalls = { calls: 16, successes: 0, halved_at: 1_000, refused_at: 1_000 };
const refused = { ok: 0, refusedMs: 10, underWay: 16 };
const minute = 60_000;

test("calls that go well teach nothing: there is no limit before a refusal", () => {
  expect(adaptCalls(unknown, { ok: 500, refusedMs: null, underWay: 100, now: 5_000 })).toEqual(unknown);
});

test("the first refusal halves what was under way, further ones what is left, down to one call at a time", () => {
  let state = adaptCalls(unknown, { ...refused, underWay: 100, now: 2_000 });
  expect(state).toEqual({ calls: 50, successes: 0, halved_at: 2_000, refused_at: 2_000 });
  const seen = [];
  for (let now = 4_000; now <= 16_000; now += 2_000) {
    state = adaptCalls(state, { ...refused, underWay: 50, now });
    seen.push(state.calls);
  }
  expect(seen).toEqual([25, 12, 6, 3, 1, 1, 1]);
});

test("a refusal halves what was under way where that is less than the endpoint was thought to bear", () => {
  expect(adaptCalls(sixteen, { ...refused, underWay: 6, now: 5_000 }).calls).toBe(3);
});

test("refusals that come together halve once", () => {
  const once = adaptCalls(sixteen, { ...refused, now: 5_000 });
  expect(adaptCalls(once, { ...refused, now: 5_999 })).toEqual({ ...once, refused_at: 5_999 });
  expect(adaptCalls(once, { ...refused, now: 6_010 }).calls).toBe(4);
});

test("calls that began before the last halving and time out long after it do not halve again", () => {
  const once = adaptCalls(sixteen, { ...refused, now: 200_000 });
  expect(adaptCalls(once, { ...refused, refusedMs: 120_000, now: 210_000 }).calls).toBe(8);
  expect(adaptCalls(once, { ...refused, refusedMs: 120_000, now: 330_000 }).calls).toBe(4);
});

test("as many successes as calls at once add one", () => {
  const well = { refusedMs: null, underWay: 4, now: 2_000 };
  const four = { ...sixteen, calls: 4, successes: 1 };
  const grown = adaptCalls(four, { ...well, ok: 3 });
  expect(grown).toEqual({ ...four, calls: 5, successes: 0 });
  expect(adaptCalls(grown, { ...well, ok: 4 })).toEqual({ ...grown, successes: 4 });
  expect(adaptCalls(grown, { ...well, ok: 12 })).toEqual({ ...grown, calls: 7, successes: 1 });
});

test("what was learned is forgotten ten minutes after the last refusal", () => {
  const quiet = { ok: 0, refusedMs: null, underWay: 8, now: 1_000 + 9 * minute };
  expect(adaptCalls(sixteen, quiet)).toEqual(sixteen);
  expect(adaptCalls(sixteen, { ...quiet, now: 1_000 + 10 * minute })).toEqual(unknown);
  const later = { ...sixteen, refused_at: 5 * minute };
  expect(adaptCalls(later, { ...quiet, now: 14 * minute })).toEqual(later);
  expect(adaptCalls(sixteen, { ...refused, underWay: 100, now: 1_000 + 10 * minute }).calls).toBe(50);
});

test("what was learned before the clock started again is forgotten", () => {
  const before = { ...sixteen, halved_at: 9e9, refused_at: 9e9 };
  expect(adaptCalls(before, { ok: 0, refusedMs: null, underWay: 1, now: 10 })).toEqual(unknown);
  expect(adaptCalls({ ...sixteen, halved_at: 9e9 }, { ...refused, now: 1_010 }).calls).toBe(8);
});
