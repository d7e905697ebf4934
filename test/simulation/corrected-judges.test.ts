import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createRandom } from "../../src/base/hash.ts";
import { correctMean } from "../../src/evaluation/judges/correct-judge.ts";
import { pairKappa, type Rating } from "../../src/evaluation/statistics/agreement.ts";
import { tInterval } from "../../src/evaluation/statistics/intervals.ts";
import type { JudgedReply } from "../../src/evaluation/statistics/prediction-powered.ts";
import { patienceMs, sizes } from "../support/sizes.ts";

const { correctedRuns: runs, correctedGrid: full } = sizes;
/** Three standard errors of a share near 0.95 that this many runs show. */
const slack = 3 * Math.sqrt((0.95 * 0.05) / runs);

const covers = ({ ci_lower, ci_upper }: { ci_lower: number | null; ci_upper: number | null }, truth: number): boolean =>
  ci_lower !== null && ci_upper !== null && ci_lower <= truth && truth <= ci_upper;

/** A judge that is right with probability `quality`, about replies of which `base` are good. */
function simulateRun(
  random: () => number,
  { quality, base, labels, replies = 400 }: { quality: number; base: number; labels: number; replies?: number },
): JudgedReply[] {
  return Array.from({ length: replies }, (_, index) => {
    const human = random() < base ? 1 : 0;
    const judge = random() < quality ? human : 1 - human;
    return { cluster: String(index), judge, ...(index < labels && { human }) };
  });
}

const qualities = full ? [0.6, 0.7, 0.8, 0.9, 0.95] : [0.6, 0.95];
const bases = full ? [0.1, 0.3, 0.5, 0.7, 0.9] : [0.1, 0.5];
const labelCounts = full ? [20, 35, 50, 75, 100, 200] : [20, 100];

test.each(labelCounts)(
  "with %i labels the interval covers the truth in at least 93 in 100 runs",
  { timeout: patienceMs },
  (labels) => {
    for (const quality of qualities) {
      for (const base of bases) {
        const random = createRandom(`${labels} ${quality} ${base}`);
        let covered = 0;
        for (let run = 0; run < runs; run++)
          if (covers(correctMean("judge", simulateRun(random, { quality, base, labels })), base)) covered++;
        expect(covered / runs, `quality ${quality}, base rate ${base}`).toBeGreaterThanOrEqual(0.93 - slack);
      }
    }
  },
);

test("scenarios with several replies that resemble each other are covered as well", { timeout: patienceMs }, () => {
  const random = createRandom("clusters");
  let covered = 0;
  for (let run = 0; run < runs; run++) {
    const replies = Array.from({ length: 60 }, (_, scenario) => {
      const rate = random() < 0.6 ? 0.9 : 0.1;
      return Array.from({ length: 5 }, () => {
        const human = random() < rate ? 1 : 0;
        return { cluster: String(scenario), human, judge: random() < 0.8 ? human : 1 - human };
      });
    }).flat();
    const order = replies.map((_, index) => ({ index, at: random() })).toSorted((left, right) => left.at - right.at);
    const labelled = new Set(order.slice(0, 120).map(({ index }) => index));
    const seen = replies.map(({ human, ...reply }, index) => (labelled.has(index) ? { ...reply, human } : reply));
    if (covers(correctMean("judge", seen), 0.6 * 0.9 + 0.4 * 0.1)) covered++;
  }
  expect(covered / runs).toBeGreaterThanOrEqual(0.93 - slack);
});

const folder = resolve(process.env["SHARED_DATA"] ?? join(import.meta.dirname, "../../../shared/data"), "pandalm");
const pandalm = existsSync(folder) ? test : test.skip;

interface Pair {
  readonly idx: number;
  readonly annotator1: number;
  readonly annotator2: number;
  readonly annotator3: number;
}

const readJson = <Value>(file: string): Value => JSON.parse(readFileSync(join(folder, file), "utf8")) as Value;
const peopleOf = ({ annotator1, annotator2, annotator3 }: Pair) => [annotator1, annotator2, annotator3] as const;
const valueOf = (verdict: number): number => (verdict === 0 ? 0.5 : verdict === 1 ? 1 : 0);

pandalm("PandaLM's people agree as published", () => {
  const ratings = readJson<Pair[]>("testset-v1.json").flatMap((pair) =>
    peopleOf(pair).map((verdict, rater): Rating => ({
      unit: String(pair.idx),
      rater: String(rater),
      category: String(verdict),
      value: valueOf(verdict),
    })),
  );
  const kappa = (left: string, right: string) => pairKappa(ratings, [left, right], { resamples: 0 }).value!.toFixed(2);
  expect([kappa("0", "1"), kappa("0", "2"), kappa("1", "2")]).toEqual(["0.85", "0.88", "0.86"]);
});

pandalm(
  "100 labels on PandaLM: narrower than the labels alone, with the coverage it promises",
  { timeout: patienceMs },
  () => {
    const verdicts = new Map(
      readJson<{ idx: number; gpt_result: string }[]>("gpt-3.5-turbo-verdicts.json").map(({ idx, gpt_result }) => [
        idx,
        gpt_result,
      ]),
    );
    const pairs = readJson<Pair[]>("testset-v1.json").flatMap((pair) => {
      const said = verdicts.get(pair.idx) ?? "";
      const judge = { "1": 1, "2": 0, Tie: 0.5 }[said];
      const people = peopleOf(pair);
      const majority = people.find((verdict) => people.filter((other) => other === verdict).length > 1) ?? 0;
      return judge === undefined ? [] : [{ cluster: String(pair.idx), judge, human: valueOf(majority) }];
    });
    const truth = pairs.reduce((sum, { human }) => sum + human, 0) / pairs.length;
    const random = createRandom("pandalm");
    const samples = 2 * runs;
    let [covered, width, alone] = [0, 0, 0];
    for (let sample = 0; sample < samples; sample++) {
      const order = pairs.map((_, index) => ({ index, at: random() })).toSorted((left, right) => left.at - right.at);
      const labelled = new Set(order.slice(0, 100).map(({ index }) => index));
      const seen = pairs.map(({ human, ...pair }, index) => (labelled.has(index) ? { ...pair, human } : pair));
      const corrected = correctMean("judge", seen);
      if (covers(corrected, truth)) covered++;
      width += corrected.ci_upper! - corrected.ci_lower!;
      const plain = tInterval(pairs.filter((_, index) => labelled.has(index)).map(({ human }) => human))!;
      alone += plain.upper - plain.lower;
    }
    expect(width / alone).toBeLessThan(0.9);
    expect(covered / samples).toBeGreaterThanOrEqual(0.94 - slack);
  },
);
