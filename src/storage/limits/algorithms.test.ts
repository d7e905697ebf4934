import fc from "fast-check";
import { expect, test } from "vitest";
import {
  adaptConcurrency,
  currentTat,
  grantable,
  lateMs,
  ratePerMinute,
  waitFor,
  type LearnedConcurrency,
} from "./algorithms.ts";

test("keeps every minute within the limit, late arrivals included", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6_000 }),
      fc.array(fc.record({ rest: fc.nat({ max: 4_000 }), most: fc.integer({ min: 1, max: 300 }) }), { maxLength: 80 }),
      (perMinute, asks) => {
        const rate = ratePerMinute(perMinute);
        let [now, tat] = [1_000_000, 0];
        const granted: { at: number; count: number }[] = [];
        for (const { rest, most } of asks) {
          now += rest;
          const count = grantable(rate, { tat, now, most });
          tat = currentTat(tat, now) + count * rate.intervalMs;
          granted.push({ at: now, count });
        }
        for (const { at } of granted) {
          const inMinute = granted.filter((one) => one.at >= at && one.at < at + 60_000 + lateMs);
          expect(inMinute.reduce((sum, one) => sum + one.count, 0)).toBeLessThanOrEqual(perMinute);
        }
      },
    ),
  );
});

test.each([1, 7, 60, 61, 100, 599, 6_000])(
  "grants a constant demand nearly all of %i a minute, and never more",
  (perMinute) => {
    const rate = ratePerMinute(perMinute);
    const units: number[] = [];
    let [now, tat] = [1_000_000, 0];
    const end = now + 300_000;
    while (now < end) {
      const count = grantable(rate, { tat, now, most: Number.POSITIVE_INFINITY });
      tat = currentTat(tat, now) + count * rate.intervalMs;
      for (let unit = 0; unit < count; unit += 1) units.push(now);
      now += Math.max(1, waitFor(rate, { tat, now }));
    }
    // A late call may arrive together with punctual ones.
    const tooSoon = units.filter(
      (at, index) => (units[index + perMinute] ?? Number.POSITIVE_INFINITY) < at + 60_000 + lateMs,
    );
    expect(tooSoon).toEqual([]);
    expect(units.length).toBeGreaterThan(5 * perMinute * 0.95);
  },
);

/** Milliseconds since the host started, and since 1970, where fractions of a millisecond are no longer exact. */
const times = fc.constantFrom(1_000, 1_794_966_128_132);

test("grants one unit after the reported wait", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6_000 }), fc.nat({ max: 100_000 }), times, (perMinute, ahead, now) => {
      const rate = ratePerMinute(perMinute);
      const tat = now + ahead;
      const later = now + waitFor(rate, { tat, now });
      expect(grantable(rate, { tat, now: later, most: 1 })).toBe(1);
    }),
  );
});

test("grants the first unit at any rate and time", () => {
  for (const now of [1_000, 1_794_966_128_132]) {
    const refused = Array.from({ length: 6_000 }, (_, index) => index + 1).filter(
      (perMinute) => grantable(ratePerMinute(perMinute), { tat: now, now, most: 1 }) !== 1,
    );
    expect(refused).toEqual([]);
  }
});

test("ignores a time stored before the host restarted", () => {
  expect(currentTat(9e12, 1_000)).toBe(1_000);
});

const unknown: LearnedConcurrency = { calls: 0, successes: 0, halved_at: 0, refused_at: 0 };
const sixteen: LearnedConcurrency = { calls: 16, successes: 0, halved_at: 1_000, refused_at: 1_000 };
const refused = { ok: 0, refusedMs: 10, inFlight: 16 };
const minute = 60_000;

test("has no limit before the first refusal", () => {
  expect(adaptConcurrency(unknown, { ok: 500, refusedMs: null, inFlight: 100, now: 5_000 })).toEqual(unknown);
});

test("halves the calls in flight at the first refusal, then the limit, down to one call at a time", () => {
  let state = adaptConcurrency(unknown, { ...refused, inFlight: 100, now: 2_000 });
  expect(state).toEqual({ calls: 50, successes: 0, halved_at: 2_000, refused_at: 2_000 });
  const seen = [];
  for (let now = 4_000; now <= 16_000; now += 2_000) {
    state = adaptConcurrency(state, { ...refused, inFlight: 50, now });
    seen.push(state.calls);
  }
  expect(seen).toEqual([25, 12, 6, 3, 1, 1, 1]);
});

test("halves the calls in flight when they are fewer than the learned limit", () => {
  expect(adaptConcurrency(sixteen, { ...refused, inFlight: 6, now: 5_000 }).calls).toBe(3);
});

test("halves once for refusals of one burst", () => {
  const once = adaptConcurrency(sixteen, { ...refused, now: 5_000 });
  expect(adaptConcurrency(once, { ...refused, now: 5_999 })).toEqual({ ...once, refused_at: 5_999 });
  expect(adaptConcurrency(once, { ...refused, now: 6_010 }).calls).toBe(4);
});

test("does not halve again for calls that began before the last halving", () => {
  const once = adaptConcurrency(sixteen, { ...refused, now: 200_000 });
  expect(adaptConcurrency(once, { ...refused, refusedMs: 120_000, now: 210_000 }).calls).toBe(8);
  expect(adaptConcurrency(once, { ...refused, refusedMs: 120_000, now: 330_000 }).calls).toBe(4);
});

test("adds one after as many successes as concurrent calls", () => {
  const well = { refusedMs: null, inFlight: 4, now: 2_000 };
  const four = { ...sixteen, calls: 4, successes: 1 };
  const grown = adaptConcurrency(four, { ...well, ok: 3 });
  expect(grown).toEqual({ ...four, calls: 5, successes: 0 });
  expect(adaptConcurrency(grown, { ...well, ok: 4 })).toEqual({ ...grown, successes: 4 });
  expect(adaptConcurrency(grown, { ...well, ok: 12 })).toEqual({ ...grown, calls: 7, successes: 1 });
});

test("forgets the limit ten minutes after the last refusal", () => {
  const quiet = { ok: 0, refusedMs: null, inFlight: 8, now: 1_000 + 9 * minute };
  expect(adaptConcurrency(sixteen, quiet)).toEqual(sixteen);
  expect(adaptConcurrency(sixteen, { ...quiet, now: 1_000 + 10 * minute })).toEqual(unknown);
  const later = { ...sixteen, refused_at: 5 * minute };
  expect(adaptConcurrency(later, { ...quiet, now: 14 * minute })).toEqual(later);
  expect(adaptConcurrency(sixteen, { ...refused, inFlight: 100, now: 1_000 + 10 * minute }).calls).toBe(50);
});

test("forgets a limit learned before the clock restarted", () => {
  const before = { ...sixteen, halved_at: 9e9, refused_at: 9e9 };
  expect(adaptConcurrency(before, { ok: 0, refusedMs: null, inFlight: 1, now: 10 })).toEqual(unknown);
  expect(adaptConcurrency({ ...sixteen, halved_at: 9e9 }, { ...refused, now: 1_010 }).calls).toBe(8);
});
