import { isRecord } from "../../src/base/json.ts";
import type { Metadata, Scenario } from "../../src/contract/schemas/scenario.ts";

type Json = Metadata[string];

export interface EditedLabel {
  readonly key: string;
  readonly value: Json;
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
  readonly others: OtherFields;
}

export interface EditedScenario {
  readonly id: string;
  readonly description: string;
  /** Empty for the run's prompt. */
  readonly system_prompt: string;
  readonly tags: readonly string[];
  readonly interactions: readonly EditedTurn[];
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
  others: {},
});

export const emptyScenario: EditedScenario = {
  id: "",
  description: "",
  system_prompt: "",
  tags: [],
  interactions: [emptyTurn("turn-1")],
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
export function fromDraft({ id, description, system_prompt, tags: typed, interactions, others }: EditedScenario) {
  const tags = typed.map((tag) => tag.trim()).filter((tag) => tag !== "");
  return {
    id,
    ...(description !== "" && { description }),
    ...(system_prompt !== "" && { system_prompt }),
    ...(tags.length > 0 && { tags }),
    ...others,
    interactions: interactions.map((turn) => ({
      id: turn.id,
      user_message: turn.user_message,
      reference_reply: turn.reference_reply,
      ...(turn.references.length > 0 && { references: turn.references }),
      ...(turn.interaction_type !== "" && { interaction_type: turn.interaction_type }),
      ...(turn.labels.length > 0 && {
        reference_metadata: Object.fromEntries(turn.labels.map(({ key, value }) => [key, value])),
      }),
      ...(turn.checks.length > 0 && { checks: turn.checks }),
      ...turn.others,
    })),
  };
}

/** The scenario as the service would store it. */
export function toStoredScenario(draft: EditedScenario): Scenario {
  const { interactions, ...rest } = fromDraft(draft);
  return {
    description: "",
    tags: [],
    ...rest,
    interactions: interactions.map(({ references, checks, ...turn }, index) => ({
      reference_metadata: {},
      interaction_type: index === 0 ? "opening" : "follow_up",
      agent_reply: "",
      generated_metadata: {},
      ...turn,
      ...(references && { references: [...references] }),
      ...(checks && { checks: checks as unknown as NonNullable<Scenario["interactions"][number]["checks"]> }),
    })),
  };
}

/** Parsed JSON as an editable draft; null if it is not shaped like a scenario. */
export function toDraft(value: unknown): EditedScenario | null {
  if (!isRecord(value) || !Array.isArray(value["interactions"])) return null;
  const { id, description, system_prompt, tags, interactions, ...others } = value;
  return {
    id: text(id),
    description: text(description),
    system_prompt: text(system_prompt),
    tags: texts(tags),
    interactions: (interactions as unknown[]).filter(isRecord).map(toTurn),
    others,
  };
}

function toTurn(value: Record<string, unknown>): EditedTurn {
  const { id, user_message, reference_reply, references, interaction_type, reference_metadata, ...more } = value;
  // The service fills these in itself.
  const { agent_reply: _reply, generated_metadata: _labels, checks, ...others } = more;
  const listed = Array.isArray(checks) && checks.every(isRecord);
  const labels = isRecord(reference_metadata) ? reference_metadata : {};
  return {
    id: text(id),
    user_message: text(user_message),
    reference_reply: text(reference_reply),
    references: texts(references),
    interaction_type: text(interaction_type),
    labels: Object.entries(labels).map(([key, label]) => ({ key, value: label as Json })),
    checks: listed ? checks : [],
    others: listed || checks === undefined ? others : { checks, ...others },
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];

/** The value of a typed label. A number, list or other JSON value keeps its type as long as the text parses. */
export function parseLabel(typed: string, previous: Json): Json {
  if (typeof previous === "string") return typed;
  try {
    const value = JSON.parse(typed) as Json;
    return typeof value === "string" ? typed : value;
  } catch {
    return typed;
  }
}
