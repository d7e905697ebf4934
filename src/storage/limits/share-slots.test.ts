import fc from "fast-check";
import { expect, test } from "vitest";
import { shareSlots } from "./share-slots.ts";

const demand = (worker: string, wanted: number, granted_at = 0) => ({ worker, wanted, granted_at });

test("equals get equal parts, and what one does not want the others get", () => {
  expect(Object.fromEntries(shareSlots([demand("a", 9), demand("b", 9)], 8))).toEqual({ a: 4, b: 4 });
  expect(Object.fromEntries(shareSlots([demand("a", 1), demand("b", 9)], 8))).toEqual({ a: 1, b: 7 });
});

test("a rest too small for all goes to those who have waited longest", () => {
  const shares = shareSlots([demand("a", 9, 30), demand("b", 9, 10), demand("c", 9, 20)], 5);
  expect(Object.fromEntries(shares)).toEqual({ a: 1, b: 2, c: 2 });
  expect(Object.fromEntries(shareSlots([demand("a", 1, 2), demand("b", 1, 1)], 1))).toEqual({ a: 0, b: 1 });
});

test("nothing is lost, nothing is given twice, nobody gets more than it wants", () => {
  const demands = fc.uniqueArray(
    fc.record({ worker: fc.string(), wanted: fc.nat({ max: 50 }), granted_at: fc.nat({ max: 5 }) }),
    { selector: ({ worker }) => worker, maxLength: 12 },
  );
  fc.assert(
    fc.property(demands, fc.nat({ max: 100 }), (all, calls) => {
      const shares = shareSlots(all, calls);
      const given = all.reduce((sum, { worker }) => sum + shares.get(worker)!, 0);
      expect(given).toBe(
        Math.min(
          calls,
          all.reduce((sum, { wanted }) => sum + wanted, 0),
        ),
      );
      const unsatisfied = all.filter(({ worker, wanted }) => shares.get(worker)! < wanted);
      for (const { worker, wanted } of all) {
        expect(shares.get(worker)).toBeLessThanOrEqual(wanted);
        for (const poor of unsatisfied) expect(shares.get(worker)! - shares.get(poor.worker)!).toBeLessThanOrEqual(1);
      }
    }),
  );
});
