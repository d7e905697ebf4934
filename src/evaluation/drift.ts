import type { Drift, DriftGap } from "../contract/score-stats.ts";
import { MeanTally } from "./mean-tally.ts";
import type { ScoredInteraction } from "./scored-interaction.ts";

/** Compares the two history modes, turn by turn. */
export interface DriftTally {
  add(mode: "generated" | "reference", interactions: readonly ScoredInteraction[]): void;
  /** Null when one of the modes has nothing. */
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

  return {
    add(mode, interactions) {
      for (const { scores, turn_index = 0 } of interactions) {
        while (turns.length <= turn_index) turns.push(createModes());
        all[mode].add(scores);
        turns[turn_index]?.[mode].add(scores);
      }
    },
    finish() {
      if (all.generated.n === 0 || all.reference.n === 0) return null;
      const by_turn = turns.map(gapsOf);
      const scores = gapsOf(all);
      return { scores, by_turn, sentence: toSentence(scores["overall"], by_turn) };
    },
  };
}

function gapsOf({ generated, reference }: Modes): Record<string, DriftGap> {
  const names = new Set([...generated.names(), ...reference.names()]);
  return Object.fromEntries(
    [...names].map((name) => {
      const own = generated.of(name);
      const taught = reference.of(name);
      const gap = own && taught ? taught.mean - own.mean : null;
      const n = Math.min(own?.count ?? 0, taught?.count ?? 0);
      return [name, { generated: own?.mean ?? null, reference: taught?.mean ?? null, gap, n }];
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

function signed(value: number): string {
  const text = Math.abs(value).toFixed(3);
  return Number(text) === 0 ? text : `${value < 0 ? "-" : "+"}${text}`;
}
