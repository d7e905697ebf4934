import { RE2JS } from "re2js";

/** A pattern that runs in time linear in the text, whatever it is. */
export interface Pattern {
  test(text: string): boolean;
  find(text: string): string | null;
  /** Steps that one character of a text takes at most. */
  readonly size: number;
}

/** The pattern cannot be run in linear time (look-around, back-references) or is not well formed. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** With `lines`, `^` and `$` match at every line, else at the ends of the text. */
export function compilePattern(
  pattern: string,
  { ignoreCase = false, lines = true }: { ignoreCase?: boolean; lines?: boolean } = {},
): Pattern {
  try {
    const flags = (lines ? RE2JS.MULTILINE : 0) | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    // Patterns of schemas and of other tools are written for JavaScript: `\u4e00` is `\x{4e00}` here.
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), flags);
    return {
      test: (text) => compiled.matcher(text).find(),
      find(text) {
        const matcher = compiled.matcher(text);
        return matcher.find() ? (matcher.group() ?? "") : null;
      },
      size: compiled.programSize(),
    };
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : "not a pattern", { cause: error });
  }
}
