import type { ExportResult, FileScenario, Note } from "../scenario-file.ts";
import { jsonLines } from "./json-lines.ts";
import { noteLosses } from "./losses.ts";
import { messagesOf } from "./messages-of.ts";

/** Fine-tuning lines from the reference replies. A conversation ends before its first turn without one: there is nothing to learn. */
export function exportOpenaiChat(scenarios: readonly FileScenario[]): ExportResult {
  const notes: Note[] = [];
  const lines = scenarios.flatMap((scenario) => {
    const { id, interactions } = scenario;
    const missing = interactions.findIndex(({ reference_reply }) => reference_reply === "");
    if (missing < 0) return [{ messages: messagesOf(scenario) }];
    notes.push({
      kind: "dropped",
      message: `${id}: left out from turn ${missing + 1} on, which has no reference reply`,
    });
    return missing === 0
      ? []
      : [{ messages: messagesOf({ ...scenario, interactions: interactions.slice(0, missing) }) }];
  });
  const lost = noteLosses(scenarios, [
    "description",
    "tags",
    "labels",
    "references",
    "checks",
    "interaction types",
    "agent replies",
    "generated labels",
  ]);
  const ids: Note[] =
    lines.length > 0
      ? [{ kind: "dropped", message: "ids of scenarios and turns: the format has no place for them" }]
      : [];
  // Turns that are missing come before fields that are.
  return { text: jsonLines(lines), written: lines.length, notes: [...notes, ...ids, ...lost] };
}
