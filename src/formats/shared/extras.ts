import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { listField, recordField, textField, toTextList } from "../documents/records.ts";
import type { ImportedScenario, ImportedTurn } from "./imported-scenario.ts";
import type { FileInteraction, FileScenario } from "../scenario-file.ts";

/** The key in another format's metadata that holds the parts of a scenario it has no field for. */
export const extrasKey = "rehearsal";

const omitEmpty = (record: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(record).filter(([, value]) => {
      if (value === undefined || value === "") return false;
      return typeof value !== "object" || value === null || Object.keys(value).length > 0;
    }),
  );

export function turnExtras(interaction: FileInteraction): JsonRecord {
  const { id, interaction_type, references, reference_metadata, checks, agent_reply, generated_metadata } = interaction;
  const { reference_tool_calls, prompt, context } = interaction;
  return {
    ...omitEmpty({
      id,
      interaction_type,
      references,
      reference_metadata,
      checks,
      agent_reply,
      generated_metadata,
      context,
    }),
    ...(prompt !== undefined && { prompt }),
    // An empty list means that no call is expected.
    ...(reference_tool_calls && { reference_tool_calls }),
  };
}

/** Ids, labels and other parts of a scenario, to be stored beside its messages. */
export function scenarioExtras(scenario: FileScenario): JsonRecord {
  const { id, description, tags, interactions } = scenario;
  return { ...omitEmpty({ id, description, tags, turns: interactions.map(turnExtras) }), ...wholeExtras(scenario) };
}

/** The parts of a whole scenario about tools, and its metadata. */
export function wholeExtras({ metadata, world, tool_matching, expect, user }: FileScenario): JsonRecord {
  return compact({
    metadata,
    world,
    tool_matching,
    expect,
    user,
  });
}

/**
 * Restores the parts that `scenarioExtras` stored. If an edited file no longer has the same turns, only the parts about the whole
 * scenario are restored.
 */
export function withExtras(draft: ImportedScenario, metadata: unknown): ImportedScenario {
  const extras = recordField(metadata, extrasKey);
  if (!extras) return draft;
  const turns = listField(extras, "turns") ?? [];
  return {
    ...draft,
    id: textField(extras, "id") ?? draft.id,
    description: textField(extras, "description") ?? draft.description,
    tags: toTextList(listField(extras, "tags")) ?? draft.tags,
    system: textField(extras, "system_prompt") ?? draft.system,
    ...withWholeExtras(extras),
    turns:
      turns.length === draft.turns.length
        ? draft.turns.map((turn, index) => withTurnExtras(turn, turns[index]))
        : draft.turns,
  };
}

/** Restores the parts that `wholeExtras` stored. A scenario without a world had none. */
export const withWholeExtras = (extras: unknown): Partial<ImportedScenario> => ({
  metadata: recordField(extras, "metadata"),
  world: recordField(extras, "world") ?? null,
  matching: recordField(extras, "tool_matching"),
  expect: recordField(extras, "expect"),
  user: recordField(extras, "user"),
});

export function withTurnExtras(turn: ImportedTurn, extras: unknown): ImportedTurn {
  if (!isRecord(extras)) return turn;
  return {
    ...turn,
    id: textField(extras, "id") ?? turn.id,
    prompt: textField(extras, "prompt") ?? turn.prompt,
    type: textField(extras, "interaction_type") ?? turn.type,
    references: toTextList(listField(extras, "references")) ?? turn.references,
    labels: recordField(extras, "reference_metadata") ?? turn.labels,
    checks: listField(extras, "checks") ?? turn.checks,
    reply: textField(extras, "agent_reply") ?? turn.reply,
    generated: recordField(extras, "generated_metadata") ?? turn.generated,
    context: (listField(extras, "context") as ImportedTurn["context"]) ?? turn.context,
    expected: listField(extras, "reference_tool_calls"),
  };
}
