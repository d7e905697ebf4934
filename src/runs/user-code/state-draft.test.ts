import fc from "fast-check";
import { expect, test } from "vitest";
import { StateView } from "../../evaluation/world/state.ts";
import { draftState } from "./state-draft.ts";

// oxlint-disable-next-line no-explicit-any -- the tests work on states of many shapes
type AnyState = any;

/** The changes that work on a draft makes, and the states that they and the work itself lead to. */
function changesBy(state: unknown, work: (draft: AnyState) => void) {
  const before = JSON.stringify(state);
  const plain = JSON.parse(before) as unknown;
  work(plain);
  const draft = draftState(state);
  work(draft.state);
  const changes = draft.finish();
  expect(JSON.stringify(state)).toBe(before);
  const after = new StateView(state).apply(changes);
  expect(new StateView(state).apply(after.changes()).value).toEqual(after.value);
  return { changes, after: after.value, expected: JSON.parse(JSON.stringify(plain)) as unknown };
}

function expectSame(state: unknown, work: (draft: AnyState) => void): void {
  const { after, expected } = changesBy(state, work);
  expect(after).toEqual(expected);
}

const orders = () => ({
  orders: { "1": { status: "paid", items: ["a", "b"] }, "2": { status: "new", items: [] } },
  users: { ann: { cards: [{ id: "x", amount: 5 }] } },
});

test("records values that are set, added and removed, where they are", () => {
  expect(
    changesBy(orders(), (state) => {
      state.orders["1"].status = "cancelled";
      state.orders["3"] = { status: "new" };
      state.users.ann.cards[0].amount -= 2;
      delete state.orders["2"];
    }).changes,
  ).toEqual([
    { op: "set", path: "/orders/1/status", value: "cancelled" },
    { op: "set", path: "/orders/3", value: { status: "new" } },
    { op: "remove", path: "/orders/2" },
    { op: "set", path: "/users/ann/cards/0/amount", value: 3 },
  ]);
});

test("records lists that grow item by item, and replaces those that shrink", () => {
  expect(changesBy(orders(), (state) => state.orders["1"].items.push("c", "d")).changes).toEqual([
    { op: "set", path: "/orders/1/items/2", value: "c" },
    { op: "set", path: "/orders/1/items/3", value: "d" },
  ]);
  expect(changesBy(orders(), (state) => state.orders["1"].items.shift()).changes).toEqual([
    { op: "set", path: "/orders/1/items", value: ["b"] },
  ]);
  expectSame({ list: [3, 1, 2] }, (state) => state.list.sort());
  expectSame({ list: [{ a: 1 }, { a: 2 }, { a: 3 }] }, (state) => {
    state.list.reverse();
    state.list[0].a = 9;
    state.list.splice(1, 1, { a: 4 }, { a: 5 });
  });
  expectSame({ list: [1, 2, 3] }, (state) => delete state.list[1]);
  expectSame([1, 2], (state) => state.push(3));
});

test("reading changes nothing, and neither does writing the same value", () => {
  const read = (state: AnyState): void => {
    expect(Object.keys(state)).toEqual(["orders", "users"]);
    expect(Object.entries(state.orders)).toHaveLength(2);
    expect({ ...state.users.ann }.cards.map(({ id }: { id: string }) => id)).toEqual(["x"]);
    expect("orders" in state && Array.isArray(state.orders["1"].items)).toBe(true);
    state.orders["1"].status = "paid";
  };
  expect(changesBy(orders(), read).changes).toEqual([]);
});

test.each([
  (state: AnyState): void => {
    const order = state.orders["1"];
    state.archive = { order };
    order.status = "archived";
    delete state.orders["1"];
  },
  (state: AnyState): void => {
    state.added = { items: [] };
    state.added.items.push(state.orders["2"]);
    state.added.items[0].status = "seen";
  },
])("parts that are moved or copied keep the changes that are made to them", (work) => {
  const { after, expected } = changesBy(orders(), work);
  expect(after).toEqual(expected);
});

test("values that JSON leaves out are removed, and those it cannot hold are refused", () => {
  expectSame({ a: 1, b: 2 }, (state) => {
    state.a = undefined;
    state.f = () => 1;
    state.date = new Date(0);
    state.nan = Number.NaN;
  });
  const fail = (work: (state: AnyState) => void): (() => unknown) => {
    const draft = draftState({ a: {} });
    work(draft.state);
    return draft.finish;
  };
  expect(fail((state) => (state.a.big = 1n))).toThrow("The state at /a/big cannot be stored as JSON: it is a BigInt.");
  expect(fail((state) => (state.loop = state))).toThrow("The state at /loop cannot be stored as JSON");
  expect(fail((state) => (state["__proto__"] = { x: 1 }))).toThrow("must not have the key __proto__");
  expect(({} as { x?: number }).x).toBeUndefined();
});

test("the state cannot be frozen, nor changed after the call", () => {
  const draft = draftState({ a: { b: 1 } });
  const { a } = draft.state as { a: { b: number } };
  expect(() => Object.freeze(a)).toThrow("'preventExtensions' on proxy");
  draft.finish();
  expect(() => (a.b = 2)).toThrow("The state can be changed only during the call.");
  expect(a.b).toBe(1);
});

test("random work leads to the same state as on a plain value", () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<AnyState>;
  const step = fc.record({
    at: fc.array(fc.nat(5), { maxLength: 3 }),
    act: fc.nat(6),
    value: json,
    key: fc.constantFrom("a", "b", "c/~"),
  });
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("a", "b", "c"), json),
      fc.array(step, { maxLength: 8 }),
      (state, steps) => {
        const { after, expected } = changesBy(JSON.parse(JSON.stringify(state)), (draft) => {
          for (const { at, act, value, key } of steps) {
            let place = draft;
            for (const index of at) {
              const inner = Object.values(place)[index];
              if (typeof inner === "object" && inner !== null) place = inner;
            }
            const given = JSON.parse(JSON.stringify(value));
            if (Array.isArray(place)) {
              if (act === 0) place.push(given);
              else if (act === 1) place.pop();
              else if (act === 2) place.splice(1, 1, given);
              else if (act === 3) place.reverse();
              else if (act === 4) place.unshift(given);
              else if (place.length > 0) place[0] = given;
            } else if (act < 3) place[key] = given;
            else if (act < 5) delete place[key];
            else if (act === 5) for (const name of Object.keys(place)) place[name] = given;
            else Object.assign(place, { [key]: JSON.parse(JSON.stringify(place)) });
          }
        });
        expect(after).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});
