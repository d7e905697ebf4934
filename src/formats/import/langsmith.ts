import { isRecord } from "../../contract/json-record.ts";
import { textList } from "../extras.ts";
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
  "metadata",
  "split",
  "splits",
  "dataset_name",
];

/** LangSmith dataset exports: a list, lines, or `{"examples": […]}` of `{inputs, outputs, metadata}`. */
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
    const output = anyField(value, "outputs", "reference_outputs", "expected");
    const split =
      listField(value, "split", "splits") ?? (scalarText(value["split"]) === undefined ? [] : [value["split"]]);
    const { id, inputs, metadata } = value;
    const item = {
      id,
      input: inputs,
      inputName: "inputs",
      output,
      outputName: "outputs",
      metadata,
      tags: textList(split),
    };
    const context = { place, collector, mapping };
    noteOthers(value, known, context);
    addDatasetItem(item, context);
  }
};
