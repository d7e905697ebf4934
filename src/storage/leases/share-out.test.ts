import fc from "fast-check";
import { expect, test } from "vitest";
import { shareOut, type WaitingRun } from "./share-out.ts";

const waiting = (fields: Partial<WaitingRun> & { id: string }): WaitingRun => ({
  owner: null,
  priority: 0,
  max_concurrency: null,
  created_at: 0,
  running: 0,
  ready: 100,
  ...fields,
});

const share = (runs: readonly WaitingRun[], places: number, perRun = 100) =>
  Object.fromEntries(shareOut(runs, { places, perRun }));

test("places go to the run with the fewest attempts under way until all are level", () => {
  expect(share([waiting({ id: "a", running: 4 }), waiting({ id: "b" })], 6)).toEqual({ b: 5, a: 1 });
});

test("owners get as much as one another, however many runs each has", () => {
  const many = ["a", "b", "c", "d"].map((id) => waiting({ id, owner: "one", running: 1 }));
  expect(share([...many, waiting({ id: "e", owner: "two", created_at: 9 })], 4)).toEqual({ e: 4 });
  expect(share([...many, waiting({ id: "e", owner: "two", running: 4 })], 4)).toEqual({ a: 1, b: 1, e: 2 });
});

test("spare places are for owners that have fewer under way than are left of them", () => {
  const runs = [
    waiting({ id: "a", owner: "busy", running: 64 }),
    waiting({ id: "b", owner: "other" }),
    waiting({ id: "c", owner: "third" }),
  ];
  const shares = (places: number, those = runs) =>
    Object.fromEntries(shareOut(those, { places, spare: 16, perRun: 100 }));
  expect(shares(0, runs.slice(0, 1))).toEqual({});
  expect(shares(0, runs.slice(0, 2))).toEqual({ b: 8 });
  expect(shares(0)).toEqual({ b: 6, c: 5 });
  // Eight of them are taken already.
  expect(shares(-8, runs.slice(0, 2))).toEqual({ b: 4 });
  expect(shares(-16)).toEqual({});
});

test("between equals the oldest run comes first", () => {
  expect(share([waiting({ id: "a", created_at: 2 }), waiting({ id: "b", created_at: 1 })], 1)).toEqual({ b: 1 });
});

test("priority goes before fairness, the limit before priority", () => {
  const runs = [waiting({ id: "a" }), waiting({ id: "b", priority: 1, running: 3, max_concurrency: 5 })];
  expect(share(runs, 4)).toEqual({ b: 2, a: 2 });
});

test("a run over its limit gets nothing", () => {
  expect(share([waiting({ id: "a", running: 9 })], 4, 8)).toEqual({});
});

test("all places are given, or every run has what it may have", () => {
  const run = fc.record({
    owner: fc.constantFrom(null, "one", "two"),
    priority: fc.integer({ min: -2, max: 2 }),
    max_concurrency: fc.option(fc.integer({ min: 1, max: 9 })),
    created_at: fc.nat(3),
    running: fc.nat(9),
    ready: fc.nat(9),
  });
  fc.assert(
    fc.property(
      fc.array(run, { maxLength: 8 }),
      fc.nat(30),
      fc.integer({ min: 1, max: 9 }),
      (fields, places, perRun) => {
        const runs = fields.map((entry, index) => ({ ...entry, id: String(index) }));
        const shares = shareOut(runs, { places, perRun });
        const given = [...shares.values()].reduce((total, count) => total + count, 0);
        const most = runs.map((entry) =>
          Math.max(0, Math.min(entry.ready, (entry.max_concurrency ?? perRun) - entry.running)),
        );
        expect(given).toBe(
          Math.min(
            places,
            most.reduce((total, count) => total + count, 0),
          ),
        );
        for (const [index, entry] of runs.entries())
          expect(shares.get(entry.id) ?? 0).toBeLessThanOrEqual(most[index]!);
      },
    ),
  );
});
