import { RE2JS } from "re2js";

/** A pattern that runs in time linear in the text, whatever it is. */
export interface Pattern {
  test(text: string): boolean;
  find(text: string): string | null;
}

/** The pattern cannot be run in linear time (look-around, back-references) or is not well formed. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

export function compilePattern(pattern: string, { ignoreCase = false }: { ignoreCase?: boolean } = {}): Pattern {
  try {
    const compiled = RE2JS.compile(pattern, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
    return {
      test: (text) => compiled.matcher(text).find(),
      find(text) {
        const matcher = compiled.matcher(text);
        return matcher.find() ? (matcher.group() ?? "") : null;
      },
    };
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : "not a pattern", { cause: error });
  }
}
