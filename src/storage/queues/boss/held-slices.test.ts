import { expect, test } from "vitest";
import { HeldSlices } from "./held-slices.ts";
import { firstSlice } from "./slices.ts";

const slice = (id: string, runId: string, size = 2) => ({ id, runId, size, retryCount: 0, priority: 0, more: 0 });

function holding(...slices: ReturnType<typeof slice>[]): HeldSlices {
  const held = new HeldSlices();
  held.add(slices, 0);
  return held;
}

test("claims from the oldest slice of a run first, and reports when it is used up", () => {
  const held = holding(slice("1", "a"), slice("2", "a"), slice("3", "b"));
  expect(["x", "y", "z"].map((attempt) => held.claimed("a", attempt))).toEqual([false, true, false]);
  expect(held.left("a")).toBe(1);
  expect(held.of(["x", "y", "z", "unknown"]).map(({ id }) => id)).toEqual(["1", "2"]);
  expect(held.idle.map(({ id }) => id)).toEqual(["3"]);
  expect(held.idleRuns.map(({ runId }) => runId)).toEqual(["b"]);
});

test("an attempt that ended is counted, one that was released or taken back is not", () => {
  const held = holding(slice("1", "a", 3));
  for (const attempt of ["x", "y", "z"]) held.claimed("a", attempt);
  held.ended("x");
  held.released("y");
  expect(held.left("a")).toBe(1);
  held.claimed("a", "z");
  expect(held.left("a")).toBe(1);
  held.released("z");
  expect(held.idle.map(({ id, left }) => [id, left])).toEqual([["1", 2]]);
});

test("ends the turn of slices from which enough was claimed, and waits for their attempts in progress", () => {
  const held = holding(slice("1", "a", 8), slice("2", "b", 8));
  for (const attempt of ["w", "x"]) held.claimed("a", attempt);
  held.claimed("b", "y");
  expect(held.endTurns(2)).toBe(true);
  expect(held.endTurns(2)).toBe(false);
  expect([held.left("a"), held.left("b")]).toEqual([0, 7]);
  expect(held.idle).toEqual([]);
  held.continueTurns();
  expect(held.left("a")).toBe(6);
});

test("forgets slices that were lost or not renewed in time", () => {
  const held = holding(slice("1", "a"), slice("2", "b"), slice("3", "c"));
  held.claimed("a", "x");
  held.renewed(held.all.slice(0, 2), new Set(["2"]), 10);
  expect(held.runIds).toEqual(["b", "c"]);
  expect(held.of(["x"])).toEqual([]);
  held.dropExpired(5);
  expect(held.runIds).toEqual(["b"]);
});

test.each([
  { attempts: 1, concurrency: 8, size: 8, count: 1 },
  { attempts: 20, concurrency: 8, size: 10, count: 2 },
  { attempts: 1_000, concurrency: 8, size: 32, count: 2 },
  { attempts: 100_000, concurrency: 128, size: 32, count: 17 },
  { attempts: 100, concurrency: 128, size: 8, count: 13 },
])("cuts $attempts attempts, $concurrency at once, into slices", ({ attempts, concurrency, size, count }) => {
  const first = firstSlice({ id: "a", priority: 3, attempts, concurrency });
  expect(first).toEqual({ runId: "a", priority: 3, size, more: count - 1 });
});
