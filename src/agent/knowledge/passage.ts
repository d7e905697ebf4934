/** A piece of a document, small enough to be quoted, with the place it stands at. */
export interface Passage {
  /** Headings above it, outermost first. */
  readonly headings: readonly string[];
  /** Line numbers in the file, counted from 1; null where the file has no lines to speak of. */
  readonly lines: { readonly from: number; readonly to: number } | null;
  readonly page: number | null;
  readonly text: string;
}

/** Where a passage can be looked up, as a person would write it. */
export function describePlace(file: string, { headings, lines, page }: Passage): string {
  const path = [file, ...headings].join(" › ");
  if (page !== null) return `${path} (page ${page})`;
  if (!lines) return path;
  return lines.from === lines.to ? `${path} (line ${lines.from})` : `${path} (lines ${lines.from}–${lines.to})`;
}
