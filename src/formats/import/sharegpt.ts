import { isRecord } from "../../base/json.ts";
import { finishTurns } from "../finish-turns.ts";
import { readOutput } from "../peer-item.ts";
import { anyField, listField, pointerTo, textField } from "../records.ts";
import { turnsFromMessages } from "../turns-from-messages.ts";
import { conversationIds, itemsOf, type Importer } from "./importer.ts";
import { isUndesired, untagged } from "./undesired-reply.ts";

const known = new Set([...conversationIds, "conversations", "conversation", "system", "chosen"]);

/** ShareGPT: `{"conversations": [{"from": "human" | "gpt" | "system", "value"}]}`, every turn of it; in pairs the chosen reply counts. */
export const importShareGpt: Importer = ({ document, collector, mapping }) => {
  for (const { value, place } of itemsOf(document)) {
    const name = listField(value, "conversations") ? "conversations" : "conversation";
    const messages = listField(value, name);
    if (!isRecord(value) || !messages) {
      collector.note("dropped", place, "the item has no list conversations");
      continue;
    }
    const other = Object.keys(untagged(value)).filter((key) => !known.has(key));
    if (other.length > 0) collector.note("dropped", place, `not part of a scenario: ${other.join(", ")}`);
    const at = { ...place, pointer: pointerTo(place.pointer, name) };
    const { system, turns } = turnsFromMessages({ messages, place: at, collector });
    const preferred = readOutput(value["chosen"], { place, collector, mapping });
    collector.add({
      place,
      id: anyField(value, ...conversationIds),
      system: system ?? textField(value, "system"),
      turns: finishTurns(turns, isUndesired(value, { place, collector }) ? { reference: "" } : preferred),
    });
  }
};
