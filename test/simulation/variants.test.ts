import { expect, test } from "vitest";
import { createRandom } from "../../src/base/random.ts";
import { decideSequence, type SequenceUnit } from "../../src/evaluation/statistics/sequence.ts";
import { patienceMs, sizes } from "../support/sizes.ts";

const scenarios = 100;
const simulated = Math.ceil(sizes.suites / 2);
const random = createRandom(58_001);
const within = (value: number): number => Math.min(1, Math.max(0, value));

/** One scenario's score of each variant. All share its difficulty, and differ by their chances. */
const shapes: Readonly<Record<string, (chances: readonly number[]) => number[]>> = {
  "0/1": (chances) => {
    const ease = 0.4 * random() - 0.2;
    return chances.map((chance) => (random() < within(chance + ease) ? 1 : 0));
  },
  "scores that rarely fail": (chances) => {
    const ease = 0.4 * random() - 0.2;
    return chances.map((chance) => within(chance + ease + 0.2 * random() - 0.1 - (random() < 0.03 ? 0.5 : 0)));
  },
};

interface Pair {
  readonly left: number;
  readonly right: number;
  readonly at: number;
  readonly verdict: string | null;
}

/** The verdict of every pair and when it is reached, each with its part of the 5 %. */
function comparePairs(rows: readonly (readonly number[])[], count: number, fractional: boolean): Pair[] {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return indexes.flatMap((left) =>
    indexes.slice(left + 1).map((right) => {
      const units = rows.map((row): SequenceUnit => ({ difference: row[right]! - row[left]!, fractional }));
      const { verdict, scenarios: at } = decideSequence(units, {
        planned: scenarios,
        comparisons: (count * (count - 1)) / 2,
      });
      return { left, right, at, verdict };
    }),
  );
}

/** The scenarios that each variant runs, when losers are dropped. */
function dropLosers(pairs: readonly Pair[], count: number): { calls: number; left: ReadonlySet<number> } {
  const left = new Set(Array.from({ length: count }, (_, index) => index));
  let calls = 0;
  for (const pair of pairs.toSorted((one, other) => one.at - other.at)) {
    if (pair.verdict === null || !left.has(pair.left) || !left.has(pair.right)) continue;
    left.delete(pair.verdict === "worse" ? pair.right : pair.left);
    calls += pair.at;
    if (left.size === 1) calls += pair.at;
  }
  return { calls: left.size === 1 ? calls : calls + left.size * scenarios, left };
}

test.each(Object.entries(shapes).flatMap(([name, draw]) => [2, 6].map((count) => [name, count, draw] as const)))(
  "%s: of %i equal variants hardly ever is one called worse",
  (name, count, draw) => {
    let wrong = 0;
    for (let suite = 0; suite < simulated; suite += 1) {
      const rows = Array.from({ length: scenarios }, () => draw(Array.from({ length: count }, () => 0.7)));
      if (comparePairs(rows, count, name !== "0/1").some(({ verdict }) => verdict !== null)) wrong += 1;
    }
    // Three standard errors above 5 %.
    expect(wrong / simulated).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / simulated));
  },
  patienceMs,
);

test(
  "with clear differences the best is left, at less than half of the calls of a fixed design",
  () => {
    const chances = [0.95, 0.55, 0.45];
    const [suites, right] = [Math.ceil(sizes.suites / 4), { best: 0, calls: 0 }];
    for (let suite = 0; suite < suites; suite += 1) {
      const rows = Array.from({ length: scenarios }, () => shapes["0/1"]!(chances));
      const { calls, left } = dropLosers(comparePairs(rows, chances.length, false), chances.length);
      if (left.size === 1 && left.has(0)) right.best += 1;
      right.calls += calls;
    }
    expect(right.best / suites).toBeGreaterThan(0.9);
    expect(right.calls / suites).toBeLessThan((scenarios * chances.length) / 2);
  },
  patienceMs,
);
