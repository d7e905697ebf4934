import { expect, test } from "vitest";
import { Interaction } from "../../contract/schemas/scenario.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { createRunFigures } from "../summary/summarize-run.ts";
import { rankingSentence, rankScore } from "./rank-score.ts";
import { createRunTally, type RunTally } from "./run-tally.ts";
import { shareScore } from "./shared-score.ts";

interface Turn {
  readonly scenario: string;
  readonly id?: string;
  readonly question?: string;
  readonly scores?: Scores;
  readonly conversation?: Scores;
}

function tallyOf(turns: readonly Turn[]): RunTally {
  const tally = createRunTally();
  for (const { scenario, id = "1", question = "q", scores = {}, conversation } of turns) {
    const turn = { id, user_message: question, interaction_type: "opening", reference_metadata: {} };
    const interaction = Interaction.parse(turn);
    const said = conversation && { scores: conversation };
    tally.add({ scenario_id: scenario, interaction, scores, scoring_version: "1", conversation: said });
  }
  return tally;
}

const suite = (values: readonly number[], name = "overall"): Turn[] =>
  values.map((value, index) => ({ scenario: `s${index}`, scores: { [name]: value } }));

function rank(runs: readonly (readonly Turn[])[], name = "overall") {
  const shared = shareScore(name);
  for (const turns of runs) shared.add(tallyOf(turns));
  const ranking = rankScore(name, shared);
  const titles = runs.map((_, index) => "abcdefgh".charAt(index));
  return { ...ranking, sentence: rankingSentence(name, ranking, { titles }) };
}

const low = [0.3, 0.4, 0.5, 0.6, 0.2, 0.4];
/** Enough scenarios for the lead to outweigh rare failures. */
const many = Array.from({ length: 6 }, () => low).flat();
const plus = (values: readonly number[], by: number): number[] =>
  values.map((value, index) => value + by + (index % 2 === 0 ? 0.01 : -0.01));

test("names the best run with its lead, and which runs beat each of the others", () => {
  const { runs, sentence, scenarios, interactions } = rank([
    suite(many),
    suite(plus(many, 0.3)),
    suite(plus(many, 0.1)),
  ]);
  expect(runs.map(({ run, place, worse_than }) => ({ run, place, worse_than }))).toEqual([
    { run: 1, place: "best", worse_than: [] },
    { run: 2, place: "behind", worse_than: [1] },
    { run: 0, place: "behind", worse_than: [1, 2] },
  ]);
  expect([scenarios, interactions]).toEqual([36, 36]);
  expect(runs.map(({ mean }) => mean.toFixed(3))).toEqual(["0.700", "0.500", "0.400"]);
  expect(sentence).toMatch(/^b ranks first on overall \(0\.700\), 0\.200 ahead of c \(/);
});

test("a lead over few scenarios leaves the others behind, but is not shown to be the best", () => {
  const { runs, sentence } = rank([suite(low), suite(plus(low, 0.1))]);
  expect(runs.map(({ place }) => place)).toEqual(["may_be_best", "behind"]);
  expect(sentence).toContain("No run is shown to have a better overall than b");
});

test("names indistinguishable runs together, and those that are worse", () => {
  const noisy = [0.62, 0.66, 0.78, 0.93, 0.44, 0.78];
  const { runs, sentence } = rank([suite(plus(low, 0.3)), suite(noisy), suite(low)]);
  expect(runs.map(({ place }) => place)).toEqual(["may_be_best", "may_be_best", "behind"]);
  expect(sentence).toMatch(/^No clear first on overall among b \(0\.\d+\) and a \(0\.\d+\); c is shown to be worse\./);
});

test("says when no difference is seen, and how many scenarios are needed", () => {
  const { runs, sentence, scenarios_needed } = rank([suite([0.2, 0.9, 0.4]), suite([0.8, 0.3, 0.5])]);
  expect(runs.map(({ place }) => place)).toEqual(["may_be_best", "may_be_best"]);
  expect(scenarios_needed).toBeGreaterThan(100);
  expect(sentence).toMatch(/^No difference in overall between the 2 runs can be seen in 3 scenarios\. About \d+ more/);
});

test("equal runs are the same, and one scenario decides nothing", () => {
  expect(rank([suite(low), suite(low), suite(low)]).sentence).toBe("overall is the same in all 3 runs.");
  expect(rank([suite([0.2]), suite([0.9])]).sentence).toBe(
    "One scenario cannot tell which of the 2 runs has the higher overall.",
  );
});

test("counts only turns that have the score in all runs", () => {
  const { scenarios, interactions, runs } = rank([
    [...suite([0.5, 0.6]), { scenario: "s0", id: "2", scores: { overall: 0.1 } }, { scenario: "only-here" }],
    [...suite([0.7, 0.9]), { scenario: "s0", id: "2", question: "another", scores: { overall: 1 } }],
    [...suite([0.4, 0.5]), { scenario: "s0", id: "2", scores: { success: 0 } }],
  ]);
  expect([scenarios, interactions]).toEqual([2, 2]);
  expect(runs.map(({ mean }) => mean.toFixed(2))).toEqual(["0.80", "0.55", "0.45"]);
  expect(rank([suite(low), suite(low, "success")]).scenarios).toBe(0);
});

test("conversation scores count only if the whole scenario is the same", () => {
  const asked = (question: string): Turn[] => [
    { scenario: "s0", id: "1", question },
    { scenario: "s0", id: "2", conversation: { polite: 1 } },
    { scenario: "s1", id: "1", conversation: { polite: 0.5 } },
  ];
  expect(rank([asked("q"), asked("q")], "polite").scenarios).toBe(2);
  expect(rank([asked("q"), asked("other")], "polite").scenarios).toBe(1);
});

test("proportions keep an interval when all are 1, other scores do not", () => {
  const [first] = rank([suite([1, 1, 1, 1], "success"), suite([1, 1, 1, 1], "success")], "success").runs;
  expect(first?.ci_lower).toBeCloseTo(0.51, 2);
  expect(rank([suite([1, 1, 1]), suite([1, 1, 1])]).runs[0]?.ci_lower).toBeNull();
});

test("half-right labels are not proportions, even if two attempts add up to 1", () => {
  const halves = suite([0.5, 0, 1, 0.5, 1, 0], "metadata.tags");
  const [once, twice] = [halves, [...halves, ...halves]].map((run) => rank([run, run], "metadata.tags").runs[0]);
  expect(twice).toEqual(once);
});

test("the interval of a proportion counts no more replies than were made", () => {
  const turns = (right: number, scenario: string): Turn[] =>
    Array.from({ length: 4 }, (_, index) => ({ scenario, id: `${index}`, scores: { success: index < right ? 1 : 0 } }));
  const suites = [3, 4].map((last) =>
    [3, 3, 3, 3, 3, 3, 3, 3, 3, last].flatMap((right, index) => turns(right, `s${index}`)),
  );
  const { runs } = rank(suites, "success");
  const [first] = runs;
  const figures = createRunFigures();
  for (const [scenario, entries] of Map.groupBy(suites[first?.run ?? 0] ?? [], (turn) => turn.scenario)) {
    const interactions = entries.map(({ scores = {} }, turn_index) => ({ ...unscored, scores, turn_index }));
    figures.add({ scenario, interactions });
  }
  const { score_stats } = figures.finish().summary;
  const { ci_lower, ci_upper, method } = score_stats["success"] ?? {};
  expect(method).toBe("wilson with t over 10 scenarios");
  expect(first).toMatchObject({ mean: 0.775, ci_lower, ci_upper });
});

const unscored = { reference_metadata: {}, generated_metadata: {}, error: null, usage: null };
