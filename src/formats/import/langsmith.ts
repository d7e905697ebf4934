import { isRecord, type JsonRecord } from "../../base/json.ts";
import { textList } from "../extras.ts";
import { below, givenBeside, noteLeft, readOutput, type ItemContext } from "../peer-item.ts";
import { anyField, listField, scalarText } from "../records.ts";
import { addDatasetItem, noteOthers } from "./dataset-item.ts";
import { itemsOf, type Importer } from "./importer.ts";

const known = [
  "id",
  "name",
  "inputs",
  "outputs",
  "reference_outputs",
  "expected",
  "expectations",
  "metadata",
  "split",
  "splits",
  "dataset_name",
  "run_type",
];

/** LangSmith dataset exports: a list, lines, or `{"examples": […]}` of `{inputs, outputs, metadata}`; also runs, of which steps are none. */
export const importLangSmith: Importer = ({ document, collector, mapping }) => {
  const examplesOf = (value: unknown) => {
    const list = listField(value, "examples");
    return list && { list, steps: ["examples"] };
  };
  for (const { value, place } of itemsOf(document, examplesOf)) {
    if (!isRecord(value)) {
      collector.note("dropped", place, "the item is no example");
      continue;
    }
    const context = { place, collector, mapping };
    const isRun = "run_type" in value;
    if (isRun && anyField(value, "parent_run_id") !== undefined)
      collector.note("dropped", place, "this is a step of another run");
    else addExample(value, { isRun }, context);
  }
};

/** Beside what is expected, and in a run, `outputs` is what was answered. */
function addExample(value: JsonRecord, { isRun }: { isRun: boolean }, context: ItemContext): void {
  const { inputs, outputs, metadata } = value;
  const expected = anyField(value, "reference_outputs", "expected") ?? expectedResponse(value, context);
  const isPast = isRun || expected !== undefined || isRecord(value["expectations"]);
  const reply = isPast ? readOutput(outputs, below(context, "outputs")).reference : undefined;
  const split =
    listField(value, "split", "splits") ?? (scalarText(value["split"]) === undefined ? [] : [value["split"]]);
  noteOthers(value, known, context);
  addDatasetItem(
    {
      id: anyField(value, "id", "run_id"),
      input: inputs,
      inputName: "inputs",
      output: isPast ? expected : outputs,
      outputName: anyField(value, "reference_outputs") === undefined ? "outputs" : "reference_outputs",
      metadata,
      tags: textList(split),
      last: { reply },
    },
    context,
  );
}

/** MLflow has several things to expect of a reply; the one that is a reply itself can be the reference. */
function expectedResponse({ expectations }: JsonRecord, context: ItemContext): unknown {
  if (!isRecord(expectations)) return undefined;
  noteLeft(givenBeside(expectations, ["expected_response"]), below(context, "expectations"));
  return expectations["expected_response"];
}
