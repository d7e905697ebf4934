import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../../src/base/random.ts";
import { correctMean } from "../../src/evaluation/judges/correct-judge.ts";
import { pairKappa } from "../../src/evaluation/statistics/agreement.ts";
import { tInterval } from "../../src/evaluation/statistics/intervals.ts";

interface Pair {
  readonly idx: number;
  readonly annotator1: number;
  readonly annotator2: number;
  readonly annotator3: number;
}

export interface PandalmFigures {
  /** Cohen's kappa of each two of the three people. */
  readonly kappas: readonly number[];
  /** Share of samples whose corrected interval contains the mean of all verdicts. */
  readonly coverage: number;
  /** Mean width of the corrected intervals, and of the t intervals of the labels alone. */
  readonly width: number;
  readonly alone: number;
}

/** Draws `labels` of PandaLM's pairs again and again, and corrects gpt-3.5-turbo's win rate by the people's majority on them. */
export function measurePandalm(
  folder: string,
  { samples, labels = 100 }: { samples: number; labels?: number },
): PandalmFigures {
  const read = <Value>(file: string): Value => JSON.parse(readFileSync(join(folder, file), "utf8")) as Value;
  const rated = read<Pair[]>("testset-v1.json");
  const said = new Map(
    read<{ idx: number; gpt_result: string }[]>("gpt-3.5-turbo-verdicts.json").map(({ idx, gpt_result }) => [
      idx,
      gpt_result,
    ]),
  );
  const ratings = rated.flatMap((pair) =>
    peopleOf(pair).map((verdict, rater) => ({
      unit: String(pair.idx),
      rater: String(rater),
      category: String(verdict),
      value: valueOf(verdict),
    })),
  );
  const kappa = (left: string, right: string): number => pairKappa(ratings, [left, right], { resamples: 0 }).value ?? 0;
  const pairs = rated.flatMap((pair) => {
    const judge = { "1": 1, "2": 0, Tie: 0.5 }[said.get(pair.idx) ?? ""];
    return judge === undefined ? [] : [{ cluster: String(pair.idx), judge, human: majorityOf(pair) }];
  });
  const truth = pairs.reduce((sum, { human }) => sum + human, 0) / pairs.length;
  const random = createRandom("pandalm");
  let [covered, width, alone] = [0, 0, 0];
  for (let sample = 0; sample < samples; sample++) {
    const order = pairs.map((_, index) => ({ index, at: random() })).toSorted((left, right) => left.at - right.at);
    const chosen = new Set(order.slice(0, labels).map(({ index }) => index));
    const { ci_lower, ci_upper } = correctMean(
      "win_rate",
      pairs.map(({ human, ...pair }, index) => (chosen.has(index) ? { ...pair, human } : pair)),
    );
    const [lower, upper] = [ci_lower ?? 0, ci_upper ?? 0];
    if (lower <= truth && truth <= upper) covered++;
    width += (upper - lower) / samples;
    const plain = tInterval([...chosen].map((index) => pairs[index]?.human ?? 0));
    alone += plain ? (plain.upper - plain.lower) / samples : 0;
  }
  return { kappas: [kappa("0", "1"), kappa("0", "2"), kappa("1", "2")], coverage: covered / samples, width, alone };
}

const peopleOf = ({ annotator1, annotator2, annotator3 }: Pair): readonly number[] => [
  annotator1,
  annotator2,
  annotator3,
];

/** 0 is a tie. */
const valueOf = (verdict: number): number => (verdict === 0 ? 0.5 : verdict === 1 ? 1 : 0);

function majorityOf(pair: Pair): number {
  const people = peopleOf(pair);
  return valueOf(people.find((verdict) => people.filter((other) => other === verdict).length > 1) ?? 0);
}

/** Prints the figures. True when they are as published, or as promised. */
export function validatePandalm(folder: string): boolean {
  const { kappas, coverage, width, alone } = measurePandalm(folder, { samples: 2_000 });
  const narrower = 1 - width / alone;
  console.log(`pandalm: kappas ${kappas.map((kappa) => kappa.toFixed(2)).join(", ")} (published: 0.85, 0.88, 0.86)`);
  console.log(
    `pandalm: 100 labels, corrected interval ${(100 * narrower).toFixed(1)} % narrower, coverage ${(100 * coverage).toFixed(1)} %`,
  );
  return kappas.map((kappa) => kappa.toFixed(2)).join() === "0.85,0.88,0.86" && narrower >= 0.1 && coverage >= 0.94;
}
