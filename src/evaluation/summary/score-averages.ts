import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import type { ConversationJudgement } from "../../contract/schemas/judging/judge.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";

/** The part of an interaction result that summaries are computed from. */
export type ScoredInteraction = Pick<
  InteractionResult,
  "scores" | "reference_metadata" | "generated_metadata" | "error" | "usage"
> &
  Partial<
    Pick<
      InteractionResult,
      | "interaction_type"
      | "turn_index"
      | "conflicts"
      | "helper_usage"
      | "cost"
      | "judgements"
      | "score_reasons"
      | "label_sources"
      | "failed_scores"
      | "undecided_scores"
      | "written_call"
      | "stated"
      | "latency_ms"
      | "first_token_ms"
      | "user_turn"
    >
  >;

interface Sum {
  sum: number;
  count: number;
}

/** Running means of scores. Many tallies see one set of scores only, so sums start with the second. */
export class MeanTally {
  #n = 0;
  #only: Scores = {};
  #sums: Map<string, Sum> | null = null;

  get n(): number {
    return this.#n;
  }

  add(scores: Scores): void {
    this.#n += 1;
    if (this.#n === 1) this.#only = scores;
    else addToAverage(this.#summed(), scores);
  }

  means(): Scores {
    if (!this.#sums) return { ...this.#only };
    return Object.fromEntries([...this.#sums].map(([name, { sum, count }]) => [name, sum / count]));
  }

  /** Mean and number of values of one score. */
  of(name: string): { mean: number; count: number } | null {
    const entry = this.#summed().get(name);
    return entry ? { mean: entry.sum / entry.count, count: entry.count } : null;
  }

  names(): readonly string[] {
    return [...this.#summed().keys()];
  }

  #summed(): Map<string, Sum> {
    if (this.#sums) return this.#sums;
    this.#sums = new Map();
    addToAverage(this.#sums, this.#only);
    return this.#sums;
  }
}

function addToAverage(sums: Map<string, Sum>, scores: Scores): void {
  for (const [name, value] of Object.entries(scores)) {
    const entry = sums.get(name);
    if (entry) {
      entry.sum += value;
      entry.count += 1;
    } else sums.set(name, { sum: value, count: 1 });
  }
}

/**
 * For each score, the mean over the entries that have it; a missing score is left out, never 0. An attempt averages its
 * interactions, a scenario its attempts, a run its scenarios, so that each counts once.
 */
export function averageScores(all: readonly Scores[]): Scores {
  const means = new MeanTally();
  for (const scores of all) means.add(scores);
  return means.means();
}

/** The averages of an attempt. A score that could not be decided in one of its turns is not decided in the attempt. */
export function averageTurns(turns: readonly Pick<ScoredInteraction, "scores" | "undecided_scores">[]): Scores {
  const open = new Set(turns.flatMap(({ undecided_scores = [] }) => undecided_scores));
  const means = averageScores(turns.map(({ scores }) => scores));
  return open.size === 0 ? means : Object.fromEntries(Object.entries(means).filter(([name]) => !open.has(name)));
}

/** The scores that an attempt lacks because the tool calls that they need could not be seen. */
export function undecidedScores(
  turns: readonly Pick<ScoredInteraction, "undecided_scores">[],
  conversation: Pick<ConversationJudgement, "scores" | "undecided_scores"> | undefined,
): ReadonlySet<string> {
  const ofWhole = conversation?.undecided_scores?.filter((name) => conversation.scores[name] === undefined) ?? [];
  return new Set([...turns.flatMap(({ undecided_scores = [] }) => undecided_scores), ...ofWhole]);
}
