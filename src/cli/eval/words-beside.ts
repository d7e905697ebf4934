import type { LocalOptions } from "../options.ts";
import { toWords, wordsWhere } from "../words-where.ts";

interface BesideOptions extends LocalOptions {
  readonly config?: string;
  readonly gate?: readonly string[];
  readonly baseline?: string;
  readonly maxRegression?: number;
  readonly maxErrors?: number;
}

/** What was typed and is no part of a run, to be typed again: where the run and its keys are, and what it is held to. */
export function wordsBeside(options: BesideOptions): readonly string[] {
  const { config, gate = [], baseline, maxRegression, maxErrors } = options;
  const held = toWords([
    ["-c", config],
    ...gate.map((text) => ["--gate", text] as const),
    ["--baseline", baseline],
    ["--max-regression", maxRegression],
    ["--max-errors", maxErrors],
  ]);
  return [...wordsWhere(options), ...held];
}
