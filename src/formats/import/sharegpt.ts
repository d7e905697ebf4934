import { isRecord } from "../../base/json.ts";
import { anyField, listField, textField, locationBelow } from "../documents/records.ts";
import { completeLastTurn } from "../shared/imported-scenario.ts";
import { turnsFromMessages } from "../shared/read-messages.ts";
import { readTools } from "../shared/tool-calls.ts";
import { isUndesired, keepOthers, readOutput, withoutKtoTag, withoutReply } from "../shared/dataset-item.ts";
import { conversationIds, itemsOf, type Importer } from "../shared/importer.ts";

const known = [...conversationIds, "conversations", "conversation", "system", "chosen", "rejected", "tools"];

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
    const metadata = keepOthers(withoutKtoTag(value), known, { place, collector });
    if ("rejected" in value) collector.note("dropped", place, "the rejected reply", "rejected replies");
    const at = locationBelow(place, name);
    const { system, turns } = turnsFromMessages({ messages, place: at, collector });
    const preferred = readOutput(value["chosen"], { place, collector, mapping });
    collector.add({
      place,
      id: anyField(value, ...conversationIds),
      system: system ?? textField(value, "system"),
      metadata,
      tools: readTools(value["tools"]),
      turns: isUndesired(value, { place, collector }) ? withoutReply(turns) : completeLastTurn(turns, preferred),
    });
  }
};
