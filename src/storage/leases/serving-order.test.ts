import { expect, test } from "vitest";
import { shareOut, type WaitingRun } from "./share-out.ts";
import { createServingOrder } from "./serving-order.ts";

const run = (id: string): WaitingRun => ({
  id,
  priority: 0,
  max_concurrency: null,
  created_at: 0,
  running: 1,
  ready: 1_000,
});

test("places that do not suffice for all runs go round", () => {
  const order = createServingOrder();
  const runs = Array.from({ length: 10 }, (_, index) => run(`run-${index}`));
  const got = new Map<string, number>();
  for (let claim = 0; claim < 100; claim += 1) {
    for (const [id, count] of shareOut(order.arrange(runs), { places: 3, perRun: 8 })) {
      got.set(id, (got.get(id) ?? 0) + count);
      order.served(id);
    }
  }
  expect([...got.values()]).toEqual(Array.from({ length: 10 }, () => 30));
});

test("a run that is new comes first, and a run that is over is forgotten", () => {
  const order = createServingOrder();
  order.served("old");
  expect(order.arrange([run("new"), run("old")]).map(({ created_at }) => created_at)).toEqual([0, 1]);
  order.arrange([run("new")]);
  expect(order.arrange([run("old")])[0]?.created_at).toBe(0);
});
