import { formatFigure } from "../../base/numbers.ts";
import type { ScoreFacts } from "./define-scorer.ts";
import type { GivenScore } from "./scorer.ts";
import { builtInScores } from "./scores.ts";

/** The scores that can be the reply part of `overall`: those of one rank together, the first rank that was measured. */
const replyParts: readonly (readonly ScoreFacts[])[] = Map.groupBy(
  builtInScores.filter(({ replyRank }) => replyRank !== undefined),
  ({ replyRank = 0 }) => replyRank,
)
  .entries()
  .toArray()
  .toSorted(([left], [right]) => left - right)
  .map(([, scores]) => scores);

export interface OverallOptions {
  /** Replaces the default parts by a weighted mean of these scores. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  /** Names of checks and custom scorers, which form one part together. */
  readonly checks?: readonly string[];
  /** Weights of checks other than 1. */
  readonly checkWeights?: ReadonlyMap<string, number> | undefined;
}

/**
 * The headline score: mean of the reply part, the metadata part (`metadata_match`), the tools part (`tool_match`) and the checks
 * part, as far as they exist. The reason names the parts. Null when one of its scores failed: a mean of the others would not be
 * comparable.
 */
export function overall(
  scores: readonly GivenScore[],
  { weights, checks = [], checkWeights }: OverallOptions = {},
): GivenScore {
  const values = new Map<string, number | null>();
  for (const { name, value } of scores) values.set(name, value);
  const found = replyParts.find((group) => group.some(({ name }) => values.has(name))) ?? [];
  const better = found.find(({ yieldsTo }) => yieldsTo !== undefined && values.get(yieldsTo) === 1)?.yieldsTo;
  const ofReply = better === undefined ? found.map(({ name }) => name) : [better];
  const names = weights
    ? Object.keys(weights).filter((name) => weights[name] !== 0)
    : [...ofReply, "metadata_match", "tool_match", ...checks];
  const failed = new Set(scores.flatMap((score) => (score.failed || score.undecided ? score.name : [])));
  const lost = names.find((name) => failed.has(name));
  if (lost !== undefined) return { name: "overall", value: null, reason: `${lost} could not be had` };

  const parts = weights
    ? Object.entries(weights).map(([name, weight]) => toPart(name, [name], { values, weight }))
    : [
        toPart("reply", ofReply, { values }),
        toPart("metadata", ["metadata_match"], { values }),
        toPart("tools", ["tool_match"], { values }),
        toPart("checks", checks, { values, weightOf: (name) => checkWeights?.get(name) ?? 1 }),
      ];
  const nothing = weights
    ? "none of the weighted scores is available"
    : "neither a reference reply nor judged metadata";
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

function weightedMean(parts: readonly Part[], nothing: string): GivenScore {
  const total = parts.reduce((sum, part) => sum + part.weight, 0);
  if (total === 0) return { name: "overall", value: null, reason: nothing };
  const value = parts.reduce((sum, part) => sum + part.weight * part.value, 0) / total;
  return { name: "overall", value: Math.min(1, value), reason: parts.map((part) => part.text).join(" and ") };
}

function toPart(
  title: string,
  names: readonly string[],
  {
    values,
    weight = 1,
    weightOf = () => 1,
  }: { values: ReadonlyMap<string, number | null>; weight?: number; weightOf?: (name: string) => number },
): Part | null {
  const used = names.flatMap((name) => {
    const value = values.get(name);
    return value === null || value === undefined ? [] : [{ name, value, weight: weightOf(name) }];
  });
  const total = used.reduce((sum, score) => sum + score.weight, 0);
  if (total === 0) return null;
  const value = used.reduce((sum, score) => sum + score.weight * score.value, 0) / total;
  const shown = weight === 1 ? formatFigure(value) : `${formatFigure(value)} × ${weight}`;
  const from = used.map((score) => score.name).join(", ");
  return { value, weight, text: title === from ? `${title} ${shown}` : `${title} ${shown} (${from})` };
}
