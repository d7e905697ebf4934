import fc from "fast-check";
import { expect, test } from "vitest";
import { missing, parsePointer, readPath, StateView } from "./state.ts";

const state = { orders: { "1042": { status: "paid", items: ["a", "b"] }, "a/b~c": 1 }, other: { large: true } };

test("parses pointers of RFC 6901", () => {
  expect(parsePointer("")).toEqual([]);
  expect(parsePointer("/")).toEqual([""]);
  expect(parsePointer("/a~1b~0c/0")).toEqual(["a/b~c", "0"]);
  expect(parsePointer("/m~n")).toBeNull();
  expect(parsePointer("a")).toBeNull();
});

test("reads own properties and list items only", () => {
  expect(readPath(state, ["orders", "1042", "items", "1"])).toBe("b");
  expect(readPath(state, ["orders", "a/b~c"])).toBe(1);
  expect(readPath(state, ["orders", "toString"])).toBe(missing);
  expect(readPath(state, ["orders", "1042", "items", "length"])).toBe(missing);
  expect(readPath(state, ["orders", "1042", "items", "01"])).toBe(missing);
  expect(readPath({ a: undefined, b: null }, ["b"])).toBeNull();
});

/** A view after one change; null when it does not fit. Without a value, the path is removed. */
function changed(view: StateView, path: readonly string[], value?: unknown): StateView | null {
  const edit = view.edit();
  return (value === undefined ? edit.remove(path) : edit.set(path, value)) ? edit.finish() : null;
}
const set = (base: unknown, path: readonly string[], value: unknown) =>
  changed(new StateView(base), path, value)?.value;
const remove = (base: unknown, path: readonly string[]) => changed(new StateView(base), path)?.value;

test("a change leaves the base as it is, and shares the rest with it", () => {
  const next = set(state, ["orders", "1042", "status"], "cancelled") as typeof state;
  expect(next.orders["1042"].status).toBe("cancelled");
  expect(state.orders["1042"].status).toBe("paid");
  expect(next.other).toBe(state.other);
  expect(next.orders["1042"].items).toBe(state.orders["1042"].items);
});

test("writes only where a container exists; lists can be extended at their end", () => {
  expect(set(state, ["orders", "9", "status"], "x")).toBeUndefined();
  expect(set(state, ["orders", "9"], { status: "x" })).toMatchObject({ orders: { "9": { status: "x" } } });
  expect(set([1, 2], ["-"], 3)).toEqual([1, 2, 3]);
  expect(set([1, 2], ["2"], 3)).toEqual([1, 2, 3]);
  expect(set([1, 2], ["0"], 3)).toEqual([3, 2]);
  expect(set([1, 2], ["3"], 3)).toBeUndefined();
  expect(set("text", ["a"], 3)).toBeUndefined();
  expect(set(state, [], 1)).toBe(1);
});

test("removes what exists", () => {
  expect(remove(state, ["orders", "1042", "items", "0"])).toMatchObject({ orders: { "1042": { items: ["b"] } } });
  expect(remove({ a: 1, b: 2 }, ["a"])).toEqual({ b: 2 });
  expect(remove(state, ["orders", "9"])).toBeUndefined();
  expect(remove(state, [])).toBeUndefined();
});

test("applies journaled changes in order", () => {
  const view = new StateView({ a: {} }).apply([
    { op: "set", path: "/a/x~1y", value: 1 },
    { op: "set", path: "/b", value: [] },
    { op: "set", path: "/b/-", value: { c: 1 } },
    { op: "set", path: "/b/0/c", value: 2 },
    { op: "remove", path: "/a/x~1y" },
  ]);
  expect(view.value).toEqual({ a: {}, b: [{ c: 2 }] });
  expect(() => view.apply([{ op: "remove", path: "/nothing" }])).toThrow("/nothing");
});

/** The same on a copy that is changed in place. */
function change(root: { value: unknown }, path: readonly string[], value: unknown): boolean {
  let holder: Record<string, unknown> = root as Record<string, unknown>;
  for (const key of ["value", ...path].slice(0, -1)) {
    const inner = holder[key];
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(holder, key)) return false;
    holder = inner as Record<string, unknown>;
  }
  const last = ["value", ...path].at(-1)!;
  if (value === undefined && (path.length === 0 || !Object.hasOwn(holder, last))) return false;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return true;
}

test("any changes of objects have the effect that they have in place", () => {
  const key = fc.constantFrom("a", "b", "c");
  const tree = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.dictionary(key, tie("node"), { maxKeys: 3 })),
  })).node;
  const step = fc.record({ path: fc.array(key, { maxLength: 4 }), value: fc.option(tree, { nil: undefined }) });
  fc.assert(
    fc.property(tree, fc.array(step, { maxLength: 12 }), (base, steps) => {
      const root = { value: structuredClone(base) };
      let view = new StateView(base);
      const together = view.edit();
      for (const { path, value } of steps) {
        const next = changed(view, path, value);
        expect(value === undefined ? together.remove(path) : together.set(path, value)).toBe(next !== null);
        expect(next !== null).toBe(change(root, path, structuredClone(value)));
        view = next ?? view;
        expect(view.value).toEqual(root.value);
        expect(view.read(path)).toEqual(readPath(root.value, path));
      }
      expect(together.finish().value).toEqual(root.value);
      expect(new StateView(base).value).toEqual(base);
    }),
    { numRuns: 300 },
  );
});

test("two views of one base differ only in their changes", () => {
  const base = { a: { x: 1, y: 2 }, list: [1], same: { deep: true } };
  const left = new StateView(base).apply([
    { op: "set", path: "/a/x", value: 5 },
    { op: "set", path: "/list/-", value: 2 },
    { op: "set", path: "/same/deep", value: false },
  ]);
  const right = new StateView(base).apply([
    { op: "remove", path: "/a/x" },
    { op: "set", path: "/new", value: 1 },
    { op: "set", path: "/same/deep", value: false },
  ]);
  expect(StateView.changedParts(left, right)).toEqual([
    { path: "/a/x", left: 5, right: undefined },
    { path: "/list", left: [1, 2], right: [1] },
    { path: "/same/deep", left: false, right: false },
    { path: "/new", left: undefined, right: 1 },
  ]);
  expect(StateView.changedParts(new StateView({ a: 1 }), new StateView({ a: 1 }))).toHaveLength(1);
});

test("many changes of a large list or object copy it once", () => {
  const steps: number[] = [];
  const list = Array.from({ length: 10_000 }, (_, index) => index);
  const edit = new StateView({ list, orders: {} }).edit((count) => void steps.push(count));
  for (let index = 0; index < 10_000; index += 1) {
    edit.set(["list", "-"], index);
    edit.set(["orders", String(index)], index);
  }
  const { list: longer, orders } = edit.finish().value as { list: number[]; orders: object };
  expect([longer.length, Object.keys(orders).length, list.length]).toEqual([20_000, 10_000, 10_000]);
  expect(steps.reduce((sum, count) => sum + count, 0)).toBeLessThan(1_000);
});
