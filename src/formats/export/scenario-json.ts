import type { ExportResult, FileScenario } from "../scenario-file.ts";
import { jsonLines, prettyJson } from "./json-lines.ts";

/** The contract's own form: one scenario as the `test_batch` object, several as a list of them. */
export function exportScenarioJson(scenarios: readonly FileScenario[]): ExportResult {
  return { text: prettyJson(scenarios.length === 1 ? scenarios[0] : scenarios), notes: [] };
}

export function exportScenarioLines(scenarios: readonly FileScenario[]): ExportResult {
  return { text: jsonLines(scenarios), notes: [] };
}
