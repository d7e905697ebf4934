import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { formatValue } from "../parts/text/format.ts";

/** A field that differs between two versions. */
export interface ScenarioChange {
  readonly place: string;
  readonly before: string;
  readonly after: string;
}

type ComparableTurn = Scenario["interactions"][number];

const json = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value, null, 2));

/** The changes between two versions, field by field. Turns are matched by id. */
export function scenarioChanges(before: Scenario, after: Scenario): ScenarioChange[] {
  const changes: ScenarioChange[] = [];
  const note = (place: string, left: string, right: string): void => {
    if (left !== right) changes.push({ place, before: left, after: right });
  };
  note("description", before.description, after.description);
  note("system prompt", before.system_prompt ?? "", after.system_prompt ?? "");
  note("tags", before.tags.join(", "), after.tags.join(", "));
  note("world", json(before.world), json(after.world));
  note("matching of tool calls", json(before.tool_matching), json(after.tool_matching));
  note("expected outcome", json(before.expect), json(after.expect));

  const earlier = new Map(before.interactions.map((turn) => [turn.id, turn]));
  const later = new Set(after.interactions.map((turn) => turn.id));
  for (const turn of before.interactions) {
    if (!later.has(turn.id)) note(`turn ${turn.id}, removed`, whole(turn), "");
  }
  for (const turn of after.interactions) {
    const old = earlier.get(turn.id);
    if (!old) note(`turn ${turn.id}, added`, "", whole(turn));
    else for (const [field, read] of turnFields) note(`turn ${turn.id}, ${field}`, read(old), read(turn));
  }
  const order = (scenario: Scenario): string => scenario.interactions.map((turn) => turn.id).join(", ");
  const sameTurns = earlier.size === later.size && before.interactions.every((turn) => later.has(turn.id));
  if (sameTurns) note("order of turns", order(before), order(after));
  return changes;
}

const turnFields: readonly (readonly [string, (turn: ComparableTurn) => string])[] = [
  ["user message", (turn) => turn.user_message],
  ["reference", (turn) => turn.reference_reply],
  ["more references", (turn) => (turn.references ?? []).join("\n")],
  ["type", (turn) => turn.interaction_type],
  ["labels", changedLabels],
  ["expected tool calls", (turn) => (turn.reference_tool_calls ?? []).map((call) => JSON.stringify(call)).join("\n")],
  ["checks", (turn) => (turn.checks ?? []).map((check) => JSON.stringify(check)).join("\n")],
];

function changedLabels({ reference_metadata }: ComparableTurn): string {
  const entries = Object.entries(reference_metadata).toSorted(([left], [right]) => left.localeCompare(right));
  return entries.map(([key, value]) => `${key}: ${formatValue(value)}`).join("\n");
}

const whole = (turn: ComparableTurn): string =>
  [turn.user_message, turn.reference_reply, changedLabels(turn)].filter((text) => text !== "").join("\n");
