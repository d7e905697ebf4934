import type { Run } from "../contract/schemas/run.ts";

const placeholder = "__REHEARSAL_REPORT_DATA__";

/**
 * The one-file viewer with a run inside, as pieces of text. Every `<` of the data is escaped, so that no text of a model
 * can end the element that holds it.
 */
export async function* writeReport(
  template: string,
  { run, results }: { run: Run; results: AsyncIterable<string> },
): AsyncGenerator<string> {
  const [before, after] = template.split(placeholder);
  if (before === undefined || after === undefined) throw new Error("The report template has no place for the data");
  yield `${before}{"run":${escaped(JSON.stringify(run))},"results":`;
  for await (const piece of results) yield escaped(piece);
  yield `}${after}`;
}

const escaped = (text: string): string => text.replaceAll("<", "\\u003c");
