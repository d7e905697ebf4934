import { isRecord } from "../../src/base/json.ts";
import type { Metadata, Scenario } from "../../src/contract/schemas/scenario.ts";

type Json = Metadata[string];

export interface LabelDraft {
  readonly key: string;
  readonly value: Json;
}

/** Fields the form does not know. They are sent back as they came: what is not shown must not be lost. */
type OtherFields = Readonly<Record<string, unknown>>;

/** A check as it is typed: what it must hold is for the service to say. */
export type CheckDraft = Readonly<Record<string, unknown>>;

/** A turn while it is edited. Labels are a list, so that a half-typed key does not swallow another. */
export interface TurnDraft {
  readonly id: string;
  readonly user_message: string;
  readonly reference_reply: string;
  readonly references: readonly string[];
  /** Empty: the service's default. */
  readonly interaction_type: string;
  readonly labels: readonly LabelDraft[];
  readonly checks: readonly CheckDraft[];
  readonly others: OtherFields;
}

export interface ScenarioDraft {
  readonly id: string;
  readonly description: string;
  /** Empty: that of the run. */
  readonly system_prompt: string;
  readonly tags: readonly string[];
  readonly interactions: readonly TurnDraft[];
  readonly others: OtherFields;
}

export const emptyTurn = (id: string): TurnDraft => ({
  id,
  user_message: "",
  reference_reply: "",
  references: [],
  interaction_type: "",
  labels: [],
  checks: [],
  others: {},
});

export const emptyScenario: ScenarioDraft = {
  id: "",
  description: "",
  system_prompt: "",
  tags: [],
  interactions: [emptyTurn("turn-1")],
  others: {},
};

/** An id no other turn has. */
export function nextTurnId(turns: readonly TurnDraft[]): string {
  const taken = new Set(turns.map((turn) => turn.id));
  let number = turns.length + 1;
  while (taken.has(`turn-${number}`)) number += 1;
  return `turn-${number}`;
}

/** The scenario to send. Empty optional fields are left out. */
export function fromDraft({ id, description, system_prompt, tags: typed, interactions, others }: ScenarioDraft) {
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
export function toScenario(draft: ScenarioDraft): Scenario {
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

/** Whatever was written as JSON, as far as it can be edited; null when it has no shape of a scenario. */
export function toDraft(value: unknown): ScenarioDraft | null {
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

function toTurn(value: Record<string, unknown>): TurnDraft {
  const { id, user_message, reference_reply, references, interaction_type, reference_metadata, ...more } = value;
  // The service fills these in and ignores what is sent.
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
