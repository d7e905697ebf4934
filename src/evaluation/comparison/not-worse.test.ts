import { expect, test } from "vitest";
import type { Margins } from "../../contract/schemas/margins.ts";
import { Interaction } from "../../contract/schemas/scenario.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { compareRuns } from "./compare-runs.ts";
import { compareWithMargins, keptByAttempt, measuresOutOfReach } from "./not-worse.ts";
import { createRunTally, type RunTally } from "./run-tally.ts";

const question = Interaction.parse({ id: "1", user_message: "q", interaction_type: "opening" });

interface Reply {
  readonly scores: Scores;
  readonly call?: { latency_ms: number; cost?: number | null };
}

/** A run of single-turn scenarios; each has a list of attempts. */
function tallyOf(scenarios: readonly (readonly Reply[])[], margins: Margins): RunTally {
  const tally = createRunTally({ byAttempt: keptByAttempt(margins) });
  for (const [index, attempts] of scenarios.entries())
    for (const [number, reply] of attempts.entries()) {
      const entry = { scenario_id: `s${index}`, interaction: question, scoring_version: "1", attempt: number + 1 };
      tally.add({ ...entry, ...reply });
    }
  return tally;
}

const single = (values: readonly number[], name = "overall"): Reply[][] =>
  values.map((value) => [{ scores: { success: 1, [name]: value } }]);

function compare(baseline: Reply[][], candidate: Reply[][], margins: Margins) {
  const runs = { baseline: tallyOf(baseline, margins), candidate: tallyOf(candidate, margins) };
  return compareWithMargins({ ...runs, margins, threshold: 0.8 });
}

/** Differences without a pattern, between -1 and 1. */
const noise = (count: number, size: number): number[] =>
  Array.from({ length: count }, (_, index) => size * Math.sin(12.9898 * (index + 1)));
const half = (count: number): number[] => Array.from({ length: count }, () => 0.5);
const shifted = (count: number, by: number, size = 0.03): number[] =>
  noise(count, size).map((value) => 0.5 + by + value);

test("a small spread over many scenarios is shown not to be worse", () => {
  const { verdict, sentence, measures } = compare(single(half(60)), single(shifted(60, 0)), { overall: 0.02 });
  expect(verdict).toBe("not_worse");
  expect(sentence).toMatch(
    /^overall is shown not to be worse by 0\.02: [-+]?0\.00\d+ over 60 scenarios, with 95 % confidence at least -0\.0\d+\. 60 scenarios do not exclude complete failures in up to 4\.9 % of scenarios like these\.$/,
  );
  expect(measures[0]?.undetected_failures).toBeCloseTo(1 - 0.05 ** (1 / 60), 9);
  expect(measures[0]?.bound).toBeGreaterThan(-0.02);
  expect(measures[0]?.would_decide).toBeNull();
});

test("what holds for any distribution needs no caveat", () => {
  const { measures } = compare(single(half(400)), single(shifted(400, 0)), { overall: 0.02 });
  expect(measures[0]).toMatchObject({ verdict: "not_worse", sentence: expect.not.stringContaining("exclude") });
  expect(measures[0]).not.toHaveProperty("undetected_failures");
});

test("what is better is not worse, by any margin", () => {
  for (const size of [4, 8, 20, 50])
    for (const gain of [0.05, 0.1, 0.45])
      for (const spread of [0.001, 0.1]) {
        const after = shifted(size, gain, spread).map((value) => Math.min(1, value));
        const runs = [single(half(size)), single(after)] as const;
        const [baseline, candidate] = runs.map((run) => tallyOf(run, { overall: 0.001 }));
        const compared = compareRuns({ baseline: baseline as RunTally, candidate: candidate as RunTally });
        const better = compared.comparable && compared.scores[0]?.verdict === "better";
        const { verdict, measures } = compare(...runs, { overall: 0.001 });
        expect(better && verdict !== "not_worse", `${size} scenarios, ${gain} ± ${spread}`).toBe(false);
        expect(verdict === "not_worse" && (measures[0]?.bound ?? 0) < -0.001).toBe(false);
      }
});

test("a clear drop is worse", () => {
  const { verdict, sentence } = compare(single(half(30)), single(shifted(30, -0.1)), { overall: 0.02 });
  expect(verdict).toBe("worse");
  expect(sentence).toMatch(/^overall is worse: -0\.\d+ over 30 scenarios, .*a loss of 0\.02 is not excluded\.$/);
});

test("a real drop within the margin is shown not to be worse by the margin", () => {
  const { verdict, measures } = compare(single(half(60)), single(shifted(60, -0.02, 0.01)), { overall: 0.05 });
  expect(verdict).toBe("not_worse");
  expect(measures[0]?.effect).toBeLessThan(-0.01);
});

test("few scenarios are undecided, and the sentence says what would decide it", () => {
  const { verdict, sentence, measures } = compare(single(half(12)), single(shifted(12, 0, 0.1)), { overall: 0.02 });
  expect(verdict).toBe("undecided");
  expect(measures[0]?.would_decide).toMatchObject({ attempts: null, cheaper: "scenarios" });
  expect(sentence).toMatch(/If the runs are equal, about \d+ scenarios would show it in four of five cases\.$/);
});

test("with several attempts, the cheaper of scenarios and attempts comes first", () => {
  let state = 12_345;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  // The runs differ within scenarios only.
  const run = () =>
    Array.from({ length: 40 }, () =>
      Array.from({ length: 2 }, () => ({ scores: { success: 1, overall: 0.3 + 0.4 * random() } })),
    );
  const [measure] = compare(run(), run(), { overall: 0.03 }).measures;
  expect(measure?.verdict).toBe("undecided");
  expect(measure?.would_decide).toMatchObject({ cheaper: expect.stringMatching(/scenarios|attempts/) });
  expect(measure?.would_decide?.attempts).toBeGreaterThan(2);
  expect(measure?.sentence).toMatch(/would show it in four of five cases\. The first takes fewer calls\.$/);
});

test("equal 0/1 scores are undecided below 149 scenarios, and shown from there on", () => {
  const right = (count: number) =>
    single(
      Array.from({ length: count }, () => 1),
      "exact_match",
    );
  expect(compare(right(148), right(148), { exact_match: 0.02 })).toMatchObject({
    verdict: "undecided",
    measures: [{ would_decide: { scenarios: 149, attempts: null, cheaper: "scenarios" } }],
  });
  expect(compare(right(149), right(149), { exact_match: 0.02 }).verdict).toBe("not_worse");
});

test("all measures have to be shown; each keeps its own margin", () => {
  const base = half(70).map((value) => [{ scores: { success: 1, overall: value } }]);
  const now = shifted(70, 0).map((value) => [{ scores: { success: 1, overall: value } }]);
  expect(compare(base, now, { overall: 0.02, success: 0.05 })).toMatchObject({
    verdict: "not_worse",
    sentence:
      "All 2 measures are shown not to be worse (overall by 0.02, replied by 0.05), with a family error of 5 %. overall: 70 scenarios do not exclude complete failures in up to 4.2 % of scenarios like these.",
    family_error: 0.05,
  });
  const { verdict, sentence } = compare(base, now, { overall: 0.02, success: 0.02 });
  expect(verdict).toBe("undecided");
  expect(sentence).toMatch(/^replied is undecided/);
});

test("the pass rate compares attempts that pass", () => {
  const run = (passed: (index: number) => boolean) =>
    Array.from({ length: 40 }, (_, index) => [{ scores: { success: 1, overall: passed(index) ? 0.9 : 0.5 } }]);
  const { measures } = compare(
    run(() => true),
    run((index) => index % 4 > 0),
    { pass_rate: 0.1 },
  );
  expect(measures[0]).toMatchObject({ baseline: 1, candidate: 0.75, effect: -0.25, verdict: "worse" });
});

test("latency and cost are compared as ratios of their means", () => {
  const run = (factor: number) =>
    noise(60, 200).map((value, index) => [
      {
        scores: { success: 1 },
        call: { latency_ms: (1_000 + value) * factor * (1 + 0.02 * Math.cos(7 * index)), cost: 0.01 * factor },
      },
    ]);
  const slower = compare(run(1), run(1.03), { latency_ms: 0.1, cost_per_turn: 0.05 });
  expect(slower.verdict).toBe("not_worse");
  expect(slower.measures[0]).toMatchObject({ kind: "ratio", effect: expect.closeTo(1.03, 10) });
  expect(slower.measures[0]?.bound).toBeGreaterThan(1.03);
  expect(slower.measures[0]?.bound).toBeLessThan(1.1);
  expect(slower.measures[0]?.sentence).toContain("not to be worse by 10 %: 1.030 times the baseline's");
  expect(compare(run(1), run(1.5), { latency_ms: 0.1 }).verdict).toBe("worse");
  expect(compare(run(1), run(0.5), { latency_ms: 0.1, cost_per_turn: 0.1 }).verdict).toBe("not_worse");
});

test("a cost without a price, and a score that one run lacks, cannot be compared", () => {
  const priced = [[{ scores: { success: 1 }, call: { latency_ms: 5, cost: null } }]];
  const { verdict, measures } = compare(priced, priced, { cost_per_turn: 0.1, overall: 0.02 });
  expect(verdict).toBe("undecided");
  expect(measures.map(({ sentence }) => sentence)).toEqual([
    "cost_per_turn cannot be compared: the price of some replies is unknown.",
    "overall cannot be compared: no shared turn has it in both runs.",
  ]);
});

test("margins that no result could be shown to keep are known from the baseline alone", () => {
  const margins = { overall: 0.02, exact_match: 0.02 };
  const tally = tallyOf(
    half(30).map((overall) => [{ scores: { success: 1, overall, exact_match: 1 } }]),
    margins,
  );
  const scenarios = new Set(tally.scenarios.keys());
  const options = { margins, threshold: 0.8, scenarios };
  expect(measuresOutOfReach(tally, options)).toEqual([{ name: "exact_match", scenarios: 30, needed: 149 }]);
  expect(measuresOutOfReach(tally, { ...options, scenarios: new Set(["s0", "s1"]) })).toMatchObject([
    { name: "overall", scenarios: 2, needed: 5 },
    { name: "exact_match", needed: 149 },
  ]);
});
