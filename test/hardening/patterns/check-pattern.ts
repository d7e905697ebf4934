/// <reference types="node" />
import type { Parameters as Settings } from "recheck";

// Its other implementations are a Java program and programs for each platform, which package.json leaves out.
process.env["RECHECK_SYNC_BACKEND"] = "pure";
const { checkSync } = await import("recheck");

export type Verdict =
  | { readonly status: "linear" | "undecided" }
  | { readonly status: "vulnerable"; readonly complexity: string; readonly attack: string };

/** Steps decide, never a clock: by default, an attack that a busy machine is slow to carry out counts as found. */
const bySteps: Settings = { attackTimeout: null, incubationTimeout: null };

/** Ends in seconds, for patterns with look-around and those whose automaton is too large. */
const trial: Settings = {
  ...bySteps,
  checker: "fuzz",
  timeout: 60_000,
  maxIteration: 3,
  maxGenerationSize: 40,
  maxInitialGenerationSize: 100,
  seedingLimit: 500,
  mutationSize: 10,
  crossoverSize: 10,
};

export function checkPattern(source: string, flags: string): Verdict {
  if (!repeatsWithoutEnd(source)) return { status: "linear" };
  const short = withShortCounts(source);
  let result = checkSync(short, flags, { ...bySteps, checker: "automaton", timeout: 5_000 });
  if (result.status === "unknown") result = checkSync(short, flags, trial);
  if (result.status === "safe") return { status: "linear" };
  if (result.status === "unknown") return { status: "undecided" };
  const { complexity, attack } = result;
  const degree = complexity.type === "polynomial" ? `degree ${complexity.degree}` : complexity.type;
  return { status: "vulnerable", complexity: degree, attack: attack.pattern };
}

/** Without `*`, `+` or `{n,}`, a pattern looks at no more than a constant number of characters from each place. */
export function repeatsWithoutEnd(source: string): boolean {
  const plain = source.replaceAll(/\\[^]/g, "a").replaceAll(/\[[^\]]*\]/g, "a");
  return /[*+]|\{\d+,\}/.test(plain);
}

/** Counts change a pattern's time by a factor, not its growth, but the automaton grows with them: {16,} becomes {1,}. */
function withShortCounts(source: string): string {
  return source.replaceAll(/(?<!\\[upPx]?)\{(\d+)(,?)(\d*)\}/g, (_, least: string, comma: string, most: string) => {
    const low = Math.min(Number(least), 1);
    if (comma === "") return `{${Math.min(Number(least), 2)}}`;
    return most === "" ? `{${low},}` : `{${low},${Math.min(Number(most), 2)}}`;
  });
}
