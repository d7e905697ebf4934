import { isRecord } from "../../contract/json-record.ts";
import { addDatasetItem } from "./dataset-item.ts";
import { itemsOf, type Importer } from "./importer.ts";

const known = new Set(["id", "input", "target", "metadata"]);

/** Inspect samples: `input` is text or messages, `target` one text or several that are all right. */
export const importInspect: Importer = ({ document, collector, mapping }) => {
  for (const { value, place } of itemsOf(document)) {
    if (!isRecord(value)) {
      collector.note("dropped", place, "the item is no sample");
      continue;
    }
    const other = Object.keys(value).filter((name) => !known.has(name) && value[name] !== null);
    if (other.length > 0) collector.note("dropped", place, `not part of a scenario: ${other.join(", ")}`);
    const { id, input, target, metadata } = value;
    addDatasetItem(
      { id, input, inputName: "input", output: target, outputName: "target", metadata },
      { place, collector, mapping },
    );
  }
};
