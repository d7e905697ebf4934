import { isRecord, type JsonRecord } from "../base/json.ts";
import { listField, recordField, textField, toTextList } from "./documents/records.ts";
import type { ImportedScenario, ImportedTurn } from "./imported-scenario.ts";
import type { FileInteraction, FileScenario } from "./scenario-file.ts";

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
  return omitEmpty({ id, interaction_type, references, reference_metadata, checks, agent_reply, generated_metadata });
}

/** Ids, labels and other parts of a scenario, to be stored beside its messages. */
export function scenarioExtras({ id, description, tags, interactions }: FileScenario): JsonRecord {
  return omitEmpty({ id, description, tags, turns: interactions.map(turnExtras) });
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
    turns:
      turns.length === draft.turns.length
        ? draft.turns.map((turn, index) => withTurnExtras(turn, turns[index]))
        : draft.turns,
  };
}

export function withTurnExtras(turn: ImportedTurn, extras: unknown): ImportedTurn {
  if (!isRecord(extras)) return turn;
  return {
    ...turn,
    id: textField(extras, "id") ?? turn.id,
    type: textField(extras, "interaction_type") ?? turn.type,
    references: toTextList(listField(extras, "references")) ?? turn.references,
    labels: recordField(extras, "reference_metadata") ?? turn.labels,
    checks: listField(extras, "checks") ?? turn.checks,
    reply: textField(extras, "agent_reply") ?? turn.reply,
    generated: recordField(extras, "generated_metadata") ?? turn.generated,
  };
}
