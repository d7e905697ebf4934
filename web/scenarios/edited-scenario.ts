import { compact } from "../../src/base/compact.ts";
import { isRecord, type JsonRecord } from "../../src/base/json.ts";
import type { Metadata, Scenario } from "../../src/contract/schemas/scenario.ts";

type EditedJson = Metadata[string];

export interface EditedLabel {
  readonly key: string;
  readonly value: EditedJson;
}

/** Fields without a form control; sent back unchanged. */
type OtherFields = Readonly<Record<string, unknown>>;

/** A check as typed; the service validates it. */
export type EditedCheck = Readonly<Record<string, unknown>>;

/** A turn being edited. Labels are a list, so that a half-typed key does not overwrite another. */
export interface EditedTurn {
  readonly id: string;
  readonly user_message: string;
  readonly reference_reply: string;
  readonly references: readonly string[];
  /** Empty for the service's default. */
  readonly interaction_type: string;
  readonly labels: readonly EditedLabel[];
  readonly checks: readonly EditedCheck[];
  /** Expected tool calls as typed; null where calls are not compared. */
  readonly reference_tool_calls: readonly unknown[] | null;
  readonly others: OtherFields;
}

export interface EditedScenario {
  readonly id: string;
  readonly description: string;
  /** Empty for the run's prompt. */
  readonly system_prompt: string;
  readonly tags: readonly string[];
  readonly interactions: readonly EditedTurn[];
  /** The fields of an agent that acts, as typed; null where the scenario has none. */
  readonly world: JsonRecord | null;
  readonly tool_matching: JsonRecord | null;
  readonly expect: JsonRecord | null;
  readonly others: OtherFields;
}

export const emptyTurn = (id: string): EditedTurn => ({
  id,
  user_message: "",
  reference_reply: "",
  references: [],
  interaction_type: "",
  labels: [],
  checks: [],
  reference_tool_calls: null,
  others: {},
});

export const emptyScenario: EditedScenario = {
  id: "",
  description: "",
  system_prompt: "",
  tags: [],
  interactions: [emptyTurn("turn-1")],
  world: null,
  tool_matching: null,
  expect: null,
  others: {},
};

/** An unused turn id. */
export function nextTurnId(turns: readonly EditedTurn[]): string {
  const taken = new Set(turns.map((turn) => turn.id));
  let number = turns.length + 1;
  while (taken.has(`turn-${number}`)) number += 1;
  return `turn-${number}`;
}

/** The scenario to send. Empty optional fields are left out. */
export function fromDraft(draft: EditedScenario) {
  const { id, description, system_prompt, tags: typed, interactions, world, tool_matching, expect, others } = draft;
  const tags = typed.map((tag) => tag.trim()).filter((tag) => tag !== "");
  return {
    id,
    ...(description !== "" && { description }),
    ...(system_prompt !== "" && { system_prompt }),
    ...(tags.length > 0 && { tags }),
    ...others,
    ...(world && { world }),
    ...(tool_matching && { tool_matching }),
    interactions: interactions.map((turn) =>
      compact({
        id: turn.id,
        user_message: turn.user_message,
        reference_reply: turn.reference_reply,
        references: turn.references.length > 0 ? turn.references : undefined,
        interaction_type: turn.interaction_type !== "" ? turn.interaction_type : undefined,
        reference_metadata:
          turn.labels.length > 0 ? Object.fromEntries(turn.labels.map(({ key, value }) => [key, value])) : undefined,
        reference_tool_calls: turn.reference_tool_calls ?? undefined,
        checks: turn.checks.length > 0 ? turn.checks : undefined,
        ...turn.others,
      }),
    ),
    ...(expect && { expect }),
  };
}

/** The scenario as the service would store it. It checks the parts that were typed freely. */
export function toStoredScenario(draft: EditedScenario): Scenario {
  const { interactions, ...rest } = fromDraft(draft);
  return {
    description: "",
    tags: [],
    ...rest,
    interactions: interactions.map((turn, index) => ({
      reference_metadata: {},
      interaction_type: index === 0 ? "opening" : "follow_up",
      agent_reply: "",
      generated_metadata: {},
      ...turn,
    })),
  } as unknown as Scenario;
}

/** Parsed JSON as an editable draft; null if it is not shaped like a scenario. */
export function toDraft(value: unknown): EditedScenario | null {
  if (!isRecord(value) || !Array.isArray(value["interactions"])) return null;
  const { id, description, system_prompt, tags, interactions, ...more } = value;
  const { world, tool_matching, expect, ...others } = more;
  return {
    id: text(id),
    description: text(description),
    system_prompt: text(system_prompt),
    tags: texts(tags),
    interactions: (interactions as unknown[]).filter(isRecord).map(toTurn),
    world: isRecord(world) ? world : null,
    tool_matching: isRecord(tool_matching) ? tool_matching : null,
    expect: isRecord(expect) ? expect : null,
    // The form cannot show these; the service says what is wrong with them.
    others: { ...others, ...malformed({ world, tool_matching, expect }, isRecord) },
  };
}

function toTurn(value: Record<string, unknown>): EditedTurn {
  const { id, user_message, reference_reply, references, interaction_type, reference_metadata, ...more } = value;
  // The service fills these in itself.
  const { agent_reply: _reply, generated_metadata: _labels, checks, reference_tool_calls: calls, ...others } = more;
  const isRecordList = (list: unknown): list is JsonRecord[] => Array.isArray(list) && list.every(isRecord);
  const labels = isRecord(reference_metadata) ? reference_metadata : {};
  return {
    id: text(id),
    user_message: text(user_message),
    reference_reply: text(reference_reply),
    references: texts(references),
    interaction_type: text(interaction_type),
    labels: Object.entries(labels).map(([key, label]) => ({ key, value: label as EditedJson })),
    checks: isRecordList(checks) ? checks : [],
    reference_tool_calls: isRecordList(calls) ? calls : null,
    others: { ...others, ...malformed({ checks, reference_tool_calls: calls }, isRecordList) },
  };
}

/** The fields that are set, but not in a form that the editor can show. */
const malformed = (fields: OtherFields, isShown: (value: unknown) => boolean): OtherFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && !isShown(value)));

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];

/** The value of a typed label. A number, list or other JSON value keeps its type as long as the text parses. */
export function parseLabel(typed: string, previous: EditedJson): EditedJson {
  if (typeof previous === "string") return typed;
  try {
    const value = JSON.parse(typed) as EditedJson;
    return typeof value === "string" ? typed : value;
  } catch {
    return typed;
  }
}
