import { isRecord, type JsonRecord } from "../../base/json.ts";
import { withExtras } from "../extras.ts";
import { finishTurns } from "../finish-turns.ts";
import { below, nameOfRole, onlyText, readInput, readLabels, readOutput, type ItemContext } from "../peer-item.ts";
import { anyField, field, listField, recordField, scalarText, textField } from "../records.ts";
import { itemsOf, type Importer } from "./importer.ts";

const references = [
  "reference",
  "expected",
  "expected_output",
  "ideal",
  "target",
  "ground_truth",
  "correct_label",
  "label",
  "answer",
];

/** OpenAI Evals: output items of a run, `{item, sample}` data lines, and the open-source `{input, ideal}` samples. */
export const importOpenaiEvals: Importer = ({ document, collector, mapping }) => {
  const pageOf = (value: unknown) => {
    const list = listField(value, "data");
    if (list) return { list, steps: ["data"] };
    const content = listField(recordField(recordField(value, "data_source"), "source"), "content");
    return content && { list: content, steps: ["data_source", "source", "content"] };
  };
  const seen = new Set<string>();
  for (const { value, place } of itemsOf(document, pageOf)) {
    const context = { place, collector, mapping };
    const samples = registeredSamples(value);
    if (samples.length > 0) {
      collector.note("dropped", place, `this says how evals are made; import their samples: ${samples.join(", ")}`);
      continue;
    }
    const itemId = scalarText(field(value, "datasource_item_id"));
    if (!isRecord(value)) collector.note("dropped", place, "the line is no eval item");
    else if (["eval", "eval.run"].includes(scalarText(value["object"]) ?? ""))
      collector.note("dropped", place, "this says how an eval is made; its data are in the file of its data source");
    else if (itemId !== undefined && seen.has(itemId))
      collector.note("dropped", place, `another reply to item ${itemId}; the first was kept`);
    else addItem(value, context);
    if (itemId !== undefined) seen.add(itemId);
  }
};

/** The files of samples that a registry of the open-source `evals` names, each under the name of an eval. */
export const registeredSamples = (value: unknown): string[] =>
  Object.values(isRecord(value) ? value : {}).flatMap(
    (entry) => textField(recordField(entry, "args"), "samples_jsonl") ?? [],
  );

function addItem(value: JsonRecord, context: ItemContext): void {
  const { place, collector, mapping } = context;
  const name = ["datasource_item", "item"].find((key) => recordField(value, key));
  const data = itemData(name === undefined ? value : (recordField(value, name) ?? {}));
  const sample = recordField(value, "sample");
  const prompt = listField(sample, "input");
  const expectedName = mapping.reference ?? references.find((key) => anyField(data, key) !== undefined);
  const { [expectedName ?? ""]: answer, ...question } = data;
  const conversation =
    prompt && prompt.length > 0
      ? readInput(prompt, below(context, "sample", "input"))
      : readInput(question, below(context, ...(name === undefined ? [] : [name])));
  if (!conversation || conversation.turns.length === 0)
    return collector.note("dropped", place, "the item has no user message");
  const expected = readOutput(answer, context);
  noteResults(value, context);
  const asked = nameOfRole(question, "user", mapping) ?? onlyText(question);
  const used = new Set([expectedName, asked, "id", "input", "messages"]);
  const rest = Object.fromEntries(Object.entries(data).filter(([key]) => !used.has(key)));
  const turns = finishTurns(conversation.turns, {
    ...expected,
    reply: replyText(sample, context),
    labels: readLabels(rest, context),
  });
  const id = anyField(value, "datasource_item_id", "id") ?? data["id"];
  collector.add(withExtras({ place, id, system: conversation.system, turns }, data));
}

/** The item proper may be nested once more, as it was uploaded. */
const itemData = (item: JsonRecord): JsonRecord => recordField(item, "item") ?? item;

function replyText(sample: JsonRecord | undefined, context: ItemContext): string | undefined {
  const text = scalarText(field(sample, "output_text"));
  return text ?? readOutput(anyField(sample, "output"), below(context, "sample", "output")).reference;
}

function noteResults(value: JsonRecord, { place, collector }: ItemContext): void {
  const results = listField(value, "results") ?? [];
  const told = results.map(
    (result) =>
      `${scalarText(field(result, "name")) ?? "grader"} ${field(result, "passed") === true ? "passed" : "failed"}`,
  );
  if (told.length > 0) collector.note("dropped", place, `results of the past run: ${told.join(", ")}`);
}
