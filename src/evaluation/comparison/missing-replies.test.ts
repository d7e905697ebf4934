import { expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { Interaction } from "../../contract/schemas/scenario.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { compareWithMargins, keptByAttempt } from "./not-worse.ts";
import { createFailedReplies, createRunTally, type RunTally } from "./run-tally.ts";
import { compareSequence } from "./sequence.ts";

/** The attempts of each scenario, each a list of turns. A missing reply is null, a turn without scores `{}`. */
type Run = readonly (readonly (readonly (Scores | null)[])[])[];

const question = (turn: number): Interaction =>
  Interaction.parse({ id: `${turn}`, user_message: "q", interaction_type: "opening" });

function tallies({ baseline, candidate }: { baseline: Run; candidate: Run }, margins: Record<string, number>) {
  const [failed, unanswered] = [createFailedReplies(), createFailedReplies()];
  const each = (run: Run, add: (place: ReturnType<typeof placeOf>) => void) => {
    for (const [index, attempts] of run.entries())
      for (const [number, turns] of attempts.entries())
        for (const [turn, scores] of turns.entries()) add(placeOf(index, number, turn, scores));
  };
  each(baseline, (place) => failed.add(place));
  each(candidate, (place) => failed.add(place));
  each(baseline, (place) => unanswered.add(place));
  const [left, right] = [baseline, candidate].map((run) => {
    const tally = createRunTally({ failed, unanswered, byAttempt: keptByAttempt(margins) });
    each(run, (place) => tally.add({ ...place, scoring_version: "1" }));
    return tally;
  });
  return { baseline: left as RunTally, candidate: right as RunTally };
}

const placeOf = (index: number, number: number, turn: number, scores: Scores | null) => ({
  scenario_id: `s${index}`,
  interaction_id: `${turn}`,
  attempt: number + 1,
  interaction: question(turn),
  scores: scores === null ? { success: 0 } : Object.keys(scores).length > 0 ? { success: 1, ...scores } : scores,
});

const fixed = (runs: { baseline: Run; candidate: Run }, margins: Record<string, number> = { overall: 0.05 }) =>
  compareWithMargins({ ...tallies(runs, margins), margins, threshold: 0.8 });

function sequential(runs: { baseline: Run; candidate: Run }, score = "overall", margin: number | null = 0.05) {
  const { baseline, candidate } = tallies(runs, { [score]: 0.05 });
  const order = [...candidate.scenarios.keys()];
  return compareSequence({
    candidate,
    against: baseline,
    score,
    passThreshold: 0.8,
    order,
    complete: order.length,
    margin,
    trace: false,
  });
}

const many = (count: number, overall: (index: number) => number | null): Run =>
  Array.from({ length: count }, (_, index) => {
    const value = overall(index);
    return [[value === null ? null : { overall: value }]];
  });
/** Nearly the same score everywhere. */
const wave = (index: number, phase = 0): number => 0.9 + 0.03 * Math.sin(12.9898 * (index + 1) + phase);

test("a reply that the candidate is missing counts as 0, and the sentence says so", () => {
  const baseline = many(70, (index) => wave(index));
  const kept = { baseline, candidate: many(70, (index) => wave(index, 1)) };
  expect(fixed(kept)).toMatchObject({ verdict: "not_worse" });
  const lost = { baseline, candidate: many(70, (index) => (index % 12 === 5 ? null : wave(index, 1))) };
  const { verdict, sentence, measures } = fixed(lost);
  expect(verdict).not.toBe("not_worse");
  expect(sentence).toContain(" 6 missing replies of the candidate count as 0.");
  expect(measures[0]).toMatchObject({ missing_as_zero: 6, scenarios: 70, effect: expect.closeTo(-0.077, 2) });
  const once = sequential(lost);
  expect(once.verdict).not.toBe("not_worse");
  expect(once).toMatchObject({ left_out: 0, missing: { candidate: 6 } });
});

test("a baseline without replies lets no candidate pass", () => {
  // Equal only if the baseline's missing replies counted as 0.
  const worse = {
    baseline: many(120, (i) => (i % 10 === 3 ? null : wave(i))),
    candidate: many(120, (i) => wave(i) - 0.1),
  };
  const { verdict, measures, sentence } = fixed(worse, { overall: 0.05 });
  expect(verdict).not.toBe("not_worse");
  expect(measures[0]).toMatchObject({ scenarios: 108, missing_in_baseline: 12, effect: expect.closeTo(-0.1, 9) });
  expect(sentence).toContain("Left out: 12 replies that the baseline is missing.");
  expect(["worse", null]).toContain(sequential(worse).verdict);
  // Both fail alike: neither not worse nor worse.
  const random = createRandom(7);
  const alike = () => many(150, (index) => (random() < 0.08 ? null : wave(index)));
  const even = { baseline: alike(), candidate: alike() };
  expect(fixed(even).verdict).toBe("undecided");
  expect(sequential(even).verdict).toBeNull();
});

test("a turn of a conversation counts for itself, and a verdict on the conversation is lost with it", () => {
  const whole: Run = Array.from({ length: 60 }, () => [[{ overall: 0.9 }, { overall: 0.7 }]]);
  const second: Run = whole.map((attempts, index) => (index < 6 ? [[{ overall: 0.9 }, null]] : attempts));
  const { measures } = fixed({ baseline: whole, candidate: second });
  expect(measures[0]).toMatchObject({ missing_as_zero: 6, effect: expect.closeTo((-0.35 * 6) / 60, 9) });
});

test("one of two attempts that is missing halves the scenario", () => {
  const twice: Run = Array.from({ length: 40 }, () => [[{ overall: 0.8 }], [{ overall: 0.6 }]]);
  const once: Run = twice.map((attempts, index) => (index === 0 ? [[{ overall: 0.8 }], [null]] : attempts));
  expect(fixed({ baseline: twice, candidate: once }).measures[0]?.effect).toBeCloseTo(-0.3 / 40, 9);
  // The attempt that the baseline is missing is left out on both sides.
  expect(fixed({ baseline: once, candidate: twice }).measures[0]).toMatchObject({ effect: 0, scenarios: 40 });
});

test("attempts that the simulated user spoiled are not missing, and what has no score is left out", () => {
  const baseline = many(60, (index) => wave(index));
  const spoiled: Run = baseline.map((attempts, index) => (index < 6 ? [[{}]] : attempts));
  const { measures, sentence } = fixed({ baseline, candidate: spoiled });
  expect(measures[0]).toMatchObject({ scenarios: 54, effect: 0, scenarios_left_out: 6 });
  expect(measures[0]).not.toHaveProperty("missing_as_zero");
  expect(sentence).toContain("Left out: 6 scenarios without the score on both sides.");
});

test("pass rates leave out the baseline's attempts without a reply", () => {
  const right = many(80, () => 0.9);
  const broken = many(80, (index) => (index % 8 === 0 ? null : 0.9));
  expect(fixed({ baseline: right, candidate: broken }, { pass_rate: 0.1 }).measures[0]).toMatchObject({
    effect: expect.closeTo(-0.125, 9),
    missing_as_zero: 10,
  });
  expect(fixed({ baseline: broken, candidate: right }, { pass_rate: 0.1 }).measures[0]).toMatchObject({
    effect: 0,
    scenarios: 70,
    missing_in_baseline: 10,
  });
});

test("against a threshold, a missing reply counts as 0 from the first scenario on", () => {
  const run = many(100, (index) => (index % 2 === 0 ? null : 0.95));
  const { candidate } = tallies({ baseline: [], candidate: run }, { overall: 0.05 });
  const order = [...candidate.scenarios.keys()];
  const sides = { candidate, against: 0.8, score: "overall", passThreshold: 0.8, order, complete: 100, margin: null };
  expect(compareSequence(sides)).toMatchObject({ verdict: "worse" });
  expect(compareSequence({ ...sides, score: "success" }).verdict).not.toBe("better");
});

/** Replies are missing at random, or where prompts are hard. Counted as 0, just the margin is lost. */
test.each(["at random", "on hard prompts"])(
  "replies that are missing %s never pass in more than chance allows",
  (kind) => {
    const random = createRandom(kind.length);
    const [margin, suites] = [0.05, 30];
    for (const size of [40, 120]) {
      const passed = { fixed: 0, sequential: 0 };
      for (let suite = 0; suite < suites; suite++) {
        const hard = Array.from({ length: size }, () => random());
        // On hard prompts the scores are low, so that more of them are missing for the same loss.
        const score = (index: number) => 0.95 - (0.5 * (hard[index] ?? 0) + 0.05 * random());
        const isMissing = (index: number): boolean =>
          kind === "at random" ? random() < margin / 0.675 : (hard[index] ?? 0) > 0.9 && random() < margin / 0.045;
        const runs = { baseline: many(size, score), candidate: many(size, (i) => (isMissing(i) ? null : score(i))) };
        if (fixed(runs).verdict === "not_worse") passed.fixed++;
        if (["not_worse", "better"].includes(sequential(runs).verdict ?? "")) passed.sequential++;
      }
      expect(passed.fixed / suites, `${size} scenarios`).toBeLessThanOrEqual(0.17);
      expect(passed.sequential / suites, `${size} scenarios`).toBeLessThanOrEqual(0.17);
    }
  },
);
