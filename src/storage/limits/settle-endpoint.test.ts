import fc from "fast-check";
import { expect, test } from "vitest";
import { adaptCalls, shareSlots } from "./settle-endpoint.ts";

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
