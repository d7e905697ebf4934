import { RE2JS } from "re2js";
import type { PatternSizes } from "./pattern-sizes.ts";

/** A pattern that runs in time linear in the text, whatever it is. */
interface Pattern {
  test(text: string): boolean;
  find(text: string): string | null;
  /** Steps that one character of a text takes at most. */
  readonly size: number;
}

/** The pattern cannot be run in linear time (look-around, back-references), is not well formed or is too large. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

interface PatternOptions {
  readonly ignoreCase?: boolean;
  /** `^` and `$` match at every line, else at the ends of the text. */
  readonly lines?: boolean;
  /** Where the patterns of strangers are counted before they are used. */
  readonly sizes?: PatternSizes | undefined;
}

export function compilePattern(
  pattern: string,
  { ignoreCase = false, lines = true, sizes }: PatternOptions = {},
): Pattern {
  refuse(sizes?.problemWith(pattern));
  const flags = (lines ? RE2JS.MULTILINE : 0) | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const compiled = compile(pattern, flags);
  const size = compiled.programSize();
  refuse(sizes?.count(size));
  return {
    test: (text) => compiled.matcher(text).find(),
    find(text) {
      const matcher = compiled.matcher(text);
      return matcher.find() ? (matcher.group() ?? "") : null;
    },
    size,
  };
}

function refuse(problem: string | null | undefined): void {
  if (problem) throw new PatternError(problem);
}

function compile(pattern: string, flags: number): RE2JS {
  try {
    // Patterns of schemas and of other tools are written for JavaScript: `\u4e00` is `\x{4e00}` here.
    return RE2JS.compile(RE2JS.translateRegExp(pattern), flags);
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : "not a pattern", { cause: error });
  }
}
