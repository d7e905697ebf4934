import type { Scores, ScoreStats } from "../contract/schemas/score.ts";
import { isBinary } from "./is-binary.ts";
import { scoreStats } from "./statistics/score-stats.ts";

/** Statistics of averages (of attempts, or of scenarios) that also know how the scores of single interactions look. */
interface ScoreSeries {
  /** Notes which scores an interaction has and whether they are anything but 0 and 1. */
  note(scores: Scores): void;
  /** The same of what was said of a whole conversation: its scores are missing by conversation, not by interaction. */
  noteConversation(scores: Scores): void;
  finish(averages: readonly Scores[]): Record<string, ScoreStats>;
}

/** `checks` names further scores that are 0 or 1 by nature: the caller's own. */
export function createScoreSeries(unit: "attempt" | "scenario", checks: ReadonlySet<string> = new Set()): ScoreSeries {
  const noted = new Map<string, { count: number; fractional: boolean; of: "interactions" | "conversations" }>();
  const totals = { interactions: 0, conversations: 0 };

  function noteAs(of: keyof typeof totals, scores: Scores): void {
    totals[of]++;
    for (const [name, value] of Object.entries(scores)) {
      const entry = noted.get(name) ?? { count: 0, fractional: false, of };
      noted.set(name, entry);
      entry.count++;
      entry.fractional ||= value > 0 && value < 1;
    }
  }

  return {
    note: (scores) => noteAs("interactions", scores),
    noteConversation: (scores) => noteAs("conversations", scores),
    finish(averages) {
      return Object.fromEntries(
        valuesByName(averages).map(([name, list]) => {
          const { count, fractional, of } = noted.get(name) ?? { count: 0, fractional: true, of: "interactions" };
          return [
            name,
            scoreStats(list, {
              unit,
              binary: (isBinary(name) || checks.has(name)) && !fractional,
              replies: count,
              n_missing: totals[of] - count,
            }),
          ];
        }),
      );
    },
  };
}

function valuesByName(averages: readonly Scores[]): (readonly [string, readonly number[]])[] {
  const [only] = averages;
  if (only && averages.length === 1) return Object.entries(only).map(([name, value]) => [name, [value]]);
  const values = new Map<string, number[]>();
  for (const average of averages) {
    for (const [name, value] of Object.entries(average)) {
      const list = values.get(name);
      if (list) list.push(value);
      else values.set(name, [value]);
    }
  }
  return [...values];
}
