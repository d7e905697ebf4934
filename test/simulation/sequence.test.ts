import { expect, test } from "vitest";
import { createRandom } from "../../src/base/random.ts";
import { decideSequence, followSequence, type SequenceUnit } from "../../src/evaluation/statistics/sequence.ts";
import { patienceMs, sizes } from "../support/sizes.ts";

const random = createRandom(40_002);
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const exponential = (): number => -Math.log(1 - random());
const within = (value: number): number => Math.min(1, Math.max(0, value));
const coin = (chance: number): number => (random() < chance ? 1 : 0);

/** A score of either side in the same scenario, without and with an effect. */
interface Generator {
  readonly binary?: boolean;
  readonly difference: (effect: number) => number;
}

/** Two runs of the same model: the difference of two draws. */
const generators: Readonly<Record<string, Generator>> = {
  "0/1": {
    binary: true,
    difference: (effect) => coin(0.5 + effect / 2) - coin(0.5 - effect / 2),
  },
  "0/1, easy and hard scenarios": {
    binary: true,
    difference(effect) {
      const chance = coin(0.5) ? 0.35 : 0.65;
      return coin(chance + effect / 2) - coin(chance - effect / 2);
    },
  },
  "0/1, mostly equal": {
    binary: true,
    difference(effect) {
      const drawn = random();
      return drawn < 0.05 + effect / 2 ? 1 : drawn < 0.1 ? -1 : 0;
    },
  },
  "normal-like": { difference: (effect) => effect + 0.15 * normal() },
  "skewed scores": {
    difference: (effect) => effect + random() ** 0.3 - random() ** 0.3,
  },
  "scores heaped at 1": {
    difference: (effect) =>
      effect + within(1 - 0.1 * exponential()) - within(1 - 0.1 * exponential()) + 0.05 * normal() * coin(0.3),
  },
  "mostly equal": {
    difference: (effect) => (random() < 0.3 ? effect / 0.3 + 0.3 * normal() : 0),
  },
};

/** Two runs of a model that rarely fails: nearly equal scores, and a few at 0. */
const rarelyFailing: Readonly<Record<string, Generator>> = Object.fromEntries(
  [0.02, 0.05, 0.1].map((share) => {
    const score = (): number => (coin(share) === 1 ? 0 : within(0.9 + 0.02 * normal()));
    return [`nearly equal, ${share * 100} % fail`, { difference: (effect) => effect + score() - score() }];
  }),
);

/** Not from two runs of the same model, but with the mean 0: the differences themselves are skewed. */
const skewed: Readonly<Record<string, Generator>> = {
  "differences skewed to the left": { difference: (effect) => effect + 0.1 * (1 - exponential()) },
  "differences skewed to the right": { difference: (effect) => effect - 0.1 * (1 - exponential()) },
  "rare partial drops": { difference: () => 0.05 - 0.5 * coin(0.1) },
  "rare drops": { binary: true, difference: () => 0.05 - coin(0.05) },
};

const suites = sizes.suites;

function deviationOf({ difference }: Generator, effect = 0): number {
  const drawn = Array.from({ length: 10_000 }, () => difference(effect));
  const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
  return Math.sqrt(drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / drawn.length);
}

/** The effect that a paired t test over `fixed` scenarios shows in four of five cases; it may change the spread. */
function detectableEffect(generator: Generator, fixed: number): number {
  let effect = 0;
  for (let step = 0; step < 8; step++)
    effect = ((2.802 * deviationOf(generator, effect)) / Math.sqrt(fixed)) * (1 + 1 / fixed);
  return effect;
}

/** A true rate of just this size is above the limit, three standard errors higher, in one of 700 simulations. */
const chance = (rate: number): number => rate + 3 * Math.sqrt((rate * (1 - rate)) / suites);

function draw({ difference, binary = false }: Generator, size: number, effect: number): SequenceUnit[] {
  return Array.from({ length: size }, () => ({ difference: difference(effect), fractional: !binary }));
}

const horizons = suites < 1_000 ? [100] : [30, 100, 400, 1_000];

test.each(Object.entries({ ...generators, ...rarelyFailing, ...skewed }))(
  "calls equal models different, at any time, in at most 5 % of sequences: %s",
  { timeout: patienceMs },
  (name, generator) => {
    for (const planned of horizons) {
      let wrong = 0;
      for (let suite = 0; suite < suites; suite++)
        if (decideSequence(draw(generator, planned, 0), { planned }).verdict !== null) wrong++;
      report(`A/A, ${name}, ${planned} scenarios`, wrong / suites);
      expect(wrong / suites, `${planned} scenarios`).toBeLessThanOrEqual(chance(0.05));
    }
  },
);

test.each(Object.entries({ ...generators, ...rarelyFailing, ...skewed }))(
  "the interval at the stopping time contains the truth in at least 95 % of sequences: %s",
  { timeout: patienceMs },
  (name, generator) => {
    for (const planned of horizons.slice(0, 3)) {
      // An effect that is often, but not always, seen.
      const effect = name.startsWith("rare") ? 0 : (3 * deviationOf(generator)) / Math.sqrt(planned);
      let covered = 0;
      for (let suite = 0; suite < suites; suite++) {
        const { lower, upper } = followSequence(draw(generator, planned, effect), { planned, trace: false });
        if (lower <= effect + 1e-9 && effect <= upper + 1e-9) covered++;
      }
      report(`coverage, ${name}, ${planned} scenarios`, covered / suites);
      expect(1 - covered / suites, `${planned} scenarios`).toBeLessThanOrEqual(chance(0.05));
    }
  },
);

/** Losses of exactly the margin on average. */
const losing: Readonly<Record<string, Generator>> = {
  "normal-like": { difference: (margin) => -margin + 0.1 * normal() },
  "0/1, only losses": { binary: true, difference: (margin) => -coin(margin) },
  "mostly equal with rare drops": { difference: (margin) => -0.5 * coin(2 * margin) },
  "skewed to the left": { difference: (margin) => -margin + 0.1 * (1 - exponential()) },
};

test.each(Object.entries(losing))(
  "accepts a loss of the margin, at any time, in at most 5 % of sequences: %s",
  { timeout: patienceMs },
  (name, generator) => {
    for (const margin of [0.02, 0.1]) {
      let wrong = 0;
      for (let suite = 0; suite < suites; suite++) {
        const { verdict } = decideSequence(draw(generator, 400, margin), { planned: 400, margin });
        if (verdict === "not_worse" || verdict === "better") wrong++;
      }
      report(`at the margin ${margin}, ${name}`, wrong / suites);
      expect(wrong / suites, `margin ${margin}`).toBeLessThanOrEqual(chance(0.05));
    }
  },
);

test.each(Object.entries(generators).filter(([name]) => name !== "0/1, mostly equal"))(
  "takes fewer calls than a fixed design: %s",
  { timeout: patienceMs },
  (name, generator) => {
    // Long tails and rare differences force small bets, so that they need more scenarios.
    const least = { "scores heaped at 1": 300, "mostly equal": 100 }[name] ?? 50;
    for (const fixed of suites < 1_000 ? [least] : [30, 50, 100, 300]) {
      const detectable = detectableEffect(generator, fixed);
      const planned = Math.floor(1.8 * fixed);
      const [at1, at2] = [1, 2].map((factor) => {
        let [decided, scenarios] = [0, 0];
        for (let suite = 0; suite < suites; suite++) {
          const found = decideSequence(draw(generator, planned, factor * detectable), { planned });
          if (found.verdict === "better") decided++;
          scenarios += found.scenarios;
        }
        return { power: decided / suites, share: scenarios / suites / fixed };
      });
      report(`power, ${name}, fixed ${fixed}`, at1?.power ?? 0);
      report(`share of calls at twice the effect, ${name}, fixed ${fixed}`, at2?.share ?? 0);
      if (fixed < least) continue;
      const slack = 3 * Math.sqrt(0.16 / suites);
      expect.soft(at1?.power, `power with a cap of ${planned}`).toBeGreaterThanOrEqual(0.8 - slack);
      expect.soft(at2?.share, `scenarios at twice the effect of ${fixed}`).toBeLessThanOrEqual(0.6 + slack);
    }
  },
);

/** Figures for the documentation, with SIMULATION_REPORT=1. */
function report(title: string, value: number): void {
  if (process.env["SIMULATION_REPORT"]) process.stdout.write(`${title}: ${value.toFixed(4)}\n`);
}
