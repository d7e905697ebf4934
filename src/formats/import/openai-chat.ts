import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ColumnMapping } from "../column-mapping.ts";
import { finishTurns } from "../finish-turns.ts";
import { below, nameOfRole, readOutput, type ItemContext } from "../peer-item.ts";
import { readContent, readMessage } from "../read-message.ts";
import { anyField, field, isMessageList, listField, pointerTo, recordField, textField } from "../records.ts";
import { turnsFromMessages } from "../turns-from-messages.ts";
import { chatGptMessages, isChatGptExport } from "./chatgpt.ts";
import { conversationIds, itemsOf, type Importer } from "./importer.ts";
import { transcriptMessages } from "./transcript.ts";
import { isUndesired, untagged } from "./undesired-reply.ts";

/** What a list of messages goes by: in requests to OpenAI and Anthropic, to Gemini, in preference pairs, and in requests for OpenAI's responses. */
const lists = ["messages", "contents", "chosen", "chosen_messages", "input"];
/** Where the system prompt stands that is no message: with Anthropic and Bedrock, with Gemini, and with OpenAI's responses. */
const systems = ["system", "system_instruction", "systemInstruction", "instructions"];
/** What a preferred reply goes by, and one that was not. */
const preferred = ["preferred_output", "chosen"];
const rejected = ["non_preferred_output", "rejected", "rejected_messages"];
/** Where a request is in: a preference pair, or a line for the batch interface. */
const holders = ["input", "body"];

const known = new Set([...lists, ...systems, ...preferred, ...rejected, ...holders, ...conversationIds]);

/**
 * Chat files: `{"messages": […]}` per line, and preference pairs, of which the preferred reply is the reference. A bare list of
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
  if (isChatGptExport(value)) return addExported(value, context);
  const holder = holders.find((name) => recordField(value, name));
  const request = holder === undefined ? value : recordField(value, holder);
  const name = lists.find((candidate) => messagesIn(request, candidate));
  const messages = name === undefined ? undefined : messagesIn(request, name);
  if (!isRecord(value) || !isRecord(request) || !messages || name === undefined)
    return collector.note("dropped", place, "the item has no list messages");
  const answer = answerName(value, { name, messages, mapping: context.mapping });
  const names = [...Object.keys(untagged(value)), ...(holder === undefined ? [] : Object.keys(request))];
  noteOthers(
    names.filter((candidate) => candidate !== answer),
    context,
  );
  const pointer = pointerTo(place.pointer, ...(holder === undefined ? [] : [holder]), name);
  const { system, turns } = turnsFromMessages({ messages, place: { ...place, pointer }, collector });
  const reply = readOutput(answer === undefined ? undefined : value[answer], below(context, answer ?? name));
  collector.add({
    place,
    id: anyField(value, ...conversationIds),
    system: system ?? systemOf(request),
    turns: finishTurns(turns, isUndesired(value, context) ? { reference: "" } : reply),
  });
}

/** Messages in a list, in one text of several speakers, or the only message as its text. */
function messagesIn(request: unknown, name: string): readonly unknown[] | undefined {
  const value = field(request, name);
  if (name === "input" && typeof value === "string") return [{ role: "user", content: value }];
  return listField(request, name) ?? transcriptMessages(value);
}

function addExported(value: unknown, { place, collector }: ItemContext): void {
  const { messages, stepsTo, left } = chatGptMessages(value);
  if (left.length > 0) collector.note("dropped", place, `not part of a scenario: ${left.join(", ")}`);
  const { turns } = turnsFromMessages({ messages, stepsTo, place, collector });
  const description = textField(value, "title");
  collector.add({ place, id: anyField(value, ...conversationIds), description, turns });
}

interface Asked {
  readonly name: string;
  readonly messages: readonly unknown[];
  readonly mapping: ColumnMapping;
}

/** Where the reply stands that is no message: the mapped one, the preferred one, or what a dataset expects where the last message waits for it. */
function answerName(value: JsonRecord, { name, messages, mapping }: Asked): string | undefined {
  const isWaiting = readMessage(messages.at(-1))?.role === "user";
  const named = nameOfRole(value, "reference", mapping);
  const names = mapping.reference === undefined ? [...preferred, ...(isWaiting ? [named] : [])] : [named, ...preferred];
  return names.find(
    (candidate) => candidate !== undefined && candidate !== name && anyField(value, candidate) !== undefined,
  );
}

function noteOthers(names: readonly string[], { place, collector }: ItemContext): void {
  const other = names.filter((name) => !known.has(name));
  if (other.length > 0) collector.note("dropped", place, `not part of a scenario: ${other.join(", ")}`);
  if (names.some((name) => rejected.includes(name)))
    collector.note("dropped", place, "the reply that was not preferred");
}

const systemOf = (request: JsonRecord): string | undefined =>
  readContent(anyField(request, ...systems)).text || undefined;
