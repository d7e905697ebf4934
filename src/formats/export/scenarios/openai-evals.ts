import { extrasKey, scenarioExtras } from "../../shared/extras.ts";
import type { ExportResult, FileScenario } from "../../scenario-file.ts";
import { linesOrList } from "../../documents/serialize.ts";
import { questionOf } from "./chats.ts";

/** Data lines for OpenAI Evals, `{"item": {…}}`, to upload as a data source file. */
export function exportOpenaiEvals(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const lines = scenarios.map((scenario) => {
    const { messages, reference } = questionOf(scenario);
    const ideal = reference === "" ? {} : { ideal: reference };
    return { item: { id: scenario.id, messages, ...ideal, [extrasKey]: scenarioExtras(scenario) } };
  });
  return { text: linesOrList(lines, ending), notes: [] };
}
