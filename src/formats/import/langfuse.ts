import { isRecord } from "../../base/json.ts";
import { anyField, listField, scalarText } from "../records.ts";
import { addDatasetItem, noteOthers } from "./dataset-item.ts";
import { itemsOf, type Importer } from "./importer.ts";

const known = ["id", "input", "expectedOutput", "expected_output", "metadata", "status", "datasetName", "dataset_name"];

/** Langfuse dataset items: a list, lines, or an API page `{"data": […]}` of `{input, expectedOutput, metadata}`. */
export const importLangfuse: Importer = ({ document, collector, mapping }) => {
  const pageOf = (value: unknown) => {
    const name = listField(value, "data") ? "data" : "items";
    const list = listField(value, name);
    return list && { list, steps: [name] };
  };
  for (const { value, place } of itemsOf(document, pageOf)) {
    if (!isRecord(value)) collector.note("dropped", place, "the item is no dataset item");
    else if (scalarText(value["status"])?.toUpperCase() === "ARCHIVED")
      collector.note("dropped", place, "the item is archived");
    else {
      const output = anyField(value, "expectedOutput", "expected_output");
      const { id, input, metadata } = value;
      const item = { id, input, inputName: "input", output, outputName: "expectedOutput", metadata };
      const context = { place, collector, mapping };
      noteOthers(value, known, context);
      addDatasetItem(item, context);
    }
  }
};
