import type { Scores, ScoreStats } from "../../contract/schemas/scores/score.ts";
import { binaryScores } from "../../contract/schemas/scores/score-names.ts";
import { scoreStats } from "../statistics/score-stats.ts";

/** Statistics of averages over attempts or scenarios. */
interface ScoreSeries {
  /** Records which scores an interaction has, and whether they are other than 0 and 1. */
  note(scores: Scores): void;
  /** Records the scores of a whole conversation: they are missing per conversation, not per interaction. */
  noteConversation(scores: Scores): void;
  finish(averages: readonly Scores[]): Record<string, ScoreStats>;
}

/** `checks` names the caller's own scores that are always 0 or 1. */
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
              binary: (isBinaryScore(name) || checks.has(name)) && !fractional,
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

/** True for scores that are always 0 or 1. A similarity that happens to be 1 everywhere may still vary. */
export function isBinaryScore(score: string): boolean {
  return binaryScores.has(score) || score.startsWith("metadata.") || score.startsWith("outcome.");
}
