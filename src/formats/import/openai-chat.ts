import { isRecord, type JsonRecord } from "../../base/json.ts";
import {
  anyField,
  field,
  isMessageList,
  listField,
  recordField,
  scalarText,
  textField,
  locationBelow,
  hasFields,
  hasList,
} from "../documents/records.ts";
import { completeLastTurn, recordedTurn } from "../shared/imported-scenario.ts";
import { readContent, readMessage, turnsFromMessages } from "../shared/read-messages.ts";
import type { ColumnMapping } from "../documents/columns.ts";
import { readTools } from "../shared/tool-calls.ts";
import {
  fieldForRole,
  isFailed,
  isUndesired,
  keepOthers,
  noteFailed,
  readOutput,
  withoutKtoTag,
  withoutReply,
} from "../shared/dataset-item.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { conversationIds, descend, itemsOf, type ItemContext, noteIgnored } from "../shared/items.ts";
import { exportOpenaiChat } from "../export/scenarios/chats.ts";

/** Names of the message list: OpenAI and Anthropic, Gemini, preference pairs, OpenAI's Responses API. */
const lists = ["messages", "contents", "chosen", "chosen_messages", "input"];
/** Names of a system prompt outside the messages: Anthropic and Bedrock, Gemini, OpenAI's Responses API. */
const systems = ["system", "system_instruction", "systemInstruction", "instructions"];
const preferred = ["preferred_output", "chosen"];
const rejected = ["non_preferred_output", "rejected", "rejected_messages"];
/** Fields that hold a whole request: in preference pairs, and in lines for batch APIs. */
const holders = ["input", "body"];

/** Names of declared tools: OpenAI and Anthropic, Bedrock, OpenAI's older form. */
const tools = ["tools", "toolConfig", "functions"];

const known = [...lists, ...systems, ...preferred, ...rejected, ...holders, ...conversationIds, ...tools];

/**
 * Chat files with `{"messages": […]}` per line, a bare list of messages, preference pairs (the preferred reply is the reference), and
 * ChatGPT exports.
 */
const importOpenaiChat: Importer = ({ document, collector, mapping }) => {
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

export const openaiChat = defineFormat({
  id: "openai-chat",
  title: "OpenAI chat JSON lines (messages)",
  label: "OpenAI chat",
  extensions: ["jsonl"],
  detect: [
    { of: "file", rank: 10, because: "it is a list of messages", holds: isMessageList },
    { of: "item", rank: 140, because: "its items have messages", holds: hasList("messages") },
    { of: "item", rank: 150, because: "its items have a preferred output", holds: hasFields("preferred_output") },
    {
      of: "item",
      rank: 160,
      because: "its items are requests with messages",
      holds: (value) => hasList("messages")(recordField(value, "body")),
    },
    {
      of: "item",
      rank: 170,
      because: "its items are requests for responses",
      holds: (value) =>
        textField(value, "url")?.endsWith("/responses") === true &&
        anyField(recordField(value, "body"), "input") !== undefined,
    },
    { of: "item", rank: 180, because: "its items are conversations that ChatGPT exported", holds: isChatGptExport },
    {
      of: "item",
      rank: 190,
      because: "its items have contents with parts",
      holds: (value) => hasFields("parts")(listField(value, "contents")?.[0]),
    },
    {
      of: "item",
      rank: 200,
      because: "its items have a chosen conversation",
      holds: (value) =>
        !hasFields("prompt")(value) &&
        (isMessageList(listField(value, "chosen", "chosen_messages")) ||
          transcriptMessages(field(value, "chosen")) !== undefined),
    },
  ],
  isDataset: true,
  read: importOpenaiChat,
  write: exportOpenaiChat,
});

function addConversation(value: unknown, context: ItemContext): void {
  const { place, collector } = context;
  if (isChatGptExport(value)) return addExported(value, context);
  const holder = holders.find((name) => recordField(value, name));
  const request = holder === undefined ? value : recordField(value, holder);
  const name = lists.find((candidate) => messagesIn(request, candidate));
  const messages = name === undefined ? undefined : messagesIn(request, name);
  if (!isRecord(value) || !isRecord(request) || !messages || name === undefined)
    return collector.note("dropped", place, "the item has no list of messages");
  const answer = answerName(value, { name, messages, mapping: context.mapping });
  const metadata = {
    ...(holder !== undefined && keepOthers(request, known, descend(context, holder))),
    ...keepOthers(withoutKtoTag(value), [...known, answer], context),
  };
  if (rejected.some((candidate) => candidate in value))
    collector.note("dropped", place, "the rejected reply", "rejected replies");
  const at = locationBelow(place, ...(holder === undefined ? [] : [holder]), name);
  const { system, turns } = turnsFromMessages({ messages, place: at, collector });
  const reply = readOutput(answer === undefined ? undefined : value[answer], descend(context, answer ?? name));
  const failed = isFailed(value);
  if (failed) noteFailed(context);
  const finished = isUndesired(value, context) ? withoutReply(turns) : completeLastTurn(turns, reply);
  collector.add({
    place,
    id: anyField(value, ...conversationIds),
    system: system ?? systemOf(request),
    metadata,
    tools: readTools(anyField(value, ...tools) ?? anyField(request, ...tools)),
    turns: failed ? finished.map((turn) => recordedTurn(turn, collector)) : finished,
  });
}

/** Messages as a list, as one transcript, or as a single user text. */
function messagesIn(request: unknown, name: string): readonly unknown[] | undefined {
  const value = field(request, name);
  if (name === "input" && typeof value === "string") return [{ role: "user", content: value }];
  return listField(request, name) ?? transcriptMessages(value);
}

function addExported(value: unknown, context: ItemContext): void {
  const { place, collector } = context;
  const { messages, stepsTo, left } = chatGptMessages(value);
  noteIgnored(left, context);
  const { turns } = turnsFromMessages({ messages, stepsTo, place, collector });
  const description = textField(value, "title");
  collector.add({ place, id: anyField(value, ...conversationIds), description, turns });
}

interface ChatQuestion {
  readonly name: string;
  readonly messages: readonly unknown[];
  readonly mapping: ColumnMapping;
}

/**
 * The field with the reply outside the messages: the mapped one, the preferred reply, or a known reference field if the last message
 * is the user's.
 */
function answerName(value: JsonRecord, { name, messages, mapping }: ChatQuestion): string | undefined {
  const isWaiting = readMessage(messages.at(-1))?.role === "user";
  const named = fieldForRole(value, "reference", mapping);
  const names = mapping.reference === undefined ? [...preferred, ...(isWaiting ? [named] : [])] : [named, ...preferred];
  return names.find(
    (candidate) => candidate !== undefined && candidate !== name && anyField(value, candidate) !== undefined,
  );
}

const systemOf = (request: JsonRecord): string | undefined =>
  readContent(anyField(request, ...systems)).text || undefined;

/** True for a ChatGPT export: a tree of messages in which every edit and every retry is a branch. */
function isChatGptExport(value: unknown): boolean {
  return recordField(value, "mapping") !== undefined && textField(value, "current_node") !== undefined;
}

interface ShownMessages {
  readonly messages: readonly object[];
  /** The pointer steps to a message. */
  readonly stepsTo: (index: number) => readonly string[];
  /** Kinds of skipped entries: account instructions, reasoning, hidden messages. */
  readonly left: readonly string[];
}

/** The messages of the branch that the user sees. */
function chatGptMessages(conversation: unknown): ShownMessages {
  const nodes = recordField(conversation, "mapping") ?? {};
  const shown: { readonly id: string; readonly message: object }[] = [];
  const left = new Set<string>();
  const seen = new Set<string>();
  for (let id = textField(conversation, "current_node"); id !== undefined && !seen.has(id);) {
    seen.add(id);
    const node = recordField(nodes, id);
    const message = toChatMessageOf(field(node, "message"));
    if (typeof message === "string") left.add(message);
    else if (message) shown.push({ id, message });
    id = textField(node, "parent");
  }
  // The walk went from the last message to the first.
  shown.reverse();
  return {
    messages: shown.map(({ message }) => message),
    stepsTo: (index) => ["mapping", shown[index]?.id ?? "", "message"],
    left: [...left].reverse(),
  };
}

const hiddenKinds: ReadonlySet<string> = new Set([
  "user_editable_context",
  "model_editable_context",
  "thoughts",
  "reasoning_recap",
]);

/** Returns the kind of an entry that is not part of the conversation; undefined for an empty one. */
function toChatMessageOf(value: unknown): object | string | undefined {
  if (!isRecord(value)) return undefined;
  const role = scalarText(field(value["author"], "role"));
  const content = recordField(value, "content");
  const kind = scalarText(field(content, "content_type")) ?? "text";
  if (hiddenKinds.has(kind)) return kind;
  const parts = (listField(content, "parts") ?? [content]).map((part) =>
    isRecord(part) ? { type: scalarText(part["content_type"]) ?? "part", ...part } : part,
  );
  const isHidden = field(value["metadata"], "is_visually_hidden_from_conversation") === true;
  if (isHidden || role === "system") return parts.join("") === "" ? undefined : "hidden messages";
  // A message with another recipient is a tool call, whose arguments are the text.
  const recipient = scalarText(anyField(value, "recipient")) ?? "all";
  if (role === "assistant" && recipient !== "all") {
    const text = readContent(parts).text;
    return { role, content: [], tool_calls: [{ name: recipient, arguments: text }] };
  }
  if (role === "tool") return { role, content: readContent(parts).text, name: textField(value["author"], "name") };
  return { role, content: parts, weight: value["weight"] };
}

const speakers = { Human: "user", Assistant: "assistant" } as const;

/** Parses a transcript as in Anthropic's preference data, `\n\nHuman: …\n\nAssistant: …`; undefined for any other text. */
function transcriptMessages(value: unknown): object[] | undefined {
  if (typeof value !== "string" || !/^\s*Human: /.test(value)) return undefined;
  return value
    .trim()
    .split(/\n\n(?=(?:Human|Assistant):)/)
    .map((said) => {
      const colon = said.indexOf(":");
      return { role: speakers[said.slice(0, colon) as keyof typeof speakers], content: said.slice(colon + 1).trim() };
    });
}
