import type { Score } from "../../contract/schemas/score.ts";
import type { GivenScore } from "./scorer.ts";

/** The reply part of `overall`: the first of these that the run scores with. Who understands meaning outranks who counts words. */
const replyParts: readonly (readonly string[])[] = [
  ["judge_correctness"],
  ["judge_rubrics"],
  ["semantic_similarity"],
  ["token_f1", "rouge_l"],
  ["chrf"],
  ["edit_similarity"],
  ["exact_match"],
];

export interface OverallOptions {
  /** Weighted mean of these scores in place of the usual parts. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  /** Names of the caller's checks and the operator's scorers: together one part. */
  readonly checks?: readonly string[];
}

/**
 * The one figure to look at first: mean of the reply part, the metadata part (`metadata_match`) and the checks part, or of those
 * of them that exist. The reason names the parts that were used. Without a score that failed it would be of another kind: there is none.
 */
export function overall(scores: readonly GivenScore[], { weights, checks = [] }: OverallOptions = {}): Score {
  const values = new Map<string, number | null>();
  for (const { name, value } of scores) values.set(name, value);
  const ofReply = replyParts.find((group) => group.some((name) => values.has(name))) ?? [];
  const names = weights
    ? Object.keys(weights).filter((name) => weights[name] !== 0)
    : [...ofReply, "metadata_match", ...checks];
  const failed = new Set(scores.flatMap((score) => (score.failed ? score.name : [])));
  const lost = names.find((name) => failed.has(name));
  if (lost !== undefined) return { name: "overall", value: null, reason: `${lost} could not be had` };

  const parts = weights
    ? Object.entries(weights).map(([name, weight]) => toPart(name, [name], { values, weight }))
    : [
        toPart("reply", ofReply, { values }),
        toPart("metadata", ["metadata_match"], { values }),
        toPart("checks", checks, { values }),
      ];
  const nothing = weights ? "none of the weighted scores is there" : "neither a reference reply nor judged metadata";
  return weightedMean(
    parts.filter((part) => part !== null),
    nothing,
  );
}

interface Part {
  readonly value: number;
  readonly weight: number;
  readonly text: string;
}

function weightedMean(parts: readonly Part[], nothing: string): Score {
  const total = parts.reduce((sum, part) => sum + part.weight, 0);
  if (total === 0) return { name: "overall", value: null, reason: nothing };
  const value = parts.reduce((sum, part) => sum + part.weight * part.value, 0) / total;
  return { name: "overall", value: Math.min(1, value), reason: parts.map((part) => part.text).join(" and ") };
}

function toPart(
  title: string,
  names: readonly string[],
  { values, weight = 1 }: { values: ReadonlyMap<string, number | null>; weight?: number },
): Part | null {
  const used = names.flatMap((name) => {
    const value = values.get(name);
    return value === null || value === undefined ? [] : [{ name, value }];
  });
  if (used.length === 0) return null;
  const value = used.reduce((sum, score) => sum + score.value, 0) / used.length;
  const shown = weight === 1 ? value.toFixed(2) : `${value.toFixed(2)} × ${weight}`;
  const from = used.map((score) => score.name).join(", ");
  return { value, weight, text: title === from ? `${title} ${shown}` : `${title} ${shown} (${from})` };
}
