import type { RunComparison } from "../../src/contract/schemas/comparison.ts";

export const changeLooks = {
  worse: { mark: "▼", className: "text-bad" },
  better: { mark: "▲", className: "text-good" },
  alike: { mark: "≈", className: "text-soft" },
} as const;

/** Below this both scores are written alike. */
const visible = 0.005;

export function directionOf({ difference }: { readonly difference: number }): keyof typeof changeLooks {
  if (Math.abs(difference) < visible) return "alike";
  return difference < 0 ? "worse" : "better";
}

/** How many turns got worse and better. A change too small to be seen in the figures is none to look at. */
export function countChanges({ changed, regressions, improvements }: RunComparison): { worse: number; better: number } {
  const tiny = changed.filter((change) => directionOf(change) === "alike");
  const tinyWorse = tiny.filter(({ difference }) => difference < 0).length;
  return { worse: regressions - tinyWorse, better: improvements - (tiny.length - tinyWorse) };
}
