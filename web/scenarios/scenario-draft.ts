import type { Metadata } from "../../src/contract/metadata.ts";

type Json = Metadata[string];

export interface LabelDraft {
  readonly key: string;
  readonly value: Json;
}

/** A turn while it is edited. Labels are a list, so that a half-typed key does not swallow another. */
export interface TurnDraft {
  readonly id: string;
  readonly user_message: string;
  readonly reference_reply: string;
  readonly references: readonly string[];
  /** Empty: the service's default. */
  readonly interaction_type: string;
  readonly labels: readonly LabelDraft[];
}

export interface ScenarioDraft {
  readonly id: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly interactions: readonly TurnDraft[];
}

export const emptyTurn = (id: string): TurnDraft => ({
  id,
  user_message: "",
  reference_reply: "",
  references: [],
  interaction_type: "",
  labels: [],
});

export const emptyScenario: ScenarioDraft = {
  id: "",
  description: "",
  tags: [],
  interactions: [emptyTurn("turn-1")],
};

/** An id no other turn has. */
export function nextTurnId(turns: readonly TurnDraft[]): string {
  const taken = new Set(turns.map((turn) => turn.id));
  let number = turns.length + 1;
  while (taken.has(`turn-${number}`)) number += 1;
  return `turn-${number}`;
}

/** The scenario to send. Empty optional fields are left out. */
export function fromDraft({ id, description, tags: typed, interactions }: ScenarioDraft) {
  const tags = typed.map((tag) => tag.trim()).filter((tag) => tag !== "");
  return {
    id,
    ...(description !== "" && { description }),
    ...(tags.length > 0 && { tags }),
    interactions: interactions.map((turn) => ({
      id: turn.id,
      user_message: turn.user_message,
      reference_reply: turn.reference_reply,
      ...(turn.references.length > 0 && { references: turn.references }),
      ...(turn.interaction_type !== "" && { interaction_type: turn.interaction_type }),
      ...(turn.labels.length > 0 && {
        reference_metadata: Object.fromEntries(turn.labels.map(({ key, value }) => [key, value])),
      }),
    })),
  };
}

/** Whatever was written as JSON, as far as it can be edited; null when it has no shape of a scenario. */
export function toDraft(value: unknown): ScenarioDraft | null {
  if (!isRecord(value) || !Array.isArray(value["interactions"])) return null;
  return {
    id: text(value["id"]),
    description: text(value["description"]),
    tags: texts(value["tags"]),
    interactions: value["interactions"].filter(isRecord).map(toTurn),
  };
}

function toTurn(value: Record<string, unknown>): TurnDraft {
  const labels = isRecord(value["reference_metadata"]) ? value["reference_metadata"] : {};
  return {
    id: text(value["id"]),
    user_message: text(value["user_message"]),
    reference_reply: text(value["reference_reply"]),
    references: texts(value["references"]),
    interaction_type: text(value["interaction_type"]),
    labels: Object.entries(labels).map(([key, label]) => ({ key, value: label as Json })),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];

/** A typed label. What was a number, a list or another JSON value stays one as long as the text says so. */
export function parseLabel(typed: string, previous: Json): Json {
  if (typeof previous === "string") return typed;
  try {
    const value = JSON.parse(typed) as Json;
    return typeof value === "string" ? typed : value;
  } catch {
    return typed;
  }
}
