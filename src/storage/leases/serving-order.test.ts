import { expect, test } from "vitest";
import { shareOut } from "./share-out.ts";
import { createServingOrder, type ServedRun } from "./serving-order.ts";

const run = (id: string, stored = 0): ServedRun => ({
  id,
  owner: null,
  priority: 0,
  max_concurrency: null,
  created_at: 0,
  running: 1,
  ready: 1_000,
  stored,
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
  const first = () => shareOut(order.arrange([run("new", 7), run("old")]), { places: 1, perRun: 8 });
  expect([...first().keys()]).toEqual(["new"]);
  order.arrange([run("new", 7)]);
  expect([...first().keys()]).toEqual(["old"]);
});
