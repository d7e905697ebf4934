import { z } from "zod";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { ScenarioFields } from "../../contract/schemas/scenario.ts";
import {
  anyField,
  field,
  listField,
  recordField,
  scalarText,
  textField,
  toTextList,
  locationBelow,
  hasFields,
  hasList,
} from "../documents/records.ts";
import type { ImportedTurn } from "../shared/imported-scenario.ts";
import type { ScenarioCollector } from "../shared/scenario-collector.ts";
import type { SourceLocation } from "../documents/format-error.ts";
import { noteUnknownFields } from "../shared/unknown-fields.ts";
import { defineFormat, type Importer, type DetectionRule } from "../shared/define-format.ts";
import { allButFirst, itemsOf, type Item } from "../shared/items.ts";
import { exportScenarioJson, exportScenarioLines, exportScenarioYaml } from "../export/scenarios/rehearsal.ts";

/** The fields of a turn of a scenario, which a turn of a result has too. */
const interactionFields = new Set([
  "id",
  "user_message",
  "prompt",
  "agent_reply",
  "context",
  "reference_reply",
  "references",
  "reference_tool_calls",
  "interaction_type",
  "reference_metadata",
  "checks",
  "generated_metadata",
]);

interface FileKind {
  readonly is: (value: unknown) => boolean;
  readonly called: string;
}

const text: FileKind = { is: (value) => scalarText(value) !== undefined, called: "text" };
const list: FileKind = { is: Array.isArray, called: "a list" };
const object: FileKind = { is: isRecord, called: "an object" };

/** Expected types of the fields. A scenario with a wrong type is dropped: without that field it would test something else. */
const scenarioKinds: Readonly<Record<string, FileKind>> = {
  description: text,
  tags: list,
  system_prompt: text,
  metadata: object,
  world: object,
  tool_matching: object,
  expect: object,
  user: object,
};
const interactionKinds: Readonly<Record<string, FileKind>> = {
  prompt: text,
  agent_reply: text,
  context: list,
  reference_reply: { ...text, called: "text; further replies go under references" },
  references: list,
  reference_tool_calls: list,
  interaction_type: text,
  reference_metadata: object,
  checks: list,
  generated_metadata: object,
};

/** Rehearsal's own format in JSON, JSON lines or YAML: a scenario, a list, `test_batch`, or an evaluation request or response. */
const importScenarioItems: Importer = ({ document, collector, mapping }) => {
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
  noteListFields(document.values, collector);
  if (Object.keys(mapping).length > 0)
    collector.note("dropped", {}, "the mapping: scenario files have fixed field names");
};

/** Rules for all three syntaxes. */
const detect: readonly DetectionRule[] = [
  { of: "file", rank: 20, because: "it has test_batch", holds: hasFields("test_batch") },
  {
    of: "file",
    rank: 30,
    because: "it is an evaluation response",
    holds: (value) => listField(field(value, "results"), "scenarios") !== undefined,
  },
  {
    of: "file",
    rank: 180,
    because: "it has scenarios with interactions",
    holds: (value) => hasList("interactions")(listField(value, "scenarios")?.[0]),
  },
  {
    of: "item",
    rank: 70,
    because: "its items have interactions",
    holds: (value) =>
      listField(value, "interactions") !== undefined || recordField(value, "interactions") !== undefined,
  },
  {
    of: "item",
    rank: 80,
    because: "its items have a simulated user",
    holds: (value) => hasFields("goal")(recordField(value, "user")),
  },
  {
    of: "item",
    rank: 90,
    because: "its items have turns like ours",
    holds: (value) => hasFields("user_message")(listField(value, "turns")?.[0]),
  },
];

export const json = defineFormat({
  id: "json",
  title: "Scenario JSON (test_batch, evaluation request, or a list)",
  label: "Scenario JSON",
  extensions: ["json"],
  detect,
  syntax: "json",
  isOwn: true,
  read: importScenarioItems,
  write: exportScenarioJson,
});

export const jsonl = defineFormat({
  id: "jsonl",
  title: "Scenario JSON lines",
  label: "Scenario JSON lines",
  extensions: ["jsonl", "ndjson"],
  syntax: "jsonl",
  isOwn: true,
  read: importScenarioItems,
  write: exportScenarioLines,
});

export const yaml = defineFormat({
  id: "yaml",
  title: "Scenario YAML (one or many documents)",
  label: "Scenario YAML",
  extensions: ["yaml", "yml"],
  syntax: "yaml",
  isOwn: true,
  read: importScenarioItems,
  write: exportScenarioYaml,
});

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
  const hasUnknown = noteUnknownFields({ value, schema: ScenarioFields, place }, collector);
  if (!isRecord(value) || !interactions)
    return collector.note("dropped", place, "the item is not a scenario: it has no list of interactions");
  const isWrong = noteWrongKinds({ record: value, kinds: scenarioKinds, place, collector });
  const turns = interactions.map((entry, index) =>
    readOwnTurn(entry, locationBelow(place, "interactions", index), collector),
  );
  if (turns.some((turn) => !turn))
    return collector.note("dropped", place, "the scenario was dropped because of the turn named above");
  if (isWrong) return collector.note("dropped", place, "the scenario was dropped because of the field named above");
  if (hasUnknown && collector.isClosed)
    return collector.note(
      "dropped",
      place,
      "the scenario was dropped because of the unknown fields named above (data of your own goes under metadata, or under names that begin with x-)",
    );
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

function readOwnTurn(value: unknown, place: SourceLocation, collector: ScenarioCollector): ImportedTurn | undefined {
  const user = isRecord(value) ? scalarText(value["user_message"]) : undefined;
  if (!isRecord(value) || user === undefined) {
    collector.note("dropped", place, "user_message is missing or not text");
    return undefined;
  }
  if (noteWrongKinds({ record: value, kinds: interactionKinds, place, collector })) return undefined;
  if (field(value, "tool_calls") !== undefined)
    collector.note("dropped", place, "tool_calls: recorded calls are not kept");
  return {
    id: value["id"],
    user,
    prompt: scalarText(value["prompt"]),
    reply: scalarText(value["agent_reply"]),
    context: listField(value, "context") as ImportedTurn["context"],
    reference: scalarText(value["reference_reply"]),
    references: toTextList(listField(value, "references")),
    expected: listField(value, "reference_tool_calls"),
    type: scalarText(value["interaction_type"]),
    labels: recordField(value, "reference_metadata"),
    checks: listField(value, "checks"),
    generated: recordField(value, "generated_metadata"),
  };
}

interface FieldKinds {
  readonly record: JsonRecord;
  readonly kinds: Readonly<Record<string, FileKind>>;
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

const RequestSettings = EvaluationRequest.omit({ test_batch: true });

/** The other fields of an evaluation request are settings of the run. */
function noteRequestFields(values: readonly Item[], collector: ScenarioCollector): void {
  for (const { value, place } of values) {
    if (!isRecord(value) || !("test_batch" in value)) continue;
    const { test_batch: _, ...settings } = value;
    if (collector.isClosed)
      noteUnknownFields({ value: settings, schema: RequestSettings, place, called: "unknown settings" }, collector);
    const left = Object.keys(settings).filter((name) => name !== "system_prompt");
    if (left.length > 0) collector.note("dropped", place, `settings of the run, not of a scenario: ${left.join(", ")}`);
  }
}

/** A list of scenarios with something beside it, such as a world for all of them, which would be lost. */
const ScenarioList = z.object({ scenarios: z.unknown(), next_cursor: z.unknown(), warnings: z.unknown() });

function noteListFields(values: readonly Item[], collector: ScenarioCollector): void {
  for (const { value, place } of values) {
    if (!collector.isClosed || !listField(value, "scenarios") || field(value, "test_batch") || field(value, "results"))
      continue;
    noteUnknownFields({ value, schema: ScenarioList, place, called: "unknown fields beside scenarios" }, collector);
  }
}
