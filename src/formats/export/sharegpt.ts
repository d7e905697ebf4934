import type { ExportResult, FileScenario } from "../scenario-file.ts";
import { listOrLines } from "./json-lines.ts";
import { noteLosses } from "./losses.ts";
import { messagesOf } from "./messages-of.ts";

const from = { system: "system", user: "human", assistant: "gpt" } as const;

/** A list of `{id, conversations}`, every turn of it. */
export function exportShareGpt(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const items = scenarios.map((scenario) => ({
    id: scenario.id,
    conversations: messagesOf(scenario).map(({ role, content }) => ({ from: from[role], value: content })),
  }));
  const missing = [
    "interaction ids",
    "description",
    "tags",
    "labels",
    "references",
    "checks",
    "interaction types",
    "agent replies",
    "generated labels",
  ] as const;
  return { text: listOrLines(items, ending), notes: noteLosses(scenarios, missing) };
}
