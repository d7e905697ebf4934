import { isRecord, type JsonRecord } from "../base/json.ts";
import { roleNames, type ColumnMapping, type ColumnRole } from "./column-mapping.ts";
import { textList } from "./extras.ts";
import { readMessage } from "./read-message.ts";
import { anyField, field, isTextList, listField, pointerTo, sameName, scalarText } from "./records.ts";
import type { ScenarioCollector } from "./scenario-collector.ts";
import type { NamedFiles, Place } from "./scenario-file.ts";
import { turnsFromMessages, type Conversation } from "./turns-from-messages.ts";

/** What every reader of one dataset item needs to know. */
export interface ItemContext {
  readonly place: Place;
  readonly collector: ScenarioCollector;
  readonly mapping: ColumnMapping;
  readonly files?: NamedFiles | undefined;
}

/** The context one or more steps further down. */
export function below(context: ItemContext, ...steps: readonly (string | number)[]): ItemContext {
  return { ...context, place: { ...context.place, pointer: pointerTo(context.place.pointer, ...steps) } };
}

/** The name under which a record holds a role: the mapped one, else the best known one. */
export function nameOfRole(record: JsonRecord, role: ColumnRole, mapping: ColumnMapping): string | undefined {
  const wanted = mapping[role] ? [mapping[role]] : roleNames[role];
  const names = Object.keys(record).filter((name) => record[name] !== null && record[name] !== undefined);
  for (const known of wanted) {
    const name = names.find((candidate) => sameName(candidate) === sameName(known));
    if (name !== undefined) return name;
  }
  return undefined;
}

const messageLists = ["messages", "conversation", "chat_history", "history", "conversations", "input"];

/** A dataset item's input: plain text, a list of messages, or an object that holds either. */
export function readInput(value: unknown, context: ItemContext): Conversation | undefined {
  const text = scalarText(value);
  if (text !== undefined) return oneTurn(text);
  if (Array.isArray(value)) return isTextList(value) ? eachATurn(value) : readMessages(value, context);
  if (!isRecord(value)) return undefined;
  const own = ownMessage(value, context);
  if (own) return own;
  const history = messageLists.find((name) => listField(value, name));
  const before =
    history === undefined ? undefined : readMessages(listField(value, history) ?? [], below(context, history));
  const asked = before?.open ? undefined : questionOf(value, history, context.mapping);
  const conversation = before?.open ? before : withQuestion(value, { before, history, asked }, context);
  const system = nameOfRole(value, "system", context.mapping);
  const used = [history, asked, system];
  return (
    conversation && {
      ...conversation,
      system: conversation.system ?? (system && scalarText(value[system])),
      ...(used.some((name) => name !== undefined) && {
        left: [...givenBeside(value, used), ...(conversation.left ?? [])],
      }),
    }
  );
}

const messageFields = ["role", "from", "type", "content", "value", "text", "parts"];

/** An input may be a message itself: what the user says, and nothing that says it better. */
function ownMessage(value: JsonRecord, { mapping }: ItemContext): Conversation | undefined {
  const message = readMessage(value);
  if (message?.role !== "user" || message.text === "" || nameOfRole(value, "user", mapping)) return undefined;
  return { ...oneTurn(message.text), left: [...givenBeside(value, messageFields), ...message.lost] };
}

/** The names of the fields that hold something, but for these. */
export const givenBeside = (record: JsonRecord, names: readonly (string | undefined)[]): string[] =>
  Object.keys(record).filter((name) => !names.includes(name) && !isEmpty(record[name]));

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);

/** The field that holds the question proper, beside a conversation or alone. */
function questionOf(record: JsonRecord, history: string | undefined, mapping: ColumnMapping): string | undefined {
  const others = Object.fromEntries(Object.entries(record).filter(([name]) => name !== history));
  return nameOfRole(others, "user", mapping) ?? onlyText(others);
}

/** Texts without roles are what the user says, one after the other. */
const eachATurn = (texts: readonly string[]): Conversation => ({
  system: undefined,
  turns: texts.map((user) => ({ user })),
  open: true,
});

const oneTurn = (user: string): Conversation => ({ system: undefined, turns: [{ user }], open: true });

function readMessages(messages: readonly unknown[], context: ItemContext): Conversation {
  // LangChain stores a batch of one as a list in a list.
  const [only] = messages;
  const nested = messages.length === 1 && Array.isArray(only) && !readMessage(only) ? only : messages;
  return turnsFromMessages({ messages: nested, place: context.place, collector: context.collector });
}

interface Found {
  readonly before: Conversation | undefined;
  readonly history: string | undefined;
  readonly asked: string | undefined;
}

/** A conversation followed by the question proper, or the question alone. */
function withQuestion(
  record: JsonRecord,
  { before, history, asked: name }: Found,
  context: ItemContext,
): Conversation | undefined {
  const asked = name === undefined ? undefined : readQuestion(record[name], below(context, name));
  if (asked)
    return {
      ...asked,
      system: before?.system ?? asked.system,
      turns: [...(before?.turns ?? []), ...asked.turns],
    };
  if (before) return before;
  if (Object.keys(record).every((key) => key === history)) return undefined;
  context.collector.note(
    "changed",
    context.place,
    "no field is known to be the user's message; the whole input was kept as JSON text",
  );
  return oneTurn(JSON.stringify(record));
}

/** The question may be text, or one message, or an input of its own. */
function readQuestion(value: unknown, context: ItemContext): Conversation | undefined {
  const text = scalarText(value) ?? readMessage(value)?.text;
  return text === undefined ? readInput(value, context) : oneTurn(text);
}

/** The name of the one field that is text, when there is exactly one. */
export function onlyText(record: JsonRecord): string | undefined {
  const names = Object.keys(record).filter(
    (name) => typeof record[name] === "string" && sameName(name) !== "systemprompt",
  );
  return names.length === 1 ? names[0] : undefined;
}

export interface ExpectedReply {
  readonly reference: string | undefined;
  readonly references?: readonly string[];
}

/** A dataset item's expected output: text, several texts, messages, or an object that holds one of them. */
export function readOutput(value: unknown, context: ItemContext): ExpectedReply {
  const text = scalarText(value);
  if (text !== undefined || value === null || value === undefined) return { reference: text };
  if (Array.isArray(value)) return readOutputList(value, context);
  const own = readMessage(value);
  if (own?.role === "assistant") return { reference: own.text };
  if (!isRecord(value) || Object.keys(value).length === 0) return { reference: undefined };
  const answered = answeredMessage(value);
  if (answered !== undefined) return readOutput(answered, context);
  const messages = listField(value, "messages");
  if (messages) {
    noteLeft(givenBeside(value, ["messages"]), context);
    return readOutputList(messages, below(context, "messages"));
  }
  const [only, ...others] = Object.keys(value);
  const name =
    nameOfRole(value, "reference", context.mapping) ??
    onlyText(value) ??
    // SQuAD has the texts of all answers beside the places where they begin.
    (listField(value, "text") ? "text" : others.length === 0 ? only : undefined);
  if (name !== undefined) {
    noteLeft(givenBeside(value, [name]), context);
    return readOutput(value[name], below(context, name));
  }
  context.collector.note(
    "changed",
    context.place,
    "no field is known to be the expected reply; the whole output was kept as JSON text",
  );
  return { reference: JSON.stringify(value) };
}

/** Fields beside the text that was looked for. */
export function noteLeft(names: readonly string[], { collector, place }: ItemContext): void {
  if (names.length > 0) collector.note("dropped", place, `not part of a scenario: ${names.join(", ")}`);
}

/** What a model's interface answered, as traces keep it: LangChain's, OpenAI's and Gemini's have the reply inside a list. */
function answeredMessage(value: JsonRecord): unknown {
  const [first] = listField(value, "generations", "choices", "candidates") ?? [];
  const [answer] = Array.isArray(first) ? first : [first];
  return anyField(answer, "message", "content", "text");
}

function readOutputList(values: readonly unknown[], context: ItemContext): ExpectedReply {
  const messages = values.map(readMessage);
  const reply = messages.findLast((message) => message?.role === "assistant" && !message.callsTools);
  if (reply) return { reference: reply.text };
  if (values.every((value) => scalarText(value) !== undefined)) {
    const [reference, ...references] = textList(values) ?? [];
    return { reference, references };
  }
  context.collector.note("changed", context.place, "the expected output is no text; it was kept as JSON text");
  return { reference: JSON.stringify(values) };
}

/** The labels among a peer's metadata; whatever else is there is named as left out. */
export function readLabels(metadata: unknown, context: ItemContext): JsonRecord {
  if (!isRecord(metadata)) return {};
  const wanted = new Set((context.mapping.labels ?? ["intent", "sentiment"]).map(sameName));
  const names = Object.keys(metadata).filter((name) => name !== "rehearsal");
  const labels = names.filter((name) => wanted.has(sameName(name)) && metadata[name] !== null);
  const left = names.filter((name) => !labels.includes(name));
  if (left.length > 0) {
    const message = `metadata is not scored, so it was left out: ${left.join(", ")} (name labels with the mapping labels=…)`;
    context.collector.note("dropped", context.place, message);
  }
  return Object.fromEntries(labels.map((name) => [name, field(metadata, name)]));
}
