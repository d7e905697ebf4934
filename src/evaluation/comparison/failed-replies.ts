import type { Scores } from "../../contract/schemas/score.ts";

/** One reply of a run: a turn of an attempt. */
interface ReplyPlace {
  readonly scenario_id: string;
  readonly interaction_id: string;
  readonly attempt: number;
}

/**
 * Where runs that stand side by side failed to reply. The others' replies there count no more than theirs: a mean of few attempts is
 * often quite 1 where one of many is a little below, and beside a run that often fails the same model would be called worse.
 */
export interface FailedReplies {
  add(reply: ReplyPlace & { readonly scores: Scores }): void;
  has(place: ReplyPlace): boolean;
  readonly count: number;
}

export function createFailedReplies(): FailedReplies {
  const attempts = new Map<string, Set<number>>();
  const keyOf = ({ scenario_id, interaction_id }: ReplyPlace): string => `${scenario_id}\n${interaction_id}`;
  let count = 0;

  return {
    add({ scores, ...place }) {
      if (scores["success"] !== 0) return;
      const key = keyOf(place);
      const known = attempts.get(key) ?? new Set();
      attempts.set(key, known.add(place.attempt));
      count++;
    },
    has: (place) => attempts.get(keyOf(place))?.has(place.attempt) ?? false,
    get count() {
      return count;
    },
  };
}
