import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createRandom } from "../../src/base/random.ts";
import { correctMean } from "../../src/evaluation/judges/correct-judge.ts";
import { measurePandalm } from "../../scripts/validate/pandalm.ts";
import type { JudgedReply } from "../../src/evaluation/statistics/prediction-powered.ts";
import { patienceMs, sizes } from "../support/sizes.ts";

const { correctedRuns: runs, correctedGrid: full } = sizes;
/** Three standard errors of a share near 0.95, for simulations that are smaller than at full size. */
const slack = full ? 0 : 3 * Math.sqrt((0.95 * 0.05) / runs);

/** A refused correction claims nothing. Random labels are refused in at most about 1 of 100 runs, see below. */
const covers = ({ ci_lower, ci_upper }: { ci_lower: number | null; ci_upper: number | null }, truth: number): boolean =>
  ci_lower === null || ci_upper === null || (ci_lower <= truth && truth <= ci_upper);

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
        return { cluster: String(scenario), weight: 1, human, judge: random() < 0.8 ? human : 1 - human };
      });
    }).flat();
    if (covers(correctMean("judge", labelSome(replies, 120, random)), 0.6 * 0.9 + 0.4 * 0.1)) covered++;
  }
  expect(covered / runs).toBeGreaterThanOrEqual(0.93 - slack);
});

/** Replies of which `labels` were chosen at random. */
function labelSome(
  replies: readonly (JudgedReply & { readonly human: number })[],
  labels: number,
  random: () => number,
): JudgedReply[] {
  const order = replies.map((_, index) => ({ index, at: random() })).toSorted((left, right) => left.at - right.at);
  const chosen = new Set(order.slice(0, labels).map(({ index }) => index));
  return replies.map(({ human, ...reply }, index) => (chosen.has(index) ? { ...reply, human } : reply));
}

const judgesOfOtherKinds: Readonly<Record<string, (random: () => number) => { human: number; judge: number }>> = {
  "praises nearly everything": (random) => {
    const human = random() < 0.4 ? 1 : 0;
    return { human, judge: human === 1 || random() < 0.9 ? 1 : 0 };
  },
  "knows nothing": (random) => ({ human: random() < 0.4 ? 1 : 0, judge: random() < 0.5 ? 1 : 0 }),
  "says the opposite": (random) => {
    const human = random() < 0.4 ? 1 : 0;
    return { human, judge: random() < 0.9 ? 1 - human : human };
  },
  "sees many ties": (random) => {
    const human = [0.5, 0.5, 0.5, 0, 0.5, 0, 1, 0, 1, 0][Math.floor(10 * random())]!;
    return { human, judge: random() < 0.7 ? human : 0.5 };
  },
};

test.each(Object.entries(judgesOfOtherKinds))(
  "a judge that %s is corrected as well",
  { timeout: patienceMs },
  (name, judgeOne) => {
    for (const labels of labelCounts) {
      const random = createRandom(`${name} ${labels}`);
      let covered = 0;
      for (let run = 0; run < runs; run++) {
        const replies = Array.from({ length: 400 }, (_, index) => ({
          cluster: `${index}`,
          weight: 1,
          ...judgeOne(random),
        }));
        if (covers(correctMean("judge", labelSome(replies, labels, random)), 0.4)) covered++;
      }
      expect(covered / runs, `${labels} labels`).toBeGreaterThanOrEqual(0.93 - slack);
    }
  },
);

test("scenarios of very unequal size count the same, also if the long ones are worse", { timeout: patienceMs }, () => {
  for (const labels of [50, 100, 200]) {
    const random = createRandom(`unequal ${labels}`);
    let covered = 0;
    for (let run = 0; run < runs; run++) {
      const replies = Array.from({ length: 60 }, (_, scenario) => {
        const size = random() < 0.8 ? 1 : 20;
        return Array.from({ length: size }, () => {
          const human = random() < (size === 1 ? 0.8 : 0.2) ? 1 : 0;
          return { cluster: `${scenario}`, weight: 1 / size, human, judge: random() < 0.8 ? human : 1 - human };
        });
      }).flat();
      if (covers(correctMean("judge", labelSome(replies, labels, random)), 0.8 * 0.8 + 0.2 * 0.2)) covered++;
    }
    expect(covered / runs, `${labels} labels`).toBeGreaterThanOrEqual(0.93 - slack);
  }
});

/** Judges as in practice: lenient, good, and hardly better than chance. */
const judges = { lenient: [0.94, 0.67], good: [0.9, 0.85], poor: [0.7, 0.5] } as const;
const isBad = ({ human }: { human: number }): boolean => human === 0;

/** How labels come to be. Each gives a reply a place in line; the first ones are labelled. */
const drawings: Readonly<Record<string, (reply: { human: number; judge: number }, random: () => number) => number>> = {
  random: (_, random) => random(),
  "the judge's failures first": ({ judge }, random) => judge + random(),
  "four of five are failures of the judge": ({ judge }, random) => random() / (judge === 0 ? 6 : 1),
};

test.each(Object.entries(judges))("labels that are no random part are refused: a %s judge", (name, [sens, spec]) => {
  const replies = (random: () => number) =>
    Array.from({ length: 600 }, (_, index) => {
      const human = random() < 0.65 ? 1 : 0;
      const judge = random() < (human === 1 ? sens : 1 - spec) ? 1 : 0;
      return { cluster: String(index), human, judge };
    });
  for (const [drawing, placeOf] of Object.entries(drawings)) {
    for (const labels of [40, 100]) {
      const random = createRandom(`${name} ${drawing} ${labels}`);
      let [covered, refused] = [0, 0];
      for (let run = 0; run < runs; run++) {
        const all = replies(random).map((reply) => ({ reply, at: placeOf(reply, random) }));
        const line = all.toSorted((left, right) => left.at - right.at).map(({ reply }) => reply);
        const truth = line.reduce((sum, { human }) => sum + human, 0) / line.length;
        const found = correctMean(
          "judge",
          line.map(({ human, ...reply }, index) => (index < labels ? { ...reply, human } : reply)),
        );
        if (covers(found, truth)) covered++;
        if (found.mean === null) refused++;
      }
      expect(covered / runs, `${drawing}, ${labels} labels`).toBeGreaterThanOrEqual(0.93 - slack);
      const most = drawing === "random" ? 0.02 + slack : 1;
      expect(refused / runs, `${drawing}, refused`).toBeLessThanOrEqual(most);
    }
  }
});

test("a third of the bad replies is skipped: the interval allows for anything people would have said", () => {
  for (const [name, [sens, spec]] of Object.entries(judges)) {
    const random = createRandom(`skips ${name}`);
    let covered = 0;
    for (let run = 0; run < runs; run++) {
      const replies = Array.from({ length: 400 }, (_, index) => {
        const human = random() < 0.65 ? 1 : 0;
        const judge = random() < (human === 1 ? sens : 1 - spec) ? 1 : 0;
        const place = { cluster: String(index), judge };
        if (index >= 100) return place;
        return isBad({ human }) && random() < 1 / 3 ? { ...place, skipped: true } : { ...place, human };
      });
      if (covers(correctMean("judge", replies), 0.65)) covered++;
    }
    expect(covered / runs, `a ${name} judge`).toBeGreaterThanOrEqual(0.93 - slack);
  }
});

const folder = resolve(process.env["SHARED_DATA"] ?? join(import.meta.dirname, "../../../shared/data"), "pandalm");

test.runIf(existsSync(folder))(
  "PandaLM: the published kappas, and a narrower interval with its coverage",
  { timeout: patienceMs },
  () => {
    const { kappas, width, alone, coverage } = measurePandalm(folder, { samples: 2 * runs });
    expect(kappas.map((kappa) => kappa.toFixed(2))).toEqual(["0.85", "0.88", "0.86"]);
    expect(width / alone).toBeLessThan(0.9);
    expect(coverage).toBeGreaterThanOrEqual(0.94 - slack);
  },
);
