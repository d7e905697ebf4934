import type { Drift, DriftGap } from "../contract/score-stats.ts";
import type { Scores } from "../contract/score.ts";
import { MeanTally } from "./mean-tally.ts";
import type { ScoredInteraction } from "./scored-interaction.ts";
import { signed } from "./signed.ts";

/** Compares the two history modes, turn by turn. */
export interface DriftTally {
  /** One attempt, both ways. A turn counts for the scores it has in both: one that failed in one of them would shift its mean alone. */
  add(attempt: {
    readonly generated: readonly ScoredInteraction[];
    readonly reference: readonly ScoredInteraction[];
  }): void;
  /** Null when no turn was run both ways. */
  finish(): Drift | null;
}

interface Modes {
  readonly generated: MeanTally;
  readonly reference: MeanTally;
}

const createModes = (): Modes => ({ generated: new MeanTally(), reference: new MeanTally() });

export function createDrift(): DriftTally {
  const all = createModes();
  const turns: Modes[] = [];

  function modesAt(turn: number): Modes {
    while (turns.length <= turn) turns.push(createModes());
    return turns[turn] ?? all;
  }

  return {
    add({ generated, reference }) {
      const taught = new Map(reference.map(({ turn_index = 0, scores }) => [turn_index, scores]));
      for (const { scores: own, turn_index = 0 } of generated) {
        const other = taught.get(turn_index);
        if (!other) continue;
        for (const modes of [all, modesAt(turn_index)]) {
          modes.generated.add(sharedScores(own, other));
          modes.reference.add(sharedScores(other, own));
        }
      }
    },
    finish() {
      if (all.generated.n === 0) return null;
      const by_turn = turns.map(gapsOf);
      const scores = gapsOf(all);
      return { scores, by_turn, sentence: toSentence(scores["overall"], by_turn) };
    },
  };
}

/** Those that the other side has too. */
function sharedScores(scores: Scores, other: Scores): Scores {
  return Object.fromEntries(Object.entries(scores).filter(([name]) => Object.hasOwn(other, name)));
}

function gapsOf({ generated, reference }: Modes): Record<string, DriftGap> {
  return Object.fromEntries(
    generated.names().flatMap((name) => {
      const own = generated.of(name);
      const taught = reference.of(name);
      if (!own || !taught) return [];
      const gap = taught.mean - own.mean;
      return [[name, { generated: own.mean, reference: taught.mean, gap, n: own.count }]];
    }),
  );
}

/** Differences below this are not worth a word. */
const noticeable = 0.005;

function toSentence(overall: DriftGap | undefined, byTurn: readonly Record<string, DriftGap>[]): string {
  const gap = overall?.gap ?? null;
  if (!overall || gap === null) return "There is no overall score in both modes to compare.";
  const shown = `(${overall.generated?.toFixed(3)} against ${overall.reference?.toFixed(3)})`;
  if (Math.abs(gap) < noticeable) return `The model's own earlier replies make no difference to overall ${shown}.`;
  const gaps = byTurn.flatMap((turn, index) => {
    const value = turn["overall"]?.gap ?? null;
    return value === null ? [] : [{ turn: index + 1, value }];
  });
  const last = gaps.at(-1);
  const course =
    gaps.length > 1 && last
      ? ` At turn ${gaps[0]?.turn} the gap is ${signed(gaps[0]?.value ?? 0)}, at turn ${last.turn} ${signed(last.value)}.`
      : "";
  return `overall is ${Math.abs(gap).toFixed(3)} ${gap > 0 ? "lower" : "higher"} with the model's own replies as history ${shown}.${course}`;
}
