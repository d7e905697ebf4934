import { isRecord, type JsonRecord } from "../../base/json.ts";
import { nearestName } from "../../base/text.ts";
import { TurnCheck } from "../../contract/schemas/scorer-setting.ts";
import { textList } from "../extras.ts";
import { anyField, field, listField, pointerTo, recordField, scalarText, textField } from "../records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import type { TurnDraft } from "../scenario-draft.ts";
import type { Place } from "../scenario-file.ts";
import { fromSecond } from "./from-second.ts";
import { itemsOf, type Importer, type Item } from "./importer.ts";

const scenarioFields = new Set(["id", "description", "interactions", "tags", "system_prompt"]);
const interactionFields = new Set([
  "id",
  "user_message",
  "agent_reply",
  "reference_reply",
  "references",
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

/** What a field holds. A scenario with a value of another kind is left out: without it, something else would be tested. */
const scenarioKinds: Readonly<Record<string, Kind>> = { description: text, tags: list, system_prompt: text };
const interactionKinds: Readonly<Record<string, Kind>> = {
  agent_reply: text,
  reference_reply: { ...text, called: "text; further replies go under references" },
  references: list,
  interaction_type: text,
  reference_metadata: object,
  checks: list,
  generated_metadata: object,
};

const checkFields: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  TurnCheck.options.map(({ shape }) => [shape.type.value, new Set(Object.keys(shape))]),
);

/** Unknown fields named in one note. */
const mostNamed = 20;

/** Our own format in JSON, JSON lines or YAML: a scenario, a list of them, `test_batch`, a whole evaluation request or response. */
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
    collector.note("dropped", {}, "what the mapping says: the fields of a scenario have names of their own");
};

/** `{"test_batch": {…}}` holds one scenario a step further down. */
function unwrap({ value, place }: Item): Item {
  const batch = recordField(value, "test_batch");
  return batch
    ? { value: batch, place: { ...place, pointer: pointerTo(place.pointer, "test_batch") } }
    : { value, place };
}

/** A scenario of a response is the script its attempts followed; the replies of the first attempt come along. */
function firstAttempt({ value, place }: Item, collector: ScenarioCollector): Item {
  const attempts = listField(value, "attempts");
  if (!attempts || listField(value, "interactions")) return { value, place };
  if (attempts.length > 1) collector.note("dropped", place, `the replies of ${fromSecond("attempt", attempts.length)}`);
  const interactions = (listField(attempts[0], "interactions") ?? []).map((turn) =>
    isRecord(turn) ? Object.fromEntries(Object.entries(turn).filter(([name]) => interactionFields.has(name))) : turn,
  );
  return { value: { id: field(value, "scenario_id"), description: field(value, "description"), interactions }, place };
}

function addScenario({ value, place }: Item, collector: ScenarioCollector, requestPrompt: string | undefined): void {
  const interactions = listField(value, "interactions");
  if (isRecord(value)) noteUnknown({ record: value, known: scenarioFields, place, collector });
  if (!isRecord(value) || !interactions)
    return collector.note("dropped", place, "the item is not a scenario: it has no list of interactions");
  const isWrong = noteWrongKinds({ record: value, kinds: scenarioKinds, place, collector });
  const turns = interactions.map((entry, index) => readTurn(entry, at(place, "interactions", index), collector));
  if (turns.some((turn) => !turn))
    return collector.note("dropped", place, "the scenario was left out for the turn named above");
  if (isWrong) return collector.note("dropped", place, "the scenario was left out for the field named above");
  collector.add({
    place,
    id: value["id"],
    description: scalarText(value["description"]),
    tags: textList(listField(value, "tags")),
    system: scalarText(value["system_prompt"]) ?? requestPrompt,
    turns: turns.filter((turn) => turn !== undefined),
  });
}

function readTurn(value: unknown, place: Place, collector: ScenarioCollector): TurnDraft | undefined {
  if (isRecord(value)) noteUnknown({ record: value, known: interactionFields, place, collector });
  const user = isRecord(value) ? scalarText(value["user_message"]) : undefined;
  if (!isRecord(value) || user === undefined) {
    collector.note("dropped", place, "the interaction has no user_message that is text");
    return undefined;
  }
  if (noteWrongKinds({ record: value, kinds: interactionKinds, place, collector })) return undefined;
  return {
    id: value["id"],
    user,
    reply: scalarText(value["agent_reply"]),
    reference: scalarText(value["reference_reply"]),
    references: textList(listField(value, "references")),
    type: scalarText(value["interaction_type"]),
    labels: recordField(value, "reference_metadata"),
    checks: readChecks(value["checks"], at(place, "checks"), collector),
    generated: recordField(value, "generated_metadata"),
  };
}

/** The contract says what a check may be; here, what in it nobody reads. */
function readChecks(value: unknown, place: Place, collector: ScenarioCollector): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  for (const [index, check] of value.entries()) {
    const fields = checkFields.get(textField(check, "type") ?? "");
    if (fields && isRecord(check)) noteUnknown({ record: check, known: fields, place: at(place, index), collector });
  }
  return value;
}

interface FieldKinds {
  readonly record: JsonRecord;
  readonly kinds: Readonly<Record<string, Kind>>;
  readonly place: Place;
  readonly collector: ScenarioCollector;
}

/** Whether there are any. What is null counts as left out. */
function noteWrongKinds({ record, kinds, place, collector }: FieldKinds): boolean {
  const wrong = Object.entries(kinds).filter(([name, { is }]) => {
    const value = anyField(record, name);
    return value !== undefined && !is(value);
  });
  for (const [name, { called }] of wrong) collector.note("dropped", at(place, name), `${name} must be ${called}`);
  return wrong.length > 0;
}

interface UnknownFields {
  readonly record: JsonRecord;
  readonly known: ReadonlySet<string>;
  readonly place: Place;
  readonly collector: ScenarioCollector;
}

function noteUnknown({ record, known, place, collector }: UnknownFields): void {
  const unknown = Object.keys(record).filter((name) => !known.has(name));
  const named = unknown.slice(0, mostNamed).map((name) => name + suggestion(name, record, known));
  const rest = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : "";
  if (named.length > 0) collector.note("dropped", place, `unknown fields: ${named.join(", ")}${rest}`);
}

/** A misspelt field is near a known one that is not there. */
function suggestion(name: string, record: JsonRecord, known: ReadonlySet<string>): string {
  const free = [...known].filter((field) => !Object.hasOwn(record, field));
  const nearest = nearestName(name, free);
  return nearest === undefined ? "" : ` (did you mean ${nearest}?)`;
}

/** The rest of an evaluation request says how to run, not what: it is named, not carried over. */
function noteRequestFields(values: readonly Item[], collector: ScenarioCollector): void {
  for (const { value, place } of values) {
    if (!isRecord(value) || !("test_batch" in value)) continue;
    const left = Object.keys(value).filter((name) => name !== "test_batch" && name !== "system_prompt");
    if (left.length > 0) collector.note("dropped", place, `settings of the run, not of a scenario: ${left.join(", ")}`);
  }
}

const at = (place: Place, ...steps: readonly (string | number)[]): Place => ({
  ...place,
  pointer: pointerTo(place.pointer, ...steps),
});
