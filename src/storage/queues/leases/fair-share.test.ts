import fc from "fast-check";
import { expect, test } from "vitest";
import { createRoundRobin, fairShares, type ClaimableRun, type ReadyRun } from "./fair-share.ts";

const waiting = (fields: Partial<ReadyRun> & { id: string }): ReadyRun => ({
  owner: null,
  priority: 0,
  max_concurrency: null,
  created_at: 0,
  running: 0,
  ready: 100,
  ...fields,
});

const share = (runs: readonly ReadyRun[], slots: number, perRun = 100) =>
  Object.fromEntries(fairShares(runs, { slots, perRun }));

test("gives slots to the run with the fewest running attempts until all are level", () => {
  expect(share([waiting({ id: "a", running: 4 }), waiting({ id: "b" })], 6)).toEqual({ b: 5, a: 1 });
});

test("shares equally between owners, however many runs each has", () => {
  const many = ["a", "b", "c", "d"].map((id) => waiting({ id, owner: "one", running: 1 }));
  expect(share([...many, waiting({ id: "e", owner: "two", created_at: 9 })], 4)).toEqual({ e: 4 });
  expect(share([...many, waiting({ id: "e", owner: "two", running: 4 })], 4)).toEqual({ a: 1, b: 1, e: 2 });
});

test("gives spare slots to owners with fewer running attempts than slots are left", () => {
  const runs = [
    waiting({ id: "a", owner: "busy", running: 64 }),
    waiting({ id: "b", owner: "other" }),
    waiting({ id: "c", owner: "third" }),
  ];
  const shares = (slots: number, those = runs) =>
    Object.fromEntries(fairShares(those, { slots, spare: 16, perRun: 100 }));
  expect(shares(0, runs.slice(0, 1))).toEqual({});
  expect(shares(0, runs.slice(0, 2))).toEqual({ b: 8 });
  expect(shares(0)).toEqual({ b: 6, c: 5 });
  // Eight of them are taken already.
  expect(shares(-8, runs.slice(0, 2))).toEqual({ b: 4 });
  expect(shares(-16)).toEqual({});
});

test("prefers the oldest run among equals", () => {
  expect(share([waiting({ id: "a", created_at: 2 }), waiting({ id: "b", created_at: 1 })], 1)).toEqual({ b: 1 });
});

test("puts priority before fairness, and limits before priority", () => {
  const runs = [waiting({ id: "a" }), waiting({ id: "b", priority: 1, running: 3, max_concurrency: 5 })];
  expect(share(runs, 4)).toEqual({ b: 2, a: 2 });
});

test("gives nothing to a run over its limit", () => {
  expect(share([waiting({ id: "a", running: 9 })], 4, 8)).toEqual({});
});

test("gives all slots, unless every run has reached its limit", () => {
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
      (fields, slots, perRun) => {
        const runs = fields.map((entry, index) => ({ ...entry, id: String(index) }));
        const shares = fairShares(runs, { slots, perRun });
        const given = [...shares.values()].reduce((total, count) => total + count, 0);
        const most = runs.map((entry) =>
          Math.max(0, Math.min(entry.ready, (entry.max_concurrency ?? perRun) - entry.running)),
        );
        expect(given).toBe(
          Math.min(
            slots,
            most.reduce((total, count) => total + count, 0),
          ),
        );
        for (const [index, entry] of runs.entries())
          expect(shares.get(entry.id) ?? 0).toBeLessThanOrEqual(most[index]!);
      },
    ),
  );
});

const run = (id: string, stored = 0): ClaimableRun => ({
  id,
  owner: null,
  priority: 0,
  max_concurrency: null,
  created_at: 0,
  running: 1,
  ready: 1_000,
  stored,
});

test("rotates slots when they do not suffice for all runs", () => {
  const order = createRoundRobin();
  const runs = Array.from({ length: 10 }, (_, index) => run(`run-${index}`));
  const got = new Map<string, number>();
  for (let claim = 0; claim < 100; claim += 1) {
    for (const [id, count] of fairShares(order.order(runs), { slots: 3, perRun: 8 })) {
      got.set(id, (got.get(id) ?? 0) + count);
      order.markServed(id);
    }
  }
  expect([...got.values()]).toEqual(Array.from({ length: 10 }, () => 30));
});

test("puts a new run first and forgets a finished one", () => {
  const order = createRoundRobin();
  order.markServed("old");
  const first = () => fairShares(order.order([run("new", 7), run("old")]), { slots: 1, perRun: 8 });
  expect([...first().keys()]).toEqual(["new"]);
  order.order([run("new", 7)]);
  expect([...first().keys()]).toEqual(["old"]);
});
