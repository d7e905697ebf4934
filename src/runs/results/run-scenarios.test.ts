import { expect, test } from "vitest";
import type { AttemptAverages, RunRecord, Store } from "../../contract/ports/store.ts";
import { RescoreRequest } from "../../contract/schemas/evaluation-request.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, planLimits, startBench } from "../../../test/support/run-bench.ts";
import { createScenarioOrders, listRunScenarios } from "./run-scenarios.ts";

const scores = [
  [{ success: 1, overall: 0.9 }],
  [
    { success: 1, overall: 0.9 },
    { success: 0.5, overall: 0.9 },
  ],
  [
    { success: 1, overall: 0.3 },
    { success: 1, overall: 0.5 },
  ],
  [],
  [{ success: 1, overall: 0.1 }],
  // Nothing to measure it by, or a judge that gave no answer.
  [{ success: 1 }, { success: 1 }],
  [{ success: 1 }, { success: 1, overall: 0.2 }],
];
const averages = scores.flatMap((attempts, scenario_index) =>
  attempts.map((average_scores, index): AttemptAverages => ({
    scenario_index,
    attempt: index + 1,
    state: "done",
    average_scores,
    interactions_done: 2,
  })),
);
// A fourth scenario, and another attempt at the first, were interrupted.
averages.push({ scenario_index: 3, attempt: 1, state: "cancelled", average_scores: null, interactions_done: 1 });
averages.push({
  scenario_index: 0,
  attempt: 2,
  state: "cancelled",
  average_scores: { success: 1, overall: 0.1 },
  interactions_done: 1,
});
const interactions = [{}, {}];
const scenarios = scores.map((_, index) => ({ id: `s${index}`, description: `about ${index}`, interactions }));
let reads = 0;
const store = {
  runs: {
    scenarios: async () => scenarios,
    scenariosAt: async (_id: string, indexes: readonly number[]) => indexes.map((index) => scenarios[index]),
    countScenarios: async () => scenarios.length,
    scenarioTotals: async () => null,
  },
  attempts: {
    async *averages() {
      reads += 1;
      yield averages.slice(0, 2);
      yield averages.slice(2);
    },
    averagesOf: async (_id: string, indexes: readonly number[]) =>
      averages.filter(({ scenario_index }) => indexes.includes(scenario_index)),
  },
} as unknown as Store;
const run = { id: "r", state: "completed", settings: { threshold: 0.8 } } as RunRecord;

const list = async (query: Partial<Parameters<typeof listRunScenarios>[1]>) => {
  const order = await createScenarioOrders({ store, now: () => 0 }).of(run);
  return listRunScenarios(run, { limit: 10, offset: 0, ...query }, { store, order });
};

test("lists failing scenarios first, lowest score first, then flaky, waiting, unscored and passing ones", async () => {
  const page = await list({});
  expect(page.scenarios.map(({ scenario_id, status }) => [scenario_id, status])).toEqual([
    ["s4", "failing"],
    ["s6", "failing"],
    ["s2", "failing"],
    ["s1", "flaky"],
    ["s3", "waiting"],
    ["s5", "unscored"],
    ["s0", "passing"],
  ]);
  expect(page.counts).toEqual({ failing: 3, flaky: 1, waiting: 1, unscored: 1, passing: 1 });
  expect(page.scenarios[2]).toMatchObject({ overall: 0.4, attempts: [{ outcome: "failed" }, { outcome: "failed" }] });
  expect(page.scenarios[3]?.attempts.map(({ outcome }) => outcome)).toEqual(["passed", "errored"]);
  expect(page.scenarios[4]?.attempts).toMatchObject([{ outcome: "unfinished", overall: null }]);
  expect(page.scenarios[6]?.attempts.map(({ outcome }) => outcome)).toEqual(["passed", "unfinished"]);
});

test("returns a page of the matches, or the page around one", async () => {
  expect(await list({ offset: 1, limit: 1 })).toMatchObject({
    scenarios: [{ scenario_id: "s6" }],
    offset: 1,
    total: 7,
  });
  expect(await list({ status: "flaky" })).toMatchObject({ scenarios: [{ scenario_id: "s1" }], total: 1 });
  expect(await list({ status: "unscored" })).toMatchObject({ scenarios: [{ scenario_id: "s5" }], total: 1 });
  expect(await list({ search: "ABOUT 3" })).toMatchObject({ scenarios: [{ scenario_id: "s3" }], total: 1 });
  const around = await list({ around: "s1", limit: 3 });
  expect(around).toMatchObject({ offset: 2, scenarios: [{ scenario_id: "s2" }, { scenario_id: "s1" }, {}] });
});

test("sorts by id, score and share of passed attempts, and puts scenarios without one last", async () => {
  const ids = async (query: Parameters<typeof list>[0]) =>
    (await list(query)).scenarios.map(({ scenario_id }) => scenario_id);
  expect(await ids({ sort: "-scenario", limit: 2 })).toEqual(["s6", "s5"]);
  expect(await ids({ sort: "overall" })).toEqual(["s4", "s6", "s2", "s0", "s1", "s3", "s5"]);
  expect(await ids({ sort: "-overall" })).toEqual(["s1", "s0", "s2", "s6", "s4", "s3", "s5"]);
  expect(await ids({ sort: "-passed" })).toEqual(["s0", "s1", "s4", "s6", "s2", "s3", "s5"]);
  expect(await ids({ sort: "scenario", status: "failing" })).toEqual(["s2", "s4", "s6"]);
});

test("has the score so far over all scenarios, with its interval", async () => {
  const { overall } = await list({ limit: 1 });
  expect(overall).toMatchObject({ n: 5, n_missing: 2, method: "t and Bayesian bootstrap over 5 scenarios" });
  expect(overall?.mean).toBeCloseTo((0.5 + 0.9 + 0.4 + 0.1 + 0.2) / 5, 12);
  expect(overall?.ci_lower).toBeLessThan(overall?.mean ?? 0);
});

test("reads the order of an ended run once, and again when its scores change", async () => {
  const orders = createScenarioOrders({ store, now: () => 0 });
  const scored = (overall: number) => ({ ...run, summary: { average_scores: { overall } } }) as unknown as RunRecord;
  reads = 0;
  await Promise.all([orders.of(scored(0.5)), orders.of(scored(0.5))]);
  expect(reads).toBe(1);
  await orders.of(scored(0.6));
  expect(reads).toBe(2);
  for (const _ of [1, 2]) await orders.of({ ...run, id: "live", state: "running" });
  expect(reads).toBe(4);
});

const numbered = Array.from({ length: 5 }, (_, index) => numberedScenario(`s${index}`, 3));

test.each([
  ["several attempts", { threshold: 0.8 }],
  ["statements of the scenarios", { scorers: [{ type: "regex", pattern: "^a" }] }],
  ["both histories", { threshold: 0.8, history: "both" }],
  ["a replay", { threshold: 0.8, replay_first_bad_turn: true }],
  ["a budget that ends early", { threshold: 0.8, budget: { calls: 20 } }],
])("orders an ended run by its stored totals as by its attempts: %s", async (_, request) => {
  const model = fakeModel((asked, call) => (call % 3 === 0 ? "no idea" : lastUserMessage(asked).replace("q", "a")));
  await using bench = await startBench({ models: { model } });
  const { run_id } = await bench.evaluate({ test_batch: numbered, attempts: 3, ...request });
  const orderFrom = async (from: Store) =>
    createScenarioOrders({ store: from, now: Date.now }).of(await bench.runs.get(run_id, null));
  const { runs, attempts } = bench.store;
  const onlyTotals: Store = {
    ...bench.store,
    attempts: {
      ...attempts,
      averages: () => {
        throw new Error("the attempts are read");
      },
    },
  };
  const onlyAttempts: Store = { ...bench.store, runs: { ...runs, scenarioTotals: async () => null } };
  const order = await orderFrom(onlyTotals);
  expect(order).toEqual(await orderFrom(onlyAttempts));
  expect(order.flaky.length + order.failing.length).toBeGreaterThan(0);

  const stricter = RescoreRequest.parse({
    threshold: 1,
    scorers: ["token_f1", { type: "contains", text: "1" }],
  });
  await bench.runs.rescore(run_id, null, { replace: { request: stricter, limits: planLimits, helpers: {} } });
  expect(await orderFrom(onlyTotals)).toEqual(await orderFrom(onlyAttempts));
  expect(await orderFrom(onlyTotals)).not.toEqual(order);
});

test("reads the attempts of a run that was cancelled", async () => {
  const totals = async () => [{ ended: 9, passed: 9, failed: 0, overall: 1 }];
  const cancelled = { ...run, state: "cancelled" as const };
  const stored = { ...store, runs: { ...store.runs, scenarioTotals: totals } };
  const { passing, failing } = await createScenarioOrders({ store: stored, now: () => 0 }).of(cancelled);
  expect([passing.length, failing.length]).toEqual([1, 3]);
});
