import { expect, test } from "vitest";
import { countListed, createDigest, digestResults } from "../../../web/run/summary/run-digest.ts";
import {
  allRows,
  countVerdicts,
  hasNoReply,
  passHatK,
  sortedScenarios,
  toScenarioRows,
} from "../../../web/run/grid/scenario-rows.ts";
import { nextFailureWrapping } from "../../../web/transcript/failures.ts";
import { actingRun } from "../support/acting-run.ts";
import { makeResults } from "../support/make-results.ts";
import { nightly, refusedKey } from "../support/sample-runs.ts";

test("sorts rows from failing to passing, lowest score first", () => {
  expect(toScenarioRows(nightly).map((row) => [row.scenarioId, row.status, row.passed])).toEqual([
    ["angry-customer", "failing", 0],
    ["refund-status", "flaky", 3],
    ["order/status ünïcode?", "flaky", 3],
    ["greeting", "passing", 5],
  ]);
});

test("sorts by a column, with scenarios that lack the figure last in both directions", () => {
  const scenarios = [
    { id: "b", attempts: [[{ overall: 0.9 }]] },
    { id: "c", attempts: [[{ error: refusedKey }]] },
    { id: "a", attempts: [[{ overall: 0.2 }]] },
  ];
  const results = makeResults({ id: "r", name: "r", scenarios });
  const ids = (sort: "scenario" | "-scenario" | "overall" | "-overall") => {
    const { total, rowAt } = allRows(results, { status: undefined, text: "", sort });
    return Array.from({ length: total }, (_, index) => rowAt(index)?.scenarioId);
  };
  expect(ids("scenario")).toEqual(["a", "b", "c"]);
  expect(ids("-scenario")).toEqual(["c", "b", "a"]);
  expect(ids("overall")).toEqual(["a", "b", "c"]);
  expect(ids("-overall")).toEqual(["b", "a", "c"]);
});

test("names the turns that fail in every attempt of a scenario that passes, and scenarios without a reply", () => {
  const attempt = (...values: readonly number[]) => values.map((overall) => ({ overall }));
  const results = makeResults({
    id: "r",
    name: "r",
    scenarios: [
      { id: "hidden", attempts: [attempt(1, 0.3, 1, 1, 1), attempt(1, 0.4, 1, 0.7, 1)] },
      { id: "failing", attempts: [attempt(0.1)] },
      { id: "silent", attempts: [[{ overall: 1 }, { error: refusedKey }], [{ error: refusedKey }]] },
    ],
  });
  expect(toScenarioRows(results).map((row) => [row.scenarioId, row.alwaysFailing, hasNoReply(row)])).toEqual([
    ["failing", [], false],
    ["silent", [], true],
    ["hidden", [1], false],
  ]);
  expect(countVerdicts(results)).toEqual({
    scenarios: { total: 3, passing: 1, flaky: 0, failing: 1, no_reply: 1, unscored: 0, waiting: 0 },
    always_failing: [{ scenario_id: "hidden", turns: [1] }],
  });
});

test("distinguishes a failed request from a poor reply", () => {
  const results = makeResults({
    id: "r",
    name: "r",
    scenarios: [
      {
        id: "s",
        attempts: [
          [{ overall: 0.9 }, { error: refusedKey }],
          [{ overall: 0.9 }, { overall: 0.1 }],
        ],
      },
    ],
  });
  expect(toScenarioRows(results)[0]?.cells.map(({ outcome }) => outcome)).toEqual(["errored", "failed"]);
});

test("neither passes nor fails a scenario without references", () => {
  const results = makeResults({ id: "r", name: "r", scenarios: [{ id: "s", attempts: [[{}]] }] });
  const attempt = results.results.scenarios[0]?.attempts[0];
  if (attempt) attempt.average_scores = { success: 1 };
  expect(toScenarioRows(results)[0]?.cells[0]).toMatchObject({ outcome: "unscored", overall: null });
  expect(allRows(results, { status: undefined, text: "" }).counts).toMatchObject({ unscored: 1, passing: 0 });
});

test("does not call a scenario flaky for an unscored attempt", () => {
  const scenarios = [
    { id: "good", attempts: [[{ overall: 0.9 }], [{}]] },
    { id: "bad", attempts: [[{ overall: 0.1 }], [{}]] },
  ];
  const results = makeResults({ id: "r", name: "r", scenarios });
  for (const { attempts } of results.results.scenarios) {
    if (attempts[1]) attempts[1].average_scores = { success: 1 };
  }
  expect(toScenarioRows(results).map((row) => [row.scenarioId, row.status])).toEqual([
    ["bad", "failing"],
    ["good", "passing"],
  ]);
});

test("neither passes nor fails an attempt that has not run", () => {
  const scenarios = [
    { id: "none", attempts: [[], [], []] },
    { id: "some", attempts: [[{ overall: 0.9 }], [{ overall: 0.9 }], []] },
    { id: "bad", attempts: [[{ overall: 0.1 }], []] },
  ];
  const rows = toScenarioRows(makeResults({ id: "r", name: "r", scenarios }));
  expect(rows.map((row) => [row.scenarioId, row.status, row.passed, row.judged, row.ended, row.cells.length])).toEqual([
    ["bad", "failing", 0, 1, 1, 2],
    ["none", "waiting", 0, 0, 0, 3],
    ["some", "passing", 2, 2, 2, 3],
  ]);
  expect(rows[1]?.cells.map(({ outcome }) => outcome)).toEqual(["waiting", "waiting", "waiting"]);
});

test("neither passes nor fails an unfinished attempt", () => {
  const scenarios = [
    { id: "s", attempts: [[{ overall: 1 }], [{ overall: 0.1 }], [{ error: refusedKey }], [{ overall: 1 }]] },
  ];
  const results = makeResults({ id: "r", name: "r", scenarios });
  for (const attempt of results.results.scenarios[0]?.attempts.slice(1) ?? []) attempt.unfinished = true;
  expect(toScenarioRows(results)[0]).toMatchObject({ status: "passing", passed: 1, judged: 1, ended: 1 });
  for (const attempt of results.results.scenarios[0]?.attempts ?? []) attempt.unfinished = true;
  expect(toScenarioRows(results)[0]).toMatchObject({ status: "waiting", passed: 0, judged: 0, ended: 0 });
});

test("does not count unscored attempts as passed", () => {
  const results = makeResults({ id: "r", name: "r", scenarios: [{ id: "s", attempts: [[{}], [{}]] }] });
  for (const attempt of results.results.scenarios[0]?.attempts ?? []) attempt.average_scores = { success: 1 };
  expect(toScenarioRows(results)[0]).toMatchObject({ passed: 0, judged: 0, ended: 2 });
});

test("wraps around the run when looking for the next failure", () => {
  const scenarios = sortedScenarios(nightly).map(({ scenario }) => scenario);
  const from = { scenarioId: "refund-status", attempt: 5, turn: 0 };
  const next = nextFailureWrapping(scenarios, { from, step: 1 });
  expect(next).toMatchObject({ scenarioId: "order/status ünïcode?", attempt: 2, turn: 0 });
  expect(next && nextFailureWrapping(scenarios, { from: next, step: -1 })).toMatchObject(from);
  const last = { scenarioId: "order/status ünïcode?", attempt: 5, turn: 0 };
  expect(nextFailureWrapping(scenarios, { from: last, step: 1 })).toMatchObject({
    scenarioId: "angry-customer",
    attempt: 1,
  });
});

test("finds no next failure in a run without failures", () => {
  const results = makeResults({ id: "r", name: "r", scenarios: [{ id: "s", attempts: [[{ overall: 1 }]] }] });
  const from = { scenarioId: "s", attempt: 1, turn: 0 };
  expect(nextFailureWrapping(results.results.scenarios, { from, step: 1 })).toBeNull();
});

test("groups failures by cause with the first occurrence", () => {
  expect(digestResults(nightly).failures).toMatchObject([
    { code: "upstream_auth", count: 2, first: { scenarioId: "order/status ünïcode?", attempt: 2, turn: 0 } },
  ]);
});

test("groups replies without an overall score by reason", () => {
  const { add, digest } = createDigest();
  const turn = { scenario_id: "s", attempt: 1, error: null, scores: { success: 1 } };
  const judge = { overall: "judge_correctness could not be had", judge_correctness: "unscored: HTTP 500 from judge" };
  add({ ...turn, turn_index: 0, score_reasons: { overall: "neither a reference reply nor judged metadata" } });
  add({ ...turn, turn_index: 1, score_reasons: judge });
  add({ ...turn, turn_index: 2, score_reasons: judge });
  // Scored, failed, and without a requested overall score.
  add({ ...turn, turn_index: 3, scores: { overall: 1 }, score_reasons: { overall: "reply 1.00" } });
  add({ ...turn, turn_index: 4, error: refusedKey, score_reasons: judge });
  add({ ...turn, turn_index: 5, score_reasons: {} });
  expect(digest().unscored).toEqual([
    {
      reason: "judge correctness could not be had: HTTP 500 from judge",
      count: 2,
      first: { scenarioId: "s", attempt: 1, turn: 1 },
    },
    {
      reason: "neither a reference reply nor judged metadata",
      count: 1,
      first: { scenarioId: "s", attempt: 1, turn: 0 },
    },
  ]);
});

test("groups conversations without a verdict by reason, once each", () => {
  const { add, digest } = createDigest();
  const turn = { scenario_id: "s", error: null, scores: { overall: 1 }, score_reasons: {} };
  const lost = "unscored: the judge could not be asked: HTTP 500";
  const judged = (scores: Record<string, number>, score_reasons: Record<string, string>) => ({
    conversation: { scores, score_reasons, judgements: {} },
  });
  add({ ...turn, attempt: 1, turn_index: 0 });
  add({ ...turn, attempt: 1, turn_index: 1, ...judged({}, { "conversation.tone": lost, "conversation.facts": lost }) });
  add({ ...turn, attempt: 2, turn_index: 0, ...judged({ "conversation.tone": 1 }, { "conversation.tone": "yes" }) });
  expect(digest().unjudged).toEqual([
    {
      reason: "conversation.tone: the judge could not be asked: HTTP 500",
      count: 1,
      first: { scenarioId: "s", attempt: 1, turn: 0 },
    },
  ]);
});

test("puts values into ten bins, 1 into the last", () => {
  const { add, digest } = createDigest();
  for (const overall of [0, 0.05, 0.1, 0.99, 1]) {
    add({ scenario_id: "s", attempt: 1, turn_index: 0, error: null, scores: { overall }, score_reasons: {} });
  }
  expect(digest().bins.get("overall")).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
});

test("wrong tool calls are counted by scenario, and every fault once in the lists of the run", () => {
  expect(toScenarioRows(actingRun).map(({ wrongCalls, status }) => [wrongCalls, status])).toEqual([[4, "flaky"]]);
  // Two attempts missed their outcome, and four calls are wrong.
  expect(countListed(digestResults(actingRun))).toBe(6);
  expect(toScenarioRows(nightly).every(({ wrongCalls }) => wrongCalls === 0)).toBe(true);
});

test("pass^k of a run is the mean over its scenarios, for the most attempts that all of them have", () => {
  const attempts = [[{ overall: 1 }], [{ overall: 1 }], [{ overall: 0 }]];
  const run = makeResults({ id: "k", name: "k", scenarios: ["a", "b"].map((id) => ({ id, attempts })) });
  const [first, second] = run.results.scenarios;
  if (!first?.reliability || !second?.reliability) throw new Error("both scenarios have a verdict");
  first.reliability.pass_hat_k = [2 / 3, 1 / 3, 0];
  second.reliability.pass_hat_k = [1, 1];
  expect(passHatK(run)).toEqual({ k: 2, mean: 2 / 3 });
  second.reliability.pass_hat_k = [1];
  expect(passHatK(run)).toBeNull();
});
