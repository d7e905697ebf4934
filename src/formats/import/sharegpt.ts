import { isRecord } from "../../base/json.ts";
import { anyField, listField, textField, locationBelow, hasAnyField } from "../documents/records.ts";
import { completeLastTurn } from "../shared/imported-scenario.ts";
import { turnsFromMessages } from "../shared/read-messages.ts";
import { readTools } from "../shared/tool-calls.ts";
import { isUndesired, keepOthers, readOutput, withoutKtoTag, withoutReply } from "../shared/dataset-item.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { conversationIds, itemsOf } from "../shared/items.ts";
import { exportShareGpt } from "../export/scenarios/chats.ts";

const known = [...conversationIds, "conversations", "conversation", "system", "chosen", "rejected", "tools"];

/**
 * ShareGPT: `{"conversations": [{"from": "human" | "gpt" | "system", "value"}]}`; in preference pairs the chosen reply is the
 * reference.
 */
const importShareGpt: Importer = ({ document, collector, mapping }) => {
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

export const shareGpt = defineFormat({
  id: "sharegpt",
  title: "ShareGPT conversations",
  label: "ShareGPT",
  extensions: ["json", "jsonl"],
  detect: [
    {
      of: "item",
      rank: 210,
      because: "its items have conversations",
      holds: (value) =>
        hasAnyField("from", "value", "role", "content")(listField(value, "conversations", "conversation")?.[0]),
    },
  ],
  isDataset: true,
  read: importShareGpt,
  write: exportShareGpt,
});
