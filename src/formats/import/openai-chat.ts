import { finishTurns } from "../finish-turns.ts";
import { readOutput, type ItemContext } from "../peer-item.ts";
import { anyField, isMessageList, isRecord, listField, pointerTo, recordField } from "../records.ts";
import { turnsFromMessages } from "../turns-from-messages.ts";
import { itemsOf, type Importer } from "./importer.ts";

const known = new Set(["messages", "input", "preferred_output", "non_preferred_output", "id", "custom_id"]);

/**
 * OpenAI chat files: `{"messages": […]}` per line, and preference pairs, of which the preferred reply is the reference. A bare list of
 * messages is one conversation.
 */
export const importOpenaiChat: Importer = ({ document, collector, mapping }) => {
  for (const entry of document.values) {
    if (isMessageList(entry.value)) {
      const { system, turns } = turnsFromMessages({ messages: entry.value, place: entry.place, collector });
      collector.add({ place: entry.place, system, turns });
      continue;
    }
    for (const { value, place } of itemsOf({ ...document, values: [entry] }))
      addConversation(value, { place, collector, mapping });
  }
};

function addConversation(value: unknown, context: ItemContext): void {
  const { place, collector } = context;
  const holder = recordField(value, "input") ?? value;
  const messages = listField(holder, "messages");
  if (!isRecord(value) || !messages) return collector.note("dropped", place, "the item has no list messages");
  const other = Object.keys(value).filter((name) => !known.has(name));
  if (other.length > 0) collector.note("dropped", place, `not part of a scenario: ${other.join(", ")}`);
  if ("non_preferred_output" in value) collector.note("dropped", place, "the reply that was not preferred");
  const pointer = pointerTo(place.pointer, ...(holder === value ? [] : ["input"]), "messages");
  const { system, turns } = turnsFromMessages({ messages, place: { ...place, pointer }, collector });
  const preferred = readOutput(value["preferred_output"], context);
  collector.add({ place, id: anyField(value, "id", "custom_id"), system, turns: finishTurns(turns, preferred) });
}
