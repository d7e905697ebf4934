import { isRecord } from "../../base/json.ts";
import { addDatasetItem } from "./dataset-item.ts";
import { itemsOf, type Importer } from "./importer.ts";
import { withChoices } from "./with-choices.ts";

const known = ["id", "input", "target", "metadata"];

/** Inspect samples: `input` is text or messages, `target` one text or several that are all right. */
export const importInspect: Importer = ({ document, collector, mapping }) => {
  for (const { value, place } of itemsOf(document)) {
    if (!isRecord(value)) {
      collector.note("dropped", place, "the item is no sample");
      continue;
    }
    const { id, input, target, metadata, choices } = value;
    const asked = withChoices({ input, target }, choices);
    if (asked) collector.note("changed", place, "the choices were written below the question");
    const read = asked ? [...known, "choices"] : known;
    const other = Object.keys(value).filter((name) => !read.includes(name) && value[name] !== null);
    if (other.length > 0) collector.note("dropped", place, `not part of a scenario: ${other.join(", ")}`);
    addDatasetItem(
      {
        id,
        input: asked?.input ?? input,
        inputName: "input",
        output: asked?.target ?? target,
        outputName: "target",
        metadata,
      },
      { place, collector, mapping },
    );
  }
};
