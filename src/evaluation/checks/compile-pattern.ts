import { RE2JS } from "re2js";
import type { Pattern } from "../../scoring/checks/define-check.ts";

/** The pattern is malformed, too large, or cannot run in linear time (look-around, back-references). */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

interface PatternOptions {
  readonly ignoreCase?: boolean;
  /** `^` and `$` match at line ends, not only at the ends of the text. */
  readonly lines?: boolean;
  /** Limits patterns that come with a request. */
  readonly budget?: PatternBudget | undefined;
}

export function compilePattern(
  pattern: string,
  { ignoreCase = false, lines = true, budget }: PatternOptions = {},
): Pattern {
  refusePattern(budget?.problemWith(pattern));
  const flags = (lines ? RE2JS.MULTILINE : 0) | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const compiled = compileRegex(pattern, flags);
  const size = compiled.programSize();
  refusePattern(budget?.count(size));
  return {
    test: (text) => compiled.matcher(text).find(),
    find(text) {
      const matcher = compiled.matcher(text);
      return matcher.find() ? (matcher.group() ?? "") : null;
    },
    size,
  };
}

function refusePattern(problem: string | null | undefined): void {
  if (problem) throw new PatternError(problem);
}

function compileRegex(pattern: string, flags: number): RE2JS {
  try {
    // Patterns are written for JavaScript: `\u4e00` is `\x{4e00}` in RE2.
    return RE2JS.compile(RE2JS.translateRegExp(pattern), flags);
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : "not a pattern", { cause: error });
  }
}

/** Compiling a longer pattern may take seconds, because a repetition multiplies its parts by up to a thousand. */
const maximumPatternLength = 2_000;
/** Size of all patterns together. Typical patterns have a few hundred steps. */
const maximumSteps = 100_000;

/** Limits the total size of the patterns of one list of checks while they are compiled. */
export interface PatternBudget {
  /** Why the pattern must not be compiled, else null. */
  problemWith(pattern: string): string | null;
  /** Adds a compiled pattern; returns why the total is too large, else null. */
  count(steps: number): string | null;
}

export function createPatternBudget(): PatternBudget {
  let sum = 0;
  const problem = () =>
    sum > maximumSteps ? "the patterns of one run are too large together: use fewer or smaller repetitions" : null;
  return {
    problemWith: ({ length }) =>
      length > maximumPatternLength ? `a pattern may have ${maximumPatternLength} characters` : problem(),
    count(steps) {
      sum += steps;
      return problem();
    },
  };
}
