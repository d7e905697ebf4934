import { isRecord, type JsonRecord } from "../../base/json.ts";
import { withExtras } from "../extras.ts";
import { unpackJson } from "../unpack-json.ts";
import { below, givenBeside, noteLeft, readLabels, type ItemContext } from "../peer-item.ts";
import { anyField, listField, pointerTo, scalarText, textField } from "../records.ts";
import type { TurnDraft } from "../scenario-draft.ts";
import { turnsFromMessages, type Conversation } from "../turns-from-messages.ts";
import { addDatasetItem } from "./dataset-item.ts";
import { itemsOf, type Importer, type Item } from "./importer.ts";

/** Under which names the cases may stand. */
export const deepEvalLists = [
  "goldens",
  "conversational_goldens",
  "conversationalGoldens",
  "test_cases",
  "testCases",
  "conversational_test_cases",
  "conversationalTestCases",
];
const read = [
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
];

/** What a turn says, today and of old. */
const spoken = [...read, "role", "content"];

/** DeepEval goldens and test cases, of one turn or of many. */
export const importDeepEval: Importer = ({ document, collector, mapping }) => {
  const items = document.values.flatMap(({ value, place }) => datasets(value, place));
  for (const { value, place } of items) {
    if (!isRecord(value)) collector.note("dropped", place, "the item is no golden");
    else addGolden(value, { place, collector, mapping });
  }
};

function datasets(value: unknown, place: Item["place"]): Item[] {
  const found = deepEvalLists.filter((name) => listField(value, name));
  // A conversational golden of old has its turns under `goldens` too, but says what it is about.
  if (found.length === 0 || anyField(value, "scenario", "additional_metadata") !== undefined) {
    return itemsOf({ syntax: "json", values: [{ value, place }], notes: [] });
  }
  return found.flatMap((name) =>
    (listField(value, name) ?? []).map((entry, index) => ({
      value: entry,
      place: { ...place, pointer: pointerTo(place.pointer, name, index) },
    })),
  );
}

function addGolden(golden: JsonRecord, context: ItemContext): void {
  noteLeft(givenBeside(golden, read), context);
  if (anyField(golden, "input") === undefined) return addConversational(golden, context);
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
      last: { reply },
    },
    context,
  );
}

function addConversational(golden: JsonRecord, context: ItemContext): void {
  const { place, collector } = context;
  const { system, turns } = readTurns(golden, context);
  if (turns.length === 0) {
    return collector.note(
      "dropped",
      place,
      "the golden has no scripted user turns (its conversation would be simulated)",
    );
  }
  const metadata = anyField(golden, "additional_metadata", "additionalMetadata");
  const labels = readLabels(metadata, below(context, "additional_metadata"));
  const checks = outcomeChecks(golden, context);
  const finished = turns.map((turn, index) => (index < turns.length - 1 ? turn : { ...turn, labels, checks }));
  const description = [textField(golden, "scenario"), textField(golden, "comments")].filter(Boolean).join("\n");
  collector.add(
    withExtras({ place, id: anyField(golden, "id", "name"), description, system, turns: finished }, metadata),
  );
}

/** Turns are messages today, in some files as JSON text; they were goldens of one turn each before. */
function readTurns(golden: JsonRecord, context: ItemContext): Pick<Conversation, "system" | "turns"> {
  const given = { ...golden, turns: unpackJson(golden["turns"]) };
  const name = listField(given, "turns") ? "turns" : "goldens";
  const values = listField(given, name) ?? [];
  for (const [index, value] of values.entries())
    if (isRecord(value)) noteLeft(givenBeside(value, spoken), below(context, name, index));
  if (values.every((value) => anyField(value, "input") === undefined)) {
    return turnsFromMessages({ messages: values, place: below(context, name).place, collector: context.collector });
  }
  const turns = values.flatMap((value): TurnDraft[] => {
    const user = scalarText(anyField(value, "input"));
    const reference = textField(value, "expected_output", "expectedOutput");
    return user === undefined ? [] : [{ user, reference, reply: textField(value, "actual_output", "actualOutput") }];
  });
  return { system: undefined, turns };
}

function outcomeChecks(golden: JsonRecord, { collector, place }: ItemContext): object[] {
  const text = textField(golden, "expected_outcome", "expectedOutcome");
  if (text === undefined || text === "") return [];
  collector.note("changed", place, "expected_outcome became a rubric of the last turn");
  return [{ type: "rubric", text }];
}
