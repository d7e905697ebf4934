import { expect, test } from "vitest";
import { createRandom } from "../../src/base/random.ts";
import { planNotWorse, spreadOf, testNotWorse, type Gains } from "../../src/evaluation/statistics/not-worse.ts";
import { patienceMs, sizes } from "../support/sizes.ts";

const random = createRandom(40_001);
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const exponential = (): number => -Math.log(1 - random());

function meanOf(attempts: number, draw: () => number): number {
  let sum = 0;
  for (let attempt = 0; attempt < attempts; attempt++) sum += draw();
  return sum / attempts;
}

/** Share of `attempts` replies that are right. */
const share = (attempts: number, chance: number): number => meanOf(attempts, () => (random() < chance ? 1 : 0));

interface Generator {
  readonly binary?: boolean;
  /** The gain of one scenario; its mean is -loss. */
  readonly gain: (loss: number, attempts: number) => number;
}

const generators: Readonly<Record<string, Generator>> = {
  "normal-like": { gain: (loss, attempts) => -loss + 0.1 * normal() + meanOf(attempts, () => 0.1 * normal()) },
  "close together": { gain: (loss, attempts) => -loss + 0.02 * normal() + meanOf(attempts, () => 0.02 * normal()) },
  "0/1": {
    binary: true,
    gain(loss, attempts) {
      const chance = 0.4 + 0.5 * random();
      return share(attempts, chance - loss) - share(attempts, chance);
    },
  },
  "0/1, mostly right": { binary: true, gain: (loss, attempts) => share(attempts, 0.95 - loss) - share(attempts, 0.95) },
  "0/1, only losses": { binary: true, gain: (loss) => (random() < loss ? -1 : 0) },
  "skewed to the left": {
    gain: (loss, attempts) => -loss + 0.1 * (1 - exponential()) + meanOf(attempts, () => 0.01 * normal()),
  },
  "skewed to the left in every attempt": {
    gain: (loss, attempts) => -loss + meanOf(attempts, () => 0.1 * (1 - exponential())),
  },
  "lognormal to the left": {
    gain: (loss, attempts) =>
      -loss + (0.1 * (Math.exp(0.5) - Math.exp(normal()))) / 2.1612 + meanOf(attempts, () => 0.01 * normal()),
  },
  "mostly equal with rare drops": { gain: (loss) => (random() < 2 * loss ? -0.5 : 0) },
  "mostly equal with rare complete drops": { gain: (loss) => (random() < loss ? -1 : 0) },
  "mostly equal, single attempts drop": { gain: (loss, attempts) => -share(attempts, 1.25 * loss) * 0.8 },
  "nearly equal with rare complete drops": {
    gain: (loss, attempts) => (random() < loss ? -1 : meanOf(attempts, () => 0.25 * loss * normal())),
  },
  "nearly equal with rare drops": { gain: (loss) => (random() < 2 * loss ? -0.5 : 0.5 * loss * normal()) },
  "a little different with rare drops": { gain: (loss) => (random() < 2 * loss ? -0.5 : 0.02 * normal()) },
};

const draw = (
  { gain, binary = false }: Generator,
  size: number,
  { loss, attempts }: { loss: number; attempts: number },
) => ({ values: Array.from({ length: size }, () => gain(loss, attempts)), binary }) satisfies Gains;

function passes(gains: Gains, margin: number): boolean {
  // The bound is never above the mean.
  const sum = gains.values.reduce((left, right) => left + right, 0);
  return sum > -margin * gains.values.length && (testNotWorse(gains, margin, { bound: false }).p ?? 1) <= 0.05;
}

const suites = sizes.suites;
const scenarios = suites < 1_000 ? [5, 10, 30, 100] : [5, 8, 10, 20, 30, 50, 100];
// Chance alone: three standard errors of a rate of 5 %, and 1 % at full size.
const limit = suites >= 4_000 ? 0.06 : 0.05 + 3 * Math.sqrt((0.05 * 0.95) / suites);

test.each(Object.keys(generators))(
  "passes falsely at the margin in no more suites than chance allows: %s",
  { timeout: patienceMs },
  (name) => {
    const generator = generators[name] as Generator;
    let most = 0;
    for (const margin of [0.02, 0.1])
      for (const attempts of [1, 5])
        for (const size of scenarios) {
          let passed = 0;
          for (let suite = 0; suite < suites; suite++)
            if (passes(draw(generator, size, { loss: margin, attempts }), margin)) passed++;
          most = Math.max(most, passed / suites);
          expect(passed / suites, `margin ${margin}, ${size} scenarios, ${attempts} attempts`).toBeLessThanOrEqual(
            limit,
          );
        }
    // Figures for the documentation.
    if (process.env["SIMULATION_REPORT"]) process.stdout.write(`${name}: at most ${most.toFixed(4)}\n`);
  },
);

test.each<[string, keyof typeof generators, number, number]>([
  ["normal-like", "normal-like", 0.1, 30],
  ["close together", "close together", 0.02, 20],
  ["0/1", "0/1, mostly right", 0.1, 40],
  ["skewed", "skewed to the left", 0.05, 100],
])(
  "the planned number of scenarios shows it in four of five suites: %s",
  { timeout: patienceMs },
  (_title, name, margin, size) => {
    const generator = generators[name] as Generator;
    const pilots = Array.from({ length: 9 }, () => {
      const gains = draw(generator, size, { loss: 0, attempts: 1 });
      return planNotWorse(spreadOf(gains, { attempts: 1, attemptVariance: null }), margin).scenarios ?? 0;
    });
    const planned = pilots.toSorted((left, right) => left - right)[4] ?? 0;
    let passed = 0;
    for (let suite = 0; suite < suites; suite++)
      if (passes(draw(generator, planned, { loss: 0, attempts: 1 }), margin)) passed++;
    // With 100 suites, chance alone is 0.04 either way.
    expect(passed / suites, `${planned} scenarios`).toBeGreaterThan(suites >= 1_000 ? 0.7 : 0.6);
    expect(passed / suites, `${planned} scenarios`).toBeLessThan(0.97);
  },
);
