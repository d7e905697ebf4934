/** One JSON value per line. */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

// Tools that read a list in either syntax go by the ending of the file.

/** A list that is JSON lines unless the file's ending says JSON. */
export function linesOrList(values: readonly unknown[], ending?: string): string {
  return ending === "json" ? prettyJson(values) : jsonLines(values);
}

/** A list that is JSON unless the file's ending says JSON lines. */
export function listOrLines(values: readonly unknown[], ending?: string): string {
  return ending === "jsonl" ? jsonLines(values) : prettyJson(values);
}
