import { isRecord, type JsonRecord } from "../../base/json.ts";
import { anyField, listField, scalarText, toTextList } from "../documents/records.ts";
import { addDatasetItem, noteOtherFields, readOutput } from "./dataset-item.ts";
import { descend, itemsOf, noteIgnored, otherFields, type Importer, type ItemContext, listUnder } from "./importer.ts";

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

/** LangSmith dataset exports: a list, JSON lines, or `{"examples": […]}` of `{inputs, outputs, metadata}`; also top-level runs. */
export const importLangSmith: Importer = ({ document, collector, mapping }) => {
  for (const { value, place } of itemsOf(document, listUnder("examples"))) {
    if (!isRecord(value)) {
      collector.note("dropped", place, "the item is not an example");
      continue;
    }
    const context = { place, collector, mapping };
    const isRun = "run_type" in value;
    if (isRun && anyField(value, "parent_run_id") !== undefined)
      collector.note("dropped", place, "this is a step of another run");
    else addExample(value, { isRun }, context);
  }
};

/** In a run, or beside expected outputs, `outputs` is the past reply. */
function addExample(value: JsonRecord, { isRun }: { isRun: boolean }, context: ItemContext): void {
  const { inputs, outputs, metadata } = value;
  const expected = anyField(value, "reference_outputs", "expected") ?? expectedResponse(value, context);
  const isPast = isRun || expected !== undefined || isRecord(value["expectations"]);
  const reply = isPast ? readOutput(outputs, descend(context, "outputs")).reference : undefined;
  const split =
    listField(value, "split", "splits") ?? (scalarText(value["split"]) === undefined ? [] : [value["split"]]);
  noteOtherFields(value, known, context);
  addDatasetItem(
    {
      id: anyField(value, "id", "run_id"),
      input: inputs,
      inputName: "inputs",
      output: isPast ? expected : outputs,
      outputName: anyField(value, "reference_outputs") === undefined ? "outputs" : "reference_outputs",
      metadata,
      tags: toTextList(split),
      last: { reply },
    },
    context,
  );
}

/** MLflow stores several expectations; only the expected response can be a reference reply. */
function expectedResponse({ expectations }: JsonRecord, context: ItemContext): unknown {
  if (!isRecord(expectations)) return undefined;
  noteIgnored(otherFields(expectations, ["expected_response"]), descend(context, "expectations"));
  return expectations["expected_response"];
}
