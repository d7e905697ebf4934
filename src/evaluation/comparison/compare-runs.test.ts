import { expect, test } from "vitest";
import { Interaction, type Metadata } from "../../contract/schemas/scenario.ts";
import { scoringVersion, type Scores } from "../../contract/schemas/scores/score.ts";
import { compareRuns } from "./compare-runs.ts";
import { createRunTally, type RunTally } from "./run-tally.ts";

interface Entry {
  scenario: string;
  id?: string;
  question?: string;
  labels?: Metadata;
  scores: Scores;
  conversation?: Scores;
}

function tallyOf(entries: readonly Entry[], scoring_version = "1"): RunTally {
  const tally = createRunTally();
  for (const { scenario, id = "1", question = "q", labels = {}, scores, conversation } of entries) {
    const turn = { id, user_message: question, interaction_type: "opening", reference_metadata: labels };
    const interaction = Interaction.parse(turn);
    const whole = conversation && { scores: conversation };
    tally.add({ scenario_id: scenario, interaction, scores, scoring_version, conversation: whole });
  }
  return tally;
}

const suite = (values: readonly number[], name = "overall"): Entry[] =>
  values.map((value, index) => ({ scenario: `s${index}`, scores: { [name]: value } }));

function compare(baseline: readonly Entry[], candidate: readonly Entry[]) {
  const comparison = compareRuns({ baseline: tallyOf(baseline), candidate: tallyOf(candidate) });
  if (!comparison.comparable) throw new Error(comparison.reason);
  return comparison;
}

const before = [0.4, 0.5, 0.6, 0.7, 0.3, 0.5];
const after = [0.51, 0.58, 0.72, 0.79, 0.41, 0.6];

/** Six times as many scenarios. */
const often = (values: readonly number[]): number[] => Array.from({ length: 6 }, () => values).flat();

test("a consistent gain is better, with effect, interval, p and a sentence", () => {
  const { verdict, sentence, scores } = compare(suite(often(before)), suite(often(after)));
  expect(verdict).toBe("better");
  expect(scores[0]).toMatchObject({
    scenarios: 36,
    scenarios_better: 36,
    scenarios_worse: 0,
    method: "t and Bayesian bootstrap over 36 scenarios",
  });
  expect([scores[0]?.baseline.toFixed(4), scores[0]?.candidate.toFixed(4)]).toEqual(["0.5000", "0.6017"]);
  expect(sentence).toBe("overall is better by 0.102 (95 % interval +0.036 to +0.153), p < 0.001.");
});

test("few scenarios do not show a gain, because they do not exclude rare failures", () => {
  const { verdict, sentence, scores } = compare(suite(before), suite(after));
  expect(verdict).toBe("no_difference_seen");
  expect(scores[0]?.effect).toBeCloseTo(0.1017, 4);
  expect(scores[0]?.p).toBeCloseTo(1.3194e-5, 9);
  expect(sentence).toMatch(
    /^overall looks better by 0\.102 \(95 % interval -0\.\d+ to \+0\.\d+\), but 6 scenarios do not exclude complete failures in up to 39\.4 % of scenarios like these, which would outweigh it\.$/,
  );
});

test("a difference below three digits is not reported as none", () => {
  const slightly = before.map((value, index) => value - 0.0003 + (index % 2 === 0 ? 0.0001 : -0.0001));
  const { sentence } = compare(suite(before), suite(slightly));
  expect(sentence).toMatch(/^overall is worse by 0\.0003 \(95 % interval -0\.\d+ to -0\.0002\), p = 0\.001\.$/);
});

test("the reverse comparison is worse by the same amount", () => {
  const { verdict, scores } = compare(suite(after), suite(before));
  expect(verdict).toBe("worse");
  expect(scores[0]?.effect).toBeCloseTo(-0.1017, 4);
});

test("clips intervals to the range of differences", () => {
  const { sentence, scores } = compare(suite([0.7, 0.8]), suite([0.9, 0.1]));
  expect(scores[0]).toMatchObject({ ci_lower: -1, ci_upper: 1 });
  expect(sentence).toContain("(95 % interval -1.000 to +1.000)");
  const losses = compare(suite([0.9, 1, 0.9]), suite([0.1, 0.2, 0.4])).scores[0];
  expect(losses?.ci_lower).toBe(-1);
  expect(losses?.ci_upper).toBeLessThan(0);
  // Numbers that are no scores keep what was computed.
  expect(compare(suite([7, 8]), suite([9, 1])).scores[0]?.ci_upper).toBeGreaterThan(1);
});

test("has no detectable effect when it exceeds the largest possible difference", () => {
  const [few] = compare(suite([0.7, 0.8]), suite([0.9, 0.1])).scores;
  expect(few).toMatchObject({ detectable_effect: null, scenarios: 2 });
  expect(few?.scenarios_needed).toBeGreaterThan(1000);
  // Numbers that are no scores may differ by any amount.
  expect(compare(suite([7, 8]), suite([9, 1])).scores[0]?.detectable_effect).toBeGreaterThan(1);
});

test("noise is no difference, and the sentence says how many more scenarios are needed", () => {
  const { verdict, sentence, scores } = compare(suite(before), suite([0.6, 0.3, 0.65, 0.6, 0.4, 0.4]));
  expect(verdict).toBe("no_difference_seen");
  expect(scores[0]?.p).toBeCloseTo(0.896_875, 6);
  expect(scores[0]?.detectable_effect).toBeCloseTo(0.4885, 4);
  expect(scores[0]?.scenarios_needed).toBe(105);
  expect(sentence).toMatch(
    /^No difference in overall can be seen: .* About 99 more scenarios would show a difference of 0\.05\.$/,
  );
});

test("runs with the same scores are the same", () => {
  const { verdict, sentence, scores } = compare(suite(before), suite(before));
  expect(verdict).toBe("same");
  expect(sentence).toBe("overall is the same in all 6 scenarios.");
  expect(scores[0]).toMatchObject({ effect: 0, p: null, ci_lower: null });
});

test("scores that differ by rounding alone are the same", () => {
  const { verdict, scores } = compare(suite([0.3, 0.5, 0.7]), suite([0.1 + 0.2, 0.5, 0.1 + 0.6]));
  expect(verdict).toBe("same");
  expect(scores[0]).toMatchObject({ effect: 0, scenarios_better: 0, scenarios_worse: 0, scenarios_needed: null });
});

test("an equal gain everywhere is tested by signs", () => {
  const { scores } = compare(suite([0, 0, 0, 0, 0, 0]), suite([0.9, 0.9, 0.9, 0.9, 0.9, 0.9]));
  expect(scores[0]).toMatchObject({ method: "sign test over 6 scenarios", verdict: "better" });
  expect(scores[0]?.p).toBeCloseTo(2 / 64, 12);
  expect(compare(suite([0, 0]), suite([0.5, 0.5])).sentence).toBe(
    "overall is better by 0.500 in every one of the 2 scenarios, which are too few to rule out chance (p = 0.500).",
  );
});

test("one shared scenario is undecided", () => {
  const { verdict, scores } = compare(suite([0.4]), suite([0.9]));
  expect(verdict).toBe("undecided");
  expect(scores[0]).toMatchObject({ effect: 0.5, ci_upper: null, p: null, method: "none: one scenario only" });
  expect(scores[0]?.sentence).toMatch(/^overall differs by \+0\.500 in the one scenario/);
  expect(compare(suite([0.4]), suite([0.4])).sentence).toMatch(/^overall is the same in the one scenario/);
});

test("attempts and turns of a scenario count as one scenario", () => {
  const repeat = (entries: readonly Entry[]) => entries.flatMap((entry) => [entry, entry, { ...entry, id: "2" }]);
  const once = compare(suite(before), suite(after)).scores[0];
  const often = compare(repeat(suite(before)), repeat(suite(after))).scores[0];
  expect(often?.p).toBeCloseTo(once?.p ?? 0, 12);
  expect(often).toMatchObject({ scenarios: 6, interactions: 12 });
});

test("corrects the scores beside the headline for their number, and the sentence says so", () => {
  const noisy = [0.55, 0.51, 0.72, 0.71, 0.41, 0.53];
  const others = (value: number) =>
    Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`other_${index}`, value]));
  const both = (values: readonly number[], noise: readonly number[]) =>
    values.map((value, index) => ({
      scenario: `s${index}`,
      scores: { overall: value, tone: value, ...others(noise[index] ?? 0) },
    }));
  const alone = compare(suite(before), suite(noisy)).scores[0];
  const runs = [both(before, [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]), both(noisy, [0.2, 0.1, 0.3, 0.2, 0.1, 0.31])] as const;
  const toneOf = ({ scores }: ReturnType<typeof compare>) => scores.find(({ name }) => name === "tone");
  const tone = toneOf(compare(...runs));
  expect(alone?.p).toBeLessThan(0.05);
  expect(tone?.p).toBeCloseTo(alone?.p ?? 0, 12);
  expect(tone?.p_adjusted).toBeCloseTo(10 * (alone?.p ?? 0), 12);
  expect(tone?.sentence).toMatch(
    /^tone looks better by 0\.072 \(95 % interval -0\.\d+ to \+0\.\d+, adjusted for 10 scores\), which may be chance with 10 scores compared \(p = 0\.\d+\)\.$/,
  );
  expect(toneOf(compare(runs[1], runs[0]))?.sentence).toMatch(/^tone looks worse by 0\.072 .* may be chance/);
  // The headline has the p and the interval it has alone, however many parts are compared beside it.
  const { scores } = compare(...runs);
  expect(scores[0]).toMatchObject({
    name: "overall",
    p_adjusted: alone?.p,
    adjusted_for: 1,
    ci_lower_adjusted: alone?.ci_lower,
    ci_upper_adjusted: alone?.ci_upper,
  });
});

test("the adjusted interval excludes 0 exactly when the verdict does", () => {
  // Student's t of Dunn's table (1961): 5 degrees of freedom, three comparisons at 95 % in all: 3.53.
  const three = (values: readonly number[], shift: number) =>
    values.map((value, index) => ({
      scenario: `s${index}`,
      scores: { overall: value, a: value, b: 0.5 + shift * (index % 2), c: 0.5 - shift * (index % 2) },
    }));
  const { scores } = compare(three(after, 0), three(before, 0.1));
  const first = scores.find(({ name }) => name === "a");
  const half = (first?.ci_upper ?? 0) - (first?.effect ?? 0);
  const adjusted = (first?.ci_upper_adjusted ?? 0) - (first?.effect ?? 0);
  // Unadjusted, Student's t with 5 degrees of freedom is 2.571.
  expect((2.5706 * adjusted) / half).toBeCloseTo(3.534, 2);
  expect(first?.adjusted_for).toBe(3);
  for (const { ci_lower_adjusted: lower, ci_upper_adjusted: upper, verdict } of scores) {
    const excludes = lower !== null && upper !== null && (lower > 0 || upper < 0);
    expect(excludes).toBe(verdict === "better" || verdict === "worse");
  }
  const alone = compare(suite(before), suite(after)).scores[0];
  expect([alone?.ci_lower_adjusted, alone?.adjusted_for]).toEqual([alone?.ci_lower, 1]);
});

test("says when the scenarios are enough to see a difference", () => {
  const steady = Array.from({ length: 60 }, () => 0.5);
  const wavering = steady.map((value, index) => value + (index % 2 === 0 ? 0.001 : -0.001));
  expect(compare(suite(steady), suite(wavering)).sentence).toMatch(/ 60 scenarios are enough to see a difference of /);
});

test("the verdict on two runs is that on overall, which comes first", () => {
  const both = (values: readonly number[]) =>
    values.map((value, index) => ({ scenario: `s${index}`, scores: { success: 1, overall: value } }));
  const { verdict, sentence, scores } = compare(both(after), both(before));
  expect(scores.map((score) => [score.name, score.verdict])).toEqual([
    ["overall", "worse"],
    ["success", "same"],
  ]);
  expect([verdict, sentence]).toEqual(["worse", scores[0]?.sentence]);
});

test("compares only shared interactions with the same content", () => {
  const { unpaired, scores } = compare(
    [
      ...suite(before),
      { scenario: "old", scores: { overall: 0 } },
      { scenario: "s0", id: "x", question: "a", scores: { overall: 0 } },
    ],
    [
      ...suite(after),
      { scenario: "new", scores: { overall: 0 } },
      { scenario: "s0", id: "x", question: "b", scores: { overall: 1 } },
    ],
  );
  expect(unpaired).toEqual({ baseline_only: 1, candidate_only: 1, changed: 1 });
  expect(scores[0]?.interactions).toBe(6);
});

test("compares conversation scores only if the whole scenario is the same", () => {
  const talk = (scenario: string, quality: number, question = "q"): Entry[] => [
    { scenario, id: "1", question, scores: { overall: 0.5 } },
    { scenario, id: "2", scores: { overall: 0.5 }, conversation: { conversation_quality: quality } },
  ];
  const baseline = [...talk("a", 0.5), ...talk("b", 0.5), ...talk("longer", 1), ...talk("changed", 1)];
  const candidate = [
    ...talk("a", 1),
    ...talk("b", 0.5),
    ...talk("longer", 0),
    { scenario: "longer", id: "3", scores: { overall: 0.5 } },
    ...talk("changed", 0, "another question"),
  ];
  const { scores } = compare(baseline, candidate);
  expect(scores.map(({ name, scenarios, effect }) => [name, scenarios, effect])).toEqual([
    ["overall", 4, 0],
    ["conversation_quality", 2, 0.25],
  ]);
});

test("a score missing on one side excludes the interaction from that score only", () => {
  const { scores } = compare(
    [
      { scenario: "a", scores: { success: 1, overall: 0.5 } },
      { scenario: "b", scores: { success: 1, overall: 0.5 } },
    ],
    [
      { scenario: "a", scores: { success: 0 } },
      { scenario: "b", scores: { success: 1, overall: 0.7 } },
    ],
  );
  expect(scores.map(({ name, scenarios }) => [name, scenarios])).toEqual([
    ["overall", 1],
    ["success", 2],
  ]);
});

test.each([
  ["The baseline has no interactions.", tallyOf([]), tallyOf(suite(after))],
  ["The candidate has no interactions.", tallyOf(suite(after)), tallyOf([])],
  [
    "The runs share no scenario and interaction ids.",
    tallyOf(suite(before)),
    tallyOf([{ scenario: "z", scores: { overall: 1 } }]),
  ],
  [
    "The runs share interaction ids, but every question or reference differs between them.",
    tallyOf(suite([0.5])),
    tallyOf([{ scenario: "s0", question: "other", scores: { overall: 1 } }]),
  ],
  [
    "The runs were scored by different definitions (scoring versions 1, 2); rescore the baseline and the candidate, or make a new run.",
    tallyOf(suite(before)),
    tallyOf(suite(after), "2"),
  ],
  [
    `The runs were scored by different definitions (scoring versions 1, ${scoringVersion}); rescore the baseline, or make a new run.`,
    tallyOf(suite(before)),
    tallyOf(suite(after), scoringVersion),
  ],
  ["The interactions the runs share have no score in both.", tallyOf(suite([1], "a")), tallyOf(suite([1], "b"))],
])("refuses with the reason: %s", (reason, baseline, candidate) => {
  expect(compareRuns({ baseline, candidate })).toMatchObject({ comparable: false, reason });
});

test("names the command that rescores a run of an older version", () => {
  const comparison = compareRuns({
    baseline: tallyOf(suite(before)),
    candidate: tallyOf(suite(after), scoringVersion),
    ids: { baseline: "old-run", candidate: "new-run" },
  });
  expect(comparison).toMatchObject({
    comparable: false,
    reason: expect.stringContaining(
      "rescore the baseline with rehearsal runs rescore old-run, or make a new run. A results file: rescore its run",
    ),
  });
});

test("a loss in each of a few scenarios is reported with the uncertainty", () => {
  const tallies = [1, 0].map((value) => {
    const tally = createRunTally();
    for (const id of ["a", "b", "c"]) {
      const interaction = Interaction.parse({ id: "t", user_message: "q", interaction_type: "opening" });
      tally.add({ scenario_id: id, interaction, scores: { overall: value }, scoring_version: "1" });
    }
    return tally;
  });
  const [baseline, candidate] = tallies as [RunTally, RunTally];
  expect(compareRuns({ baseline, candidate })).toMatchObject({
    verdict: "no_difference_seen",
    sentence:
      "overall is worse by 1.000 in every one of the 3 scenarios, which are too few to rule out chance (p = 0.250).",
  });
});

test("ignores the order of keys at any depth", () => {
  const labelled = (labels: Metadata) => [{ scenario: "s", labels, scores: { overall: 1 } }];
  const baseline = labelled({ intent: "book", slots: { city: "Rome", dates: [{ from: 1, to: 2 }] } });
  const reordered = labelled({ slots: { dates: [{ to: 2, from: 1 }], city: "Rome" }, intent: "book" });
  expect(compare(baseline, reordered).unpaired.changed).toBe(0);
  const other = labelled({ intent: "book", slots: { city: "Rome", dates: [{ from: 2, to: 1 }] } });
  expect(() => compare(baseline, other)).toThrow("every question or reference differs");
});

test("similarity to references is closer or less close, never better", () => {
  const chrf = (values: readonly number[], others: Scores = {}) =>
    values.map((value, index) => ({ scenario: `s${index}`, scores: { chrf: value, overall: value, ...others } }));
  const found = compare(chrf(often(before)), chrf(often(after)));
  expect(found.verdict).toBe("closer");
  expect(found.sentence).toBe(
    "overall is closer to the references by 0.102 (95 % interval +0.036 to +0.153), p < 0.001. That does not say which run is right more often: add checks or a judge.",
  );
  const back = compare(chrf(after), chrf(before));
  expect(back.scores.map(({ verdict }) => verdict)).toEqual(["less_close", "less_close"]);
  for (const { sentence } of [...found.scores, ...back.scores]) expect(sentence).not.toMatch(/better|worse/);
});

test("an overall of checks and similarity is better only where a check moved with it", () => {
  const mixed = (values: readonly number[], checks: readonly number[]) =>
    values.map((value, index) => {
      const contains = checks[index] ?? 0;
      return { scenario: `s${index}`, scores: { chrf: value, contains, overall: (value + contains) / 2 } };
    });
  const [low, high] = [often(often(before)), often(often(after))];
  const all = low.map(() => 1);
  expect(compare(mixed(low, all), mixed(high, all)).verdict).toBe("closer");
  expect(
    compare(
      mixed(
        low,
        low.map(() => 0),
      ),
      mixed(high, all),
    ).verdict,
  ).toBe("better");
});

test("the outcome is the headline where overall is only similarity", () => {
  const acted = (outcome: number) =>
    before.map((chrf, index) => ({
      scenario: `s${index}`,
      scores: { chrf, overall: chrf },
      conversation: { outcome },
    }));
  const { verdict, sentence } = compare(acted(0), acted(1));
  expect(verdict).toBe("better");
  expect(sentence).toMatch(/^outcome is better/);
});
