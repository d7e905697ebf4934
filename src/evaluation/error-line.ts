import { firstCharacters } from "../base/text.ts";

const longest = 200;

/** What an error says, on one line of bounded length, for a message that people read. It may be anything, and telling it may throw. */
export function errorLine(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message || error.name : String(error);
    const line = text
      .toWellFormed()
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim();
    return firstCharacters(line, longest);
  } catch {
    return "unknown error";
  }
}
