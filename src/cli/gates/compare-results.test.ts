import { expect, test } from "vitest";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { interactionResult, runResult, scenarioResult } from "../../formats/testing/run-result.ts";
import { compareStoredRuns } from "../../runs/compare/compare-stored-runs.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";
import {
  attemptsAdvice,
  compareResponses,
  evaluateBaseline,
  evaluateNotWorse,
  outOfReach,
  rankResponses,
  type NotedComparison,
} from "./compare-results.ts";

const batch = Array.from({ length: 12 }, (_, index) => numberedScenario(`s${index}`, 2));
const right = fakeModel((request) => lastUserMessage(request).replace("q", "a"));
const half = fakeModel((request) => (lastUserMessage(request) === "q2" ? "no" : "a1"));
const wavering = fakeModel((request, call) => (call % 5 < 3 ? "no" : lastUserMessage(request).replace("q", "a")));
const judge = fakeModel(() => JSON.stringify({ reason: "r", verdict: "partial" }));

const judged = { judge: { endpoint: "http://j", model_id: "judge" } };

test.each<[string, Record<string, unknown>]>([
  ["another model", { model_id: "half" }],
  ["another judge", judged],
  ["other weights", { weights: { exact_match: 1 } }],
  ["other scorers", { scorers: ["chrf"] }],
  ["another history", { history: "reference" }],
  ["other rules for labels", { label_rules: { intent: { type: "exact" } } }],
  ["more attempts", { model_id: "wavering", attempts: 5 }],
])("compares two runs with %s as the service does", async (_title, differing) => {
  await using bench = await startBench({ models: { model: right, half, wavering, judge } });
  const before = await bench.evaluate({ test_batch: batch });
  const after = await bench.evaluate({ test_batch: batch, ...differing });
  const service = await compareStoredRuns(bench.store, before.run_id, after.run_id);
  const ours = compareResponses(before, after);
  const { comparable, notes, reason, scores } = service;
  expect(ours).toMatchObject(comparable ? { comparable, notes, scores } : { comparable, notes, reason });
});

const score = (name: string, effect: number, verdict: "worse" | "same" | "no_difference_seen") => ({
  name,
  effect,
  verdict,
  sentence: `Sentence on ${name}.`,
});
const unpaired = { baseline_only: 0, candidate_only: 0, changed: 0 };
const compared = (...scores: readonly ReturnType<typeof score>[]) =>
  ({ comparable: true, sentence: "Headline.", scores, unpaired, notes: [], lost: [] }) as unknown as NotedComparison;
const watched = { scores: ["overall", "success"], maxRegression: 0 };

/** An open question about a score: the bound lies below the margin. */
const open = (name: string, bound: number) => ({
  name,
  effect: -0.01,
  bound,
  margin: 0.05,
  scenarios: 10,
  verdict: "undecided",
  would_decide: { scenarios: 80, attempts: null, cheaper: "scenarios" },
  sentence: `${name} is undecided.`,
});
const asked = (comparison: NotedComparison, ...measures: readonly object[]) =>
  ({
    ...comparison,
    not_worse: { verdict: "undecided", sentence: "Undecided.", measures },
  }) as unknown as NotedComparison;

test("a baseline that excludes no drop says that it is undecided, whatever that counts as", () => {
  const comparison = compared(score("success", 0, "same"), score("overall", -0.01, "no_difference_seen"));
  const unknown = asked(comparison, open("overall", -0.12), { ...open("success", -0.2), verdict: "not_worse" });
  expect(evaluateBaseline(unknown, watched)).toEqual({
    gate: "no regression in overall, replied",
    passed: true,
    undecided: true,
    actual: -0.01,
    message:
      "no regression in overall, replied: UNDECIDED, counted as passed. overall -0.010 over 10 scenarios: a drop of up to 0.120 is not excluded (about 80 scenarios would exclude 0.05).",
  });
  const strict = evaluateBaseline(unknown, { ...watched, undecided: "fail" });
  expect(strict).toMatchObject({ passed: false, undecided: true });
  expect(strict.message).toContain("UNDECIDED, counted as failed");
  const worse = asked(compared(score("overall", -0.3, "worse")), open("overall", -0.5));
  expect(evaluateBaseline(worse, watched)).not.toHaveProperty("undecided");
});

test.each([
  ["not_worse", "fail", { passed: true, message: "not worse by 0.02: passed. It is so." }],
  ["worse", "pass", { passed: false, message: "not worse by 0.02: failed. It is so." }],
  [
    "undecided",
    "fail",
    { passed: false, undecided: true, message: expect.stringContaining("UNDECIDED, counted as failed.") },
  ],
  [
    "undecided",
    "pass",
    { passed: true, undecided: true, message: expect.stringContaining("UNDECIDED, counted as passed.") },
  ],
] as const)("a margin whose verdict is %s, with undecided as %s", (verdict, undecided, check) => {
  const comparison = {
    ...compared(score("overall", 0, "same")),
    not_worse: { verdict, sentence: "It is so.", measures: [] },
  };
  const found = evaluateNotWorse(comparison as unknown as NotedComparison, { margins: { overall: 0.02 }, undecided });
  expect(found).toMatchObject(check);
});

test("a margin gives the same answer from results as from the service", async () => {
  await using bench = await startBench({ models: { model: right, wavering } });
  const before = await bench.evaluate({ test_batch: batch, threshold: 0.8 });
  const after = await bench.evaluate({ test_batch: batch, model_id: "wavering", threshold: 0.8 });
  const margins = { overall: 0.02, success: 0.1, pass_rate: 0.1, latency_ms: 0.2 };
  const { not_worse } = await compareStoredRuns(bench.store, before.run_id, after.run_id, { margins });
  expect(not_worse?.measures.map(({ name }) => name)).toEqual(Object.keys(margins));
  expect(not_worse).toMatchObject({ ...compareResponses(before, after, { margins }).not_worse });
  expect(outOfReach(before, { margins, scenarios: new Set(batch.map(({ id }) => id)) })).toMatchObject([
    { name: "overall", needed: 149 },
    { name: "success", needed: 29 },
    { name: "pass_rate", needed: 29 },
  ]);
});

test("a baseline without a drop only says that it passed", () => {
  const comparison = compared(score("success", 0, "same"), score("overall", 0.2, "no_difference_seen"));
  expect(evaluateBaseline(comparison, watched).message).toBe(
    "no regression in overall, replied: passed. Sentence on success.",
  );
});

test("a significant drop fails unless it is accepted", () => {
  const comparison = compared(score("overall", -0.02, "worse"), score("success", -0.5, "no_difference_seen"));
  expect(evaluateBaseline(comparison, watched)).toMatchObject({ passed: false, actual: -0.02 });
  const accepted = evaluateBaseline(compared(score("overall", -0.02, "worse")), { ...watched, maxRegression: 0.05 });
  expect(accepted).toMatchObject({ passed: true, message: expect.stringContaining("overall -0.020 is accepted") });
});

test("accepts a drop of exactly the accepted size, despite rounding", () => {
  const drop = compared(score("overall", 0.78 - 0.8, "worse"));
  expect(evaluateBaseline(drop, { ...watched, maxRegression: 0.02 })).toMatchObject({ passed: true });
  expect(evaluateBaseline(drop, { ...watched, maxRegression: 0.0199 })).toMatchObject({ passed: false });
});

test("does not pass when no watched score is in both runs", () => {
  const check = evaluateBaseline(compared(score("token_f1", 0, "same")), watched);
  expect(check).toMatchObject({ passed: false, actual: null, message: expect.stringContaining("none of them") });
});

test.each([
  ["another judge made", { judge: { endpoint: "http://j", model_id: "judge", rubric: "Is it good?" } }],
  ["is missing", { judge: { endpoint: "http://j", model_id: "broken" } }],
])("does not pass when a watched score %s in the candidate", async (_title, differing) => {
  const broken = fakeModel(() => "I cannot judge that.");
  await using bench = await startBench({ models: { model: right, judge, broken } });
  const before = await bench.evaluate({ test_batch: batch.slice(0, 3), ...judged });
  const after = await bench.evaluate({ test_batch: batch.slice(0, 3), ...differing });
  const { passed, message } = evaluateBaseline(compareResponses(before, after), watched);
  expect(passed).toBe(false);
  expect(message).toContain("failed, overall cannot be compared.");
});

test("compares a suite without references by the scores it has", async () => {
  await using bench = await startBench({ models: { model: right } });
  const test_batch = [numberedScenario("s", 2, { reference_reply: "" })];
  const [before, after] = [await bench.evaluate({ test_batch }), await bench.evaluate({ test_batch })];
  expect(evaluateBaseline(compareResponses(before, after), watched).passed).toBe(true);
});

test("names turns that only one of the runs has", async () => {
  await using bench = await startBench({ models: { model: right } });
  const baseline = await bench.evaluate({ test_batch: batch });
  const candidate = await bench.evaluate({ test_batch: batch.slice(0, 10) });
  const { passed, message } = evaluateBaseline(compareResponses(baseline, candidate), watched);
  expect(passed).toBe(true);
  expect(message).toContain("Not compared: 4 turns only in the baseline.");
});

test("compares a judge's scores of whole conversations as the service does", async () => {
  const verdicts = ["fail", "fail", "fail", "pass", "pass", "pass"];
  const judge = fakeModel((_, call) => JSON.stringify({ reason: "so", verdict: verdicts[call - 1] }));
  await using bench = await startBench({ models: { model: right, judge } });
  const asked = {
    test_batch: batch.slice(0, 3),
    judge: { endpoint: "http://judge", model_id: "judge", scope: "conversation" },
  };
  const [baseline, candidate] = [await bench.evaluate(asked), await bench.evaluate(asked)];
  const stored = await bench.runs.compare(baseline.run_id, candidate.run_id, null);
  const comparison = compareResponses(baseline, candidate);
  if (!comparison.comparable) throw new Error(comparison.reason);
  for (const { scores } of [stored, comparison]) {
    const quality = scores.find(({ name }) => name === "conversation_quality");
    expect(quality).toMatchObject({ effect: 1, scenarios: 3, scenarios_better: 3 });
  }
  const check = evaluateBaseline(comparison, { scores: ["conversation_quality"], maxRegression: 0 });
  expect(check).toMatchObject({ passed: true, actual: 1 });
});

test("counts an attempt only for success when the other run failed to reply", async () => {
  /** True when a question is asked for the first time. */
  const createFirst = () => {
    const asked = new Set<string>();
    return (question: string) => !asked.has(question) && asked.add(question);
  };
  const isFirst = [createFirst(), createFirst()] as const;
  const tiring = fakeModel((request) => (isFirst[0](lastUserMessage(request)) ? "yes" : "no"));
  const error = { code: "upstream_error", detail: "", upstream_status: 500, tries: 1, retryable: true } as const;
  const failing: ChatModel = async (request) =>
    isFirst[1](lastUserMessage(request)) ? sampleReply("yes") : { ok: false, error, latency_ms: 1 };
  await using bench = await startBench({ models: { tiring, failing } });
  const test_batch = ["q1", "q2"].map((question) => ({
    id: question,
    interactions: [{ id: "t", user_message: question, reference_reply: "yes" }],
  }));
  const evaluate = (model_id: string) => bench.evaluate({ test_batch, model_id, attempts: 3, concurrency: 1 });
  const [whole, broken] = [await evaluate("tiring"), await evaluate("failing")];
  expect([whole.summary.average_scores["overall"], broken.summary.failed]).toEqual([1 / 3, 4]);

  const { scores, notes } = await bench.runs.compare(whole.run_id, broken.run_id, null);
  const of = (score: string) => scores.find(({ name }) => name === score);
  expect(of("overall")).toMatchObject({ baseline: 1, candidate: 1, verdict: "same" });
  expect(of("success")).toMatchObject({ baseline: 1, candidate: 1 / 3 });
  expect(notes).toEqual(["Where one run has no reply, the same attempt of the others counts only for replied."]);
  expect(compareResponses(whole, broken)).toMatchObject({ notes, scores });
  const ids = [whole.run_id, broken.run_id];
  const ranking = await bench.runs.rank({ ids, score: "overall" }, null);
  expect(ranking.runs.map(({ mean }) => mean)).toEqual([1, 1]);
  expect(rankResponses([whole, broken], "overall")).toEqual(ranking);
});

test("a check has the same interval in a ranking as in the run", async () => {
  await using bench = await startBench({ models: { model: right, half } });
  const asked = { test_batch: batch, scorers: [{ type: "regex", pattern: "1" }] };
  const responses = [await bench.evaluate(asked), await bench.evaluate({ ...asked, model_id: "half" })];
  const ids = responses.map(({ run_id }) => run_id);
  const ranking = await bench.runs.rank({ ids, score: "regex" }, null);
  for (const { run_id, mean, ci_lower, ci_upper } of ranking.runs) {
    const { score_stats } = responses.find((response) => response.run_id === run_id)?.summary ?? {};
    expect(score_stats?.["regex"]).toMatchObject({ mean, ci_lower, ci_upper, method: "wilson over 12 scenarios" });
  }
  expect(rankResponses(responses, "regex")).toEqual(ranking);
});

test("advises attempts, which need no new scenarios", () => {
  // The attempts of a scenario vary so much that they explain all differences of the means, -0.26 to 0.23.
  const noisy = (run_id: string, meanOf: (index: number) => number) => {
    const scenarios = Array.from({ length: 50 }, (_, index) =>
      scenarioResult(
        `s${index}`,
        [-0.1, 0.1].map((noise) => [interactionResult({ overall: meanOf(index) + noise })]),
      ),
    );
    return { ...runResult(scenarios), run_id, attempts: 2 };
  };
  const [one, two] = [noisy("one", () => 0.5), noisy("two", (index) => 0.24 + index / 100)];
  const comparison = compareResponses(one, two, { margins: { overall: 0.05 } });
  expect(comparison.comparable && comparison.sentence).toMatch(/About \d+ more scenarios/);
  expect(attemptsAdvice(comparison).join()).toMatch(
    /If the runs are equal, \d+ attempts of these 50 scenarios would show that overall is not worse by 0\.05/,
  );
  const { message } = evaluateBaseline(comparison, { scores: ["overall"], maxRegression: 0 });
  expect(message).toMatch(/\(\d+ attempts of these scenarios or about \d+ scenarios would exclude 0\.05\)/);
});
