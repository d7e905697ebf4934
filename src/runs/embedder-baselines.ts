import type { SemanticDetails } from "../contract/schemas/interaction-result.ts";

/**
 * Many services that embed give the same text a slightly different vector each time, so no two runs have quite the same baseline. This
 * much moves no score by what a comparison could see.
 */
const rounding = 0.001;

/** The embedders that semantic scores of a run were made with, and the baselines they were rescaled from. */
export interface EmbedderBaselines {
  readonly size: number;
  add(details: Pick<SemanticDetails, "embedder" | "baseline">): void;
  /** Whether scores of both are of one scale: the same embedders, at baselines that are the same but for rounding. */
  isLike(other: EmbedderBaselines): boolean;
  readonly ranges: ReadonlyMap<string, Range>;
}

interface Range {
  readonly lowest: number;
  readonly highest: number;
}

export function createEmbedderBaselines(): EmbedderBaselines {
  const ranges = new Map<string, Range>();

  return {
    ranges,
    get size() {
      return ranges.size;
    },
    add({ embedder, baseline }) {
      ranges.set(embedder, joined(ranges.get(embedder), { lowest: baseline, highest: baseline }));
    },
    isLike(other) {
      if (ranges.size !== other.ranges.size) return false;
      return [...ranges].every(([embedder, range]) => {
        const theirs = other.ranges.get(embedder);
        if (!theirs) return false;
        const { lowest, highest } = joined(theirs, range);
        return highest - lowest <= rounding;
      });
    },
  };
}

function joined(range: Range | undefined, { lowest, highest }: Range): Range {
  if (!range) return { lowest, highest };
  return { lowest: Math.min(range.lowest, lowest), highest: Math.max(range.highest, highest) };
}
