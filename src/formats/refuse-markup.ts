import { FormatError } from "./format-error.ts";

const markup = /^\s*<(?:!doctype|html|\?xml|promptfoo|testsuites?)\b/i;

/** A page that was saved in place of the file behind it, or another tool's report: read as a table it would be one odd column. */
export function refuseMarkup(text: string): void {
  if (markup.test(text.slice(0, 100)))
    throw new FormatError("this is HTML or XML; a scenario file is JSON, YAML or a table");
}
