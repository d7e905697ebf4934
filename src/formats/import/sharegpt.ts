import { isRecord } from "../../base/json.ts";
import { anyField, listField, textField, locationBelow } from "../documents/records.ts";
import { completeLastTurn } from "../imported-scenario.ts";
import { turnsFromMessages } from "../read-messages.ts";
import { isUndesired, readOutput, withoutKtoTag } from "./dataset-item.ts";
import { conversationIds, itemsOf, type Importer, noteIgnored } from "./importer.ts";

const known = new Set([...conversationIds, "conversations", "conversation", "system", "chosen"]);

/**
 * ShareGPT: `{"conversations": [{"from": "human" | "gpt" | "system", "value"}]}`; in preference pairs the chosen reply is the
 * reference.
 */
export const importShareGpt: Importer = ({ document, collector, mapping }) => {
  for (const { value, place } of itemsOf(document)) {
    const name = listField(value, "conversations") ? "conversations" : "conversation";
    const messages = listField(value, name);
    if (!isRecord(value) || !messages) {
      collector.note("dropped", place, "the item has no list of conversations");
      continue;
    }
    const other = Object.keys(withoutKtoTag(value)).filter((key) => !known.has(key));
    noteIgnored(other, { place, collector });
    const at = locationBelow(place, name);
    const { system, turns } = turnsFromMessages({ messages, place: at, collector });
    const preferred = readOutput(value["chosen"], { place, collector, mapping });
    collector.add({
      place,
      id: anyField(value, ...conversationIds),
      system: system ?? textField(value, "system"),
      turns: completeLastTurn(turns, isUndesired(value, { place, collector }) ? { reference: "" } : preferred),
    });
  }
};
