import { firstCharacters } from "../../base/text.ts";
import { withoutControls } from "./without-controls.ts";

/** Of a long text only so much is looked at: white space and what cannot be shown count, but are left out. */
const lookedAt = 10_000;

const oneLine = (text: string, length = 200): string =>
  firstCharacters(withoutControls(firstCharacters(text, lookedAt)).replace(/\s+/g, " ").trim(), length);

/** What a model or a user wrote stands in a code span: there it can neither mention people nor load pictures. */
export function code(text: string, length?: number): string {
  const line = oneLine(text, length);
  if (line === "") return "";
  const fence = "`".repeat(1 + Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Text of ours or of the operator, with what Markdown and HTML would take for their own made harmless. */
export const plain = (text: string, length?: number): string =>
  oneLine(text, length).replace(/[\\`*_{}[\]<>#!~@&]/g, (mark) =>
    mark === "@" ? "@\u200B" : mark === "<" ? "&lt;" : mark === "&" ? "&amp;" : `\\${mark}`,
  );

/**
 * A row of a table, which no cell can end: there, and only there, a bar is escaped, in a code span too. After a backslash of the
 * text it takes two: some readers take that backslash and ours for a pair, and the bar for the end.
 */
export const tableRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replace(/\\*\|/g, escapedBar)).join(" | ")} |`;

const escapedBar = (found: string): string => `${"\\".repeat(found.length % 2 === 0 ? 2 : 1)}${found}`;
