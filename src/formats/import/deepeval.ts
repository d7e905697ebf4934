import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { parseIfJson } from "../documents/exact-json.ts";
import {
  anyField,
  listField,
  scalarText,
  textField,
  locationBelow,
  hasAnyField,
  hasFields,
  hasList,
} from "../documents/records.ts";
import { takeContext } from "../shared/context-fields.ts";
import { withExtras } from "../shared/extras.ts";
import type { ImportedTurn } from "../shared/imported-scenario.ts";
import { readMessage, turnsFromMessages, type ParsedConversation } from "../shared/read-messages.ts";
import { readToolCalls, toReferenceCalls } from "../shared/tool-calls.ts";
import { addDatasetItem, keepOthers, splitMetadata } from "../shared/dataset-item.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { descend, itemsOf, noteIgnored, otherFields, type Item, type ItemContext } from "../shared/items.ts";
import { itemTable } from "../tables/item-table.ts";

/** The names under which a dataset lists its cases. */
const deepEvalLists = [
  "goldens",
  "conversational_goldens",
  "conversationalGoldens",
  "test_cases",
  "testCases",
  "conversational_test_cases",
  "conversationalTestCases",
];
const goldenFields = [
  ...deepEvalLists,
  "id",
  "name",
  "input",
  "expected_output",
  "expectedOutput",
  "actual_output",
  "actualOutput",
  "turns",
  "scenario",
  "expected_outcome",
  "expectedOutcome",
  "comments",
  "additional_metadata",
  "additionalMetadata",
  "expected_tools",
  "expectedTools",
  "tools_called",
  "toolsCalled",
];

/** The known fields of a turn, in the current and the older form. */
const turnFields = [...goldenFields, "role", "content"];

/** DeepEval goldens and test cases, single-turn and conversational. */
const importDeepEval: Importer = ({ document, collector, mapping }) => {
  const items = document.values.flatMap(({ value, place }) => datasets(value, place));
  for (const { value, place } of items) {
    if (!isRecord(value)) collector.note("dropped", place, "the item is not a golden");
    else addGolden(value, { place, collector, mapping });
  }
};

export const deepEval = defineFormat({
  id: "deepeval",
  title: "DeepEval goldens and test cases",
  label: "DeepEval",
  extensions: ["json", "jsonl"],
  detect: [
    { of: "file", rank: 120, because: "it has goldens or test cases", holds: hasList(...deepEvalLists) },
    { of: "item", rank: 300, because: "its items have turns", holds: hasList("turns") },
    {
      of: "item",
      rank: 310,
      because: "its items have a scenario and an expected outcome",
      holds: (value) => hasFields("scenario")(value) && hasAnyField("expected_outcome", "expectedOutcome")(value),
    },
    {
      of: "item",
      rank: 320,
      because: "its items have DeepEval fields",
      holds: (value) =>
        hasFields("input")(value) &&
        hasAnyField(
          "actual_output",
          "actualOutput",
          "retrieval_context",
          "retrievalContext",
          "expected_tools",
          "additional_metadata",
          "source_file",
        )(value),
    },
    {
      of: "item",
      rank: 360,
      because: "its items have input and expected_output",
      holds: hasFields("input", "expected_output"),
    },
  ],
  tables: [
    itemTable({
      rank: 100,
      holds: (has) =>
        has("scenario", "turns", "expected_outcome") ||
        (has("input", "expected_output") &&
          ["retrieval_context", "source_file", "tools_called"].some((name) => has(name))),
      texts: ["input", "expected_output", "actual_output"],
      read: importDeepEval,
    }),
  ],
  isDataset: true,
  read: importDeepEval,
});

function datasets(value: unknown, place: Item["place"]): Item[] {
  const found = deepEvalLists.filter((name) => listField(value, name));
  // An older conversational golden also has its turns under `goldens`, but it has a scenario text.
  if (found.length === 0 || anyField(value, "scenario", "additional_metadata") !== undefined) {
    return itemsOf({ syntax: "json", values: [{ value, place }], notes: [] });
  }
  return found.flatMap((name) =>
    (listField(value, name) ?? []).map((entry, index) => ({
      value: entry,
      place: locationBelow(place, name, index),
    })),
  );
}

function addGolden(golden: JsonRecord, context: ItemContext): void {
  const others = keepOthers(golden, goldenFields, context);
  if (anyField(golden, "input") === undefined) return addConversational(golden, others, context);
  const reply = textField(golden, "actual_output", "actualOutput");
  addDatasetItem(
    {
      id: anyField(golden, "id", "name"),
      input: golden["input"],
      inputName: "input",
      output: anyField(golden, "expected_output", "expectedOutput"),
      outputName: "expected_output",
      metadata: anyField(golden, "additional_metadata", "additionalMetadata"),
      metadataName: "additional_metadata",
      description: textField(golden, "comments"),
      others,
      last: { reply, ...toolsOf(golden, context) },
    },
    context,
  );
}

/** `expected_tools` are expected calls; `tools_called` were made, and their outputs are known. */
function toolsOf(
  golden: JsonRecord,
  { place, collector: { note } }: ItemContext,
): Pick<ImportedTurn, "expected" | "calls"> {
  const named = parseIfJson(anyField(golden, "expected_tools", "expectedTools"));
  const calls = readToolCalls(parseIfJson(anyField(golden, "tools_called", "toolsCalled")));
  const expected = Array.isArray(named) ? toReferenceCalls(readToolCalls(named), { place, note }) : undefined;
  // A tool without parameters is expected with any.
  return compact({ expected, calls: calls.length > 0 ? calls : undefined });
}

function addConversational(golden: JsonRecord, others: JsonRecord, context: ItemContext): void {
  const { place, collector } = context;
  const { system, turns } = readGoldenTurns(golden, context);
  if (turns.length === 0) {
    return collector.note(
      "dropped",
      place,
      "the golden has no scripted user turns (its conversation would be simulated)",
    );
  }
  const given = anyField(golden, "additional_metadata", "additionalMetadata");
  const { labels, metadata } = splitMetadata(given, descend(context, "additional_metadata"));
  const checks = outcomeChecks(golden, context);
  const finished = turns.map((turn, index) => (index < turns.length - 1 ? turn : { ...turn, labels, checks }));
  const description = [textField(golden, "scenario"), textField(golden, "comments")].filter(Boolean).join("\n");
  collector.add(
    withExtras(
      {
        place,
        id: anyField(golden, "id", "name"),
        description,
        system,
        metadata: { ...others, ...metadata },
        turns: finished,
      },
      given,
    ),
  );
}

/** Turns are messages (in some files as JSON text); in older files each turn is a golden. */
function readGoldenTurns(golden: JsonRecord, context: ItemContext): Pick<ParsedConversation, "system" | "turns"> {
  const given = { ...golden, turns: parseIfJson(golden["turns"]) };
  const name = listField(given, "turns") ? "turns" : "goldens";
  const values = listField(given, name) ?? [];
  for (const [index, value] of values.entries())
    if (isRecord(value)) noteIgnored(otherFields(takeContext(value).rest, turnFields), descend(context, name, index));
  if (values.every((value) => anyField(value, "input") === undefined)) {
    const { system, turns } = turnsFromMessages({
      messages: values,
      place: descend(context, name).place,
      collector: context.collector,
    });
    return { system, turns: withPassages(turns, values) };
  }
  const turns = values.flatMap((value): ImportedTurn[] => {
    const user = scalarText(anyField(value, "input"));
    const reference = textField(value, "expected_output", "expectedOutput");
    const reply = textField(value, "actual_output", "actualOutput");
    return user === undefined || !isRecord(value)
      ? []
      : [{ user, reference, reply, context: takeContext(value).context, ...toolsOf(value, context) }];
  });
  return { system: undefined, turns };
}

/** The passages beside an answer belong to the user's message before it. */
function withPassages(turns: readonly ImportedTurn[], messages: readonly unknown[]): ImportedTurn[] {
  const passages = new Map<number, ImportedTurn["context"]>();
  let turn = -1;
  for (const message of messages) {
    if (readMessage(message)?.role === "user") turn++;
    const { context } = takeContext(message);
    if (context) passages.set(turn, [...(passages.get(turn) ?? []), ...context]);
  }
  return turns.map((each, index) => (passages.has(index) ? { ...each, context: passages.get(index) } : each));
}

function outcomeChecks(golden: JsonRecord, { collector, place }: ItemContext): object[] {
  const text = textField(golden, "expected_outcome", "expectedOutcome");
  if (text === undefined || text === "") return [];
  collector.note("changed", place, "expected_outcome became a rubric of the last turn");
  return [{ type: "rubric", text }];
}
