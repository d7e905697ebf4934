import type { ExportResult, FileScenario, Note } from "../../scenario-file.ts";
import { jsonLines, listOrLines } from "../serialize.ts";
import { noteUnsupportedParts } from "./unsupported-parts.ts";

export interface ChatLine {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** The scripted conversation; a turn without a reference reply has only the user's message. */
export function messagesOf({ system_prompt, interactions }: FileScenario): ChatLine[] {
  const turns = interactions.flatMap(({ user_message, reference_reply }): ChatLine[] => [
    { role: "user", content: user_message },
    ...(reference_reply === "" ? [] : [{ role: "assistant" as const, content: reference_reply }]),
  ]);
  return system_prompt ? [{ role: "system", content: system_prompt }, ...turns] : turns;
}

/** Splits a scenario into the conversation up to the last question and the reply to it. */
export function questionOf(scenario: FileScenario): { messages: ChatLine[]; reference: string } {
  const messages = messagesOf(scenario);
  const reference = scenario.interactions.at(-1)?.reference_reply ?? "";
  return { messages: reference === "" ? messages : messages.slice(0, -1), reference };
}

/** Fine-tuning lines from the reference replies. A conversation ends before its first turn without one. */
export function exportOpenaiChat(scenarios: readonly FileScenario[]): ExportResult {
  const notes: Note[] = [];
  const lines = scenarios.flatMap((scenario) => {
    const { id, interactions } = scenario;
    const missing = interactions.findIndex(({ reference_reply }) => reference_reply === "");
    if (missing < 0) return [{ messages: messagesOf(scenario) }];
    notes.push({
      kind: "dropped",
      message: `${id}: dropped from turn ${missing + 1} on, because that turn has no reference reply`,
    });
    return missing === 0
      ? []
      : [{ messages: messagesOf({ ...scenario, interactions: interactions.slice(0, missing) }) }];
  });
  const lost = noteUnsupportedParts(scenarios, [
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
    lines.length > 0 ? [{ kind: "dropped", message: "the format does not support ids of scenarios and turns" }] : [];
  // Missing turns come first, then missing fields.
  return { text: jsonLines(lines), written: lines.length, notes: [...notes, ...ids, ...lost] };
}

const from = { system: "system", user: "human", assistant: "gpt" } as const;

/** A list of `{id, conversations}`. */
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
  return { text: listOrLines(items, ending), notes: noteUnsupportedParts(scenarios, missing) };
}
