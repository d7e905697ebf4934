import fc from "fast-check";
import { expect, test } from "vitest";
import { currentTat, grantable, lateMs, ratePerMinute, waitFor } from "./rate.ts";

test("however greedily it is asked, no minute has more than allowed, late arrival included", () => {
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
  "whoever always takes what there is of %i a minute gets nearly all, and no minute has more",
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
    // A call that arrives late meets those that arrive at once.
    const tooSoon = units.filter(
      (at, index) => (units[index + perMinute] ?? Number.POSITIVE_INFINITY) < at + 60_000 + lateMs,
    );
    expect(tooSoon).toEqual([]);
    expect(units.length).toBeGreaterThan(5 * perMinute * 0.95);
  },
);

/** Since the host started, and since 1970: that far on, a fraction of a millisecond is no longer exact. */
const times = fc.constantFrom(1_000, 1_794_966_128_132);

test("after the wait that is told, one unit is granted", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6_000 }), fc.nat({ max: 100_000 }), times, (perMinute, ahead, now) => {
      const rate = ratePerMinute(perMinute);
      const tat = now + ahead;
      const later = now + waitFor(rate, { tat, now });
      expect(grantable(rate, { tat, now: later, most: 1 })).toBe(1);
    }),
  );
});

test("who has asked for nothing yet is granted one unit, whatever the rate and the time", () => {
  for (const now of [1_000, 1_794_966_128_132]) {
    const refused = Array.from({ length: 6_000 }, (_, index) => index + 1).filter(
      (perMinute) => grantable(ratePerMinute(perMinute), { tat: now, now, most: 1 }) !== 1,
    );
    expect(refused).toEqual([]);
  }
});

test("a time that was stored before the host restarted does not block", () => {
  expect(currentTat(9e12, 1_000)).toBe(1_000);
});
