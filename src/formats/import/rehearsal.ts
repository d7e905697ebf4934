import { isRecord, type JsonRecord } from "../../base/json.ts";
import { closestName } from "../../base/text.ts";
import { TurnCheck } from "../../contract/schemas/scorer-setting.ts";
import { SimulatedUser } from "../../contract/schemas/acting/simulated-user.ts";
import { ToolMatching } from "../../contract/schemas/acting/tool-call.ts";
import { Expectation, World, WorldAnswer, WorldTool } from "../../contract/schemas/acting/world.ts";
import {
  anyField,
  field,
  listField,
  recordField,
  scalarText,
  textField,
  toTextList,
  locationBelow,
} from "../documents/records.ts";
import type { ImportedTurn } from "../imported-scenario.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import type { SourceLocation } from "../scenario-file.ts";
import { allButFirst, itemsOf, type Importer, type Item } from "./importer.ts";

const scenarioFields = new Set([
  "id",
  "description",
  "interactions",
  "tags",
  "system_prompt",
  "metadata",
  "world",
  "tool_matching",
  "expect",
  "user",
]);
const interactionFields = new Set([
  "id",
  "user_message",
  "prompt",
  "agent_reply",
  "reference_reply",
  "references",
  "reference_tool_calls",
  "interaction_type",
  "reference_metadata",
  "checks",
  "generated_metadata",
]);

interface Kind {
  readonly is: (value: unknown) => boolean;
  readonly called: string;
}

const text: Kind = { is: (value) => scalarText(value) !== undefined, called: "text" };
const list: Kind = { is: Array.isArray, called: "a list" };
const object: Kind = { is: isRecord, called: "an object" };

/** Expected types of the fields. A scenario with a wrong type is dropped: without that field it would test something else. */
const scenarioKinds: Readonly<Record<string, Kind>> = {
  description: text,
  tags: list,
  system_prompt: text,
  metadata: object,
  world: object,
  tool_matching: object,
  expect: object,
  user: object,
};
const interactionKinds: Readonly<Record<string, Kind>> = {
  prompt: text,
  agent_reply: text,
  reference_reply: { ...text, called: "text; further replies go under references" },
  references: list,
  reference_tool_calls: list,
  interaction_type: text,
  reference_metadata: object,
  checks: list,
  generated_metadata: object,
};

const checkFields: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  TurnCheck.options.map(({ shape }) => [shape.type.value, new Set(Object.keys(shape))]),
);

/** Limit of unknown fields named in one note. */
const mostNamed = 20;

/** Rehearsal's own format in JSON, JSON lines or YAML: a scenario, a list, `test_batch`, or an evaluation request or response. */
export const importScenarioItems: Importer = ({ document, collector, mapping }) => {
  const items = itemsOf(document, (value) => {
    const batch = listField(value, "test_batch");
    if (batch) return { list: batch, steps: ["test_batch"] };
    const results = listField(field(value, "results"), "scenarios");
    if (results) return { list: results, steps: ["results", "scenarios"] };
    const scenarios = listField(value, "scenarios");
    return scenarios && { list: scenarios, steps: ["scenarios"] };
  });
  const prompts = document.values.map(({ value }) => textField(value, "system_prompt"));
  for (const item of items)
    addScenario(firstAttempt(unwrap(item), collector), collector, prompts.length === 1 ? prompts[0] : undefined);
  noteRequestFields(document.values, collector);
  if (Object.keys(mapping).length > 0)
    collector.note("dropped", {}, "the mapping: scenario files have fixed field names");
};

/** `{"test_batch": {…}}` holds a single scenario. */
function unwrap({ value, place }: Item): Item {
  const batch = recordField(value, "test_batch");
  return batch ? { value: batch, place: locationBelow(place, "test_batch") } : { value, place };
}

/** Turns a scenario of a response back into its script, with the replies of the first attempt. */
function firstAttempt({ value, place }: Item, collector: ScenarioCollector): Item {
  const attempts = listField(value, "attempts");
  if (!attempts || listField(value, "interactions")) return { value, place };
  if (attempts.length > 1)
    collector.note("dropped", place, `the replies of ${allButFirst("attempt", attempts.length)}`);
  const interactions = (listField(attempts[0], "interactions") ?? []).map((turn) =>
    isRecord(turn) ? Object.fromEntries(Object.entries(turn).filter(([name]) => interactionFields.has(name))) : turn,
  );
  return { value: { id: field(value, "scenario_id"), description: field(value, "description"), interactions }, place };
}

function addScenario({ value, place }: Item, collector: ScenarioCollector, requestPrompt: string | undefined): void {
  const interactions = listField(value, "interactions") ?? (recordField(value, "user") && []);
  if (isRecord(value)) noteUnknown({ record: value, known: scenarioFields, place, collector });
  if (!isRecord(value) || !interactions)
    return collector.note("dropped", place, "the item is not a scenario: it has no list of interactions");
  const isWrong = noteWrongKinds({ record: value, kinds: scenarioKinds, place, collector });
  const turns = interactions.map((entry, index) =>
    readTurn(entry, locationBelow(place, "interactions", index), collector),
  );
  if (turns.some((turn) => !turn))
    return collector.note("dropped", place, "the scenario was dropped because of the turn named above");
  if (isWrong) return collector.note("dropped", place, "the scenario was dropped because of the field named above");
  noteActing(value, place, collector);
  collector.add({
    place,
    id: value["id"],
    description: scalarText(value["description"]),
    tags: toTextList(listField(value, "tags")),
    system: scalarText(value["system_prompt"]) ?? requestPrompt,
    metadata: recordField(value, "metadata"),
    world: recordField(value, "world") ?? null,
    matching: recordField(value, "tool_matching"),
    expect: recordField(value, "expect"),
    user: recordField(value, "user"),
    turns: turns.filter((turn) => turn !== undefined),
  });
}

/** Notes unknown fields of the world and the rules; the contract validates the rest later. */
function noteActing(scenario: JsonRecord, place: SourceLocation, collector: ScenarioCollector): void {
  const note = (record: unknown, shape: object, ...steps: (string | number)[]): void => {
    const known = new Set(Object.keys(shape));
    if (isRecord(record)) noteUnknown({ record, known, place: locationBelow(place, ...steps), collector });
  };
  const { world, tool_matching, expect, user } = scenario;
  note(world, World.shape, "world");
  for (const [index, tool] of (listField(world, "tools") ?? []).entries()) {
    note(tool, WorldTool.shape, "world", "tools", index);
    for (const [number, answer] of (listField(tool, "answers") ?? []).entries())
      note(answer, WorldAnswer.shape, "world", "tools", index, "answers", number);
  }
  note(tool_matching, ToolMatching.shape, "tool_matching");
  note(expect, Expectation.shape, "expect");
  note(user, SimulatedUser.shape, "user");
}

function readTurn(value: unknown, place: SourceLocation, collector: ScenarioCollector): ImportedTurn | undefined {
  if (isRecord(value)) noteUnknown({ record: value, known: interactionFields, place, collector });
  const user = isRecord(value) ? scalarText(value["user_message"]) : undefined;
  if (!isRecord(value) || user === undefined) {
    collector.note("dropped", place, "user_message is missing or not text");
    return undefined;
  }
  if (noteWrongKinds({ record: value, kinds: interactionKinds, place, collector })) return undefined;
  return {
    id: value["id"],
    user,
    prompt: scalarText(value["prompt"]),
    reply: scalarText(value["agent_reply"]),
    reference: scalarText(value["reference_reply"]),
    references: toTextList(listField(value, "references")),
    expected: listField(value, "reference_tool_calls"),
    type: scalarText(value["interaction_type"]),
    labels: recordField(value, "reference_metadata"),
    checks: readChecks(value["checks"], locationBelow(place, "checks"), collector),
    generated: recordField(value, "generated_metadata"),
  };
}

/** Notes unknown fields of checks; the contract validates the rest later. */
function readChecks(
  value: unknown,
  place: SourceLocation,
  collector: ScenarioCollector,
): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  for (const [index, check] of value.entries()) {
    const fields = checkFields.get(textField(check, "type") ?? "");
    if (fields && isRecord(check))
      noteUnknown({ record: check, known: fields, place: locationBelow(place, index), collector });
  }
  return value;
}

interface FieldKinds {
  readonly record: JsonRecord;
  readonly kinds: Readonly<Record<string, Kind>>;
  readonly place: SourceLocation;
  readonly collector: ScenarioCollector;
}

/** Returns true if any field has a wrong type. Null counts as absent. */
function noteWrongKinds({ record, kinds, place, collector }: FieldKinds): boolean {
  const wrong = Object.entries(kinds).filter(([name, { is }]) => {
    const value = anyField(record, name);
    return value !== undefined && !is(value);
  });
  for (const [name, { called }] of wrong)
    collector.note("dropped", locationBelow(place, name), `${name} must be ${called}`);
  return wrong.length > 0;
}

interface UnknownFields {
  readonly record: JsonRecord;
  readonly known: ReadonlySet<string>;
  readonly place: SourceLocation;
  readonly collector: ScenarioCollector;
}

function noteUnknown({ record, known, place, collector }: UnknownFields): void {
  const unknown = Object.keys(record).filter((name) => !known.has(name));
  const named = unknown.slice(0, mostNamed).map((name) => name + suggestion(name, record, known));
  const rest = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : "";
  if (named.length > 0) collector.note("dropped", place, `unknown fields: ${named.join(", ")}${rest}`);
}

/** Suggests a known field that is absent and similar. */
function suggestion(name: string, record: JsonRecord, known: ReadonlySet<string>): string {
  const free = [...known].filter((field) => !Object.hasOwn(record, field));
  const nearest = closestName(name, free);
  return nearest === undefined ? "" : ` (did you mean ${nearest}?)`;
}

/** The other fields of an evaluation request are settings of the run. */
function noteRequestFields(values: readonly Item[], collector: ScenarioCollector): void {
  for (const { value, place } of values) {
    if (!isRecord(value) || !("test_batch" in value)) continue;
    const left = Object.keys(value).filter((name) => name !== "test_batch" && name !== "system_prompt");
    if (left.length > 0) collector.note("dropped", place, `settings of the run, not of a scenario: ${left.join(", ")}`);
  }
}
