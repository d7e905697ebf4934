import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { anyField, listField, recordField, scalarText, textField, toTextList } from "../documents/records.ts";
import { readMessage, turnsFromMessages } from "../shared/read-messages.ts";
import { readToolCalls, type ImportedToolCall } from "../shared/tool-calls.ts";
import { keepOthers } from "../shared/dataset-item.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { conversationIds, descend, itemsOf, type ItemContext } from "../shared/items.ts";

/** Names of the list of utterances. */
const lists = ["utterances", "turns", "dialogue", "dialog"];
const known = [...lists, ...conversationIds, "dialogue_id", "services"];

/** True for a list of utterances with speakers, as in Taskmaster, the Schema-Guided Dialogue dataset and MultiWOZ 2.2. */
function isDialogue(value: unknown): boolean {
  const first = utterancesOf(value)?.list[0];
  return scalarText(anyField(first, "speaker", "sender")) !== undefined && readMessage(first) !== undefined;
}

/** Dialogue datasets: the utterances of the user and of the assistant, whom some call the system. */
const importDialogues: Importer = ({ document, collector, mapping }) => {
  for (const { value, place } of itemsOf(document)) {
    const said = utterancesOf(value);
    if (!isRecord(value) || !said) collector.note("dropped", place, "the item has no utterances");
    else addDialogue(value, said, { place, collector, mapping });
  }
};

export const dialogues = defineFormat({
  id: "dialogues",
  title: "Dialogue datasets (Taskmaster, Schema-Guided Dialogue)",
  label: "Taskmaster, SGD",
  extensions: ["json", "jsonl"],
  detect: [{ of: "item", rank: 280, because: "its items have utterances with speakers", holds: isDialogue }],
  isDataset: true,
  read: importDialogues,
});

interface Utterances {
  readonly name: string;
  readonly list: readonly unknown[];
}

function utterancesOf(value: unknown): Utterances | undefined {
  const name = lists.find((candidate) => (listField(value, candidate)?.length ?? 0) > 0);
  return name === undefined ? undefined : { name, list: listField(value, name) ?? [] };
}

function addDialogue(value: JsonRecord, { name, list }: Utterances, context: ItemContext): void {
  const { collector, place } = context;
  const messages: unknown[] = [];
  const steps: string[] = [];
  const annotations = new Set<string>();
  for (const [index, utterance] of list.entries()) {
    for (const part of ["segments", "frames", "annotations"])
      if ((listField(utterance, part)?.length ?? 0) > 0) annotations.add(part);
    const calls = dialogueCalls(utterance);
    // The assistant calls a service before it speaks.
    const spoken = [...(calls.length > 0 ? [{ role: "assistant", content: "", tool_calls: calls }] : []), utterance];
    for (const message of spoken) {
      messages.push(message);
      steps.push(String(index));
    }
  }
  if (annotations.size > 0)
    collector.note("dropped", place, `annotations of the utterances: ${[...annotations].join(", ")}`);
  const at = descend(context, name).place;
  const stepsTo = (index: number): readonly string[] => [steps[index] ?? ""];
  const { system, turns } = turnsFromMessages({ messages, stepsTo, place: at, collector });
  collector.add({
    place,
    id: anyField(value, "dialogue_id", ...conversationIds),
    tags: toTextList(listField(value, "services")),
    metadata: keepOthers(value, known, context),
    system,
    turns,
  });
}

/** The calls of an utterance: Taskmaster's `apis`, or the service calls in the frames of the Schema-Guided Dialogue dataset. */
function dialogueCalls(utterance: unknown): ImportedToolCall[] {
  const frames = (listField(utterance, "frames") ?? []).flatMap((frame): unknown[] => {
    const call = recordField(frame, "service_call");
    const name = textField(call, "method");
    if (name === undefined) return [];
    const result = anyField(frame, "service_results");
    return [compact({ name, arguments: anyField(call, "parameters") ?? {}, result })];
  });
  return readToolCalls([...(listField(utterance, "apis") ?? []), ...frames]);
}
