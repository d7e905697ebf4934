import fc from "fast-check";
import { expect, test } from "vitest";
import { currentTat, grantable, permitsLastMs, ratePerMinute, waitFor } from "./rate.ts";

test("however greedily it is asked, no minute has more than allowed, late use included", () => {
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
        const spread = perMinute < 60 ? 0 : permitsLastMs;
        for (const { at } of granted) {
          const inMinute = granted.filter((one) => one.at >= at && one.at < at + 60_000 + spread);
          expect(inMinute.reduce((sum, one) => sum + one.count, 0)).toBeLessThanOrEqual(perMinute);
        }
      },
    ),
  );
});

test("after the wait that is told, one unit is granted", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6_000 }), fc.nat({ max: 100_000 }), (perMinute, ahead) => {
      const rate = ratePerMinute(perMinute);
      const [now, tat] = [1_000, 1_000 + ahead];
      const later = now + waitFor(rate, { tat, now });
      expect(grantable(rate, { tat, now: later, most: 1 })).toBe(1);
    }),
  );
});

test("a time that was stored before the host restarted does not block", () => {
  expect(currentTat(9e12, 1_000)).toBe(1_000);
});
