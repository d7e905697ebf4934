import { detectFormat, type Detected, type DetectionSource } from "../../detect-format.ts";
import { FormatError } from "../../format-error.ts";
import type { ImportFormat } from "../../scenario-file.ts";
import { holdsEval } from "./eval-objects.ts";

/** True for a file with an eval or a run of one. Others, which are almost all, are not parsed to find out. */
export function definesEval(file: DetectionSource): boolean {
  if (!/"(?:testing_criteria|data_source)"\s*:/.test(file.text)) return false;
  const detected = detect(file);
  return detected?.format === "openai-evals" && holdsEval(detected.document.values.map(({ value }) => value));
}

/** Formats that are never the data of an eval: scenarios, and what other tools run. */
const others: ReadonlySet<ImportFormat> = new Set([
  "json",
  "jsonl",
  "yaml",
  "promptfoo",
  "promptfoo-results",
  "inspect-log",
  "adk",
]);

/** True for rows that an eval may be run on: those have the fields they like. */
export function mayBeEvalData(file: DetectionSource): boolean {
  const detected = detect(file);
  return detected !== undefined && !others.has(detected.format);
}

function detect(file: DetectionSource): Detected | undefined {
  try {
    return detectFormat(file);
  } catch (error) {
    // The import says what is wrong with it.
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
