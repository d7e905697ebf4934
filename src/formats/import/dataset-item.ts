import { isRecord, type JsonRecord } from "../../base/json.ts";
import { isNotLabel, roleNames, type ColumnMapping, type ColumnRole } from "../tables/columns.ts";
import { anyField, field, isTextList, listField, normalizeName, scalarText, toTextList } from "../documents/records.ts";
import { withExtras } from "../extras.ts";
import { completeLastTurn, type ExpectedReply, type LastTurn } from "../imported-scenario.ts";
import { readMessage, turnsFromMessages, type ParsedConversation } from "../read-messages.ts";
import { descend, noteIgnored, otherFields, type ItemContext, type ItemNotes } from "./importer.ts";

/** The common parts of a dataset item in most tools: input, expected output and metadata. */
interface DatasetItem {
  readonly id: unknown;
  readonly input: unknown;
  readonly inputName: string;
  readonly output: unknown;
  readonly outputName: string;
  readonly metadata?: unknown;
  /** Default: `metadata`. */
  readonly metadataName?: string;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly last?: Omit<LastTurn, "reference" | "references" | "labels">;
}

/** Adds a scenario made from an input and its expected output. */
export function addDatasetItem(item: DatasetItem, context: ItemContext): void {
  const conversation = readInput(item.input, descend(context, item.inputName));
  if (!conversation) return context.collector.note("dropped", context.place, `the item has no ${item.inputName}`);
  noteIgnored(conversation.ignored ?? [], descend(context, item.inputName));
  const expected = readOutput(item.output, descend(context, item.outputName));
  const labels = readLabels(item.metadata, descend(context, item.metadataName ?? "metadata"));
  const { id, description, tags } = item;
  const turns = completeLastTurn(conversation.turns, { ...item.last, ...expected, labels });
  context.collector.add(
    withExtras({ place: context.place, id, description, tags, system: conversation.system, turns }, item.metadata),
  );
}

/** Notes the other fields of an item, except ids and times. */
export function noteOtherFields(value: JsonRecord, known: readonly string[], context: ItemContext): void {
  noteIgnored(
    otherFields(value, known).filter((name) => value[name] !== null && !isNotLabel(name)),
    context,
  );
}

const ktoTags = ["label", "kto_tag"];
const messageLists = ["messages", "conversation", "chat_history", "history", "conversations", "input"];

/** Reads an item's input: plain text, a list of messages, or an object with either. */
export function readInput(value: unknown, context: ItemContext): ParsedConversation | undefined {
  const text = scalarText(value);
  if (text !== undefined) return oneTurn(text);
  if (Array.isArray(value)) return isTextList(value) ? textsAsTurns(value) : readMessages(value, context);
  if (!isRecord(value)) return undefined;
  const own = ownMessage(value, context);
  if (own) return own;
  const history = messageLists.find((name) => listField(value, name));
  const before =
    history === undefined ? undefined : readMessages(listField(value, history) ?? [], descend(context, history));
  const asked = before?.open ? undefined : questionOf(value, history, context.mapping);
  const conversation = before?.open ? before : withQuestion(value, { before, history, asked }, context);
  const system = fieldForRole(value, "system", context.mapping);
  const used = [history, asked, system];
  return (
    conversation && {
      ...conversation,
      system: conversation.system ?? (system && scalarText(value[system])),
      ...(used.some((name) => name !== undefined) && {
        ignored: [...otherFields(value, used), ...(conversation.ignored ?? [])],
      }),
    }
  );
}

/** Reads an item's expected output: one or several texts, messages, or an object with one of these. */
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
    noteIgnored(otherFields(value, ["messages"]), context);
    return readOutputList(messages, descend(context, "messages"));
  }
  const [only, ...others] = Object.keys(value);
  const name =
    fieldForRole(value, "reference", context.mapping) ??
    onlyTextField(value) ??
    // SQuAD lists the texts of all answers beside their offsets.
    (listField(value, "text") ? "text" : others.length === 0 ? only : undefined);
  if (name !== undefined) {
    noteIgnored(otherFields(value, [name]), context);
    return readOutput(value[name], descend(context, name));
  }
  context.collector.note(
    "changed",
    context.place,
    "no field was recognised as the expected reply; the whole output was kept as JSON text",
  );
  return { reference: JSON.stringify(value) };
}

/** The labels among an item's metadata; other fields are noted as dropped. */
export function readLabels(metadata: unknown, context: ItemContext): JsonRecord {
  if (!isRecord(metadata)) return {};
  const wanted = new Set((context.mapping.labels ?? ["intent", "sentiment"]).map(normalizeName));
  const names = Object.keys(metadata).filter((name) => name !== "rehearsal");
  const labels = names.filter((name) => wanted.has(normalizeName(name)) && metadata[name] !== null);
  const left = names.filter((name) => !labels.includes(name));
  if (left.length > 0) {
    const message = `metadata is not scored: ${left.join(", ")} (name labels with the mapping labels=…)`;
    context.collector.note("dropped", context.place, message);
  }
  return Object.fromEntries(labels.map((name) => [name, field(metadata, name)]));
}

/**
 * KTO training data marks each reply as good or bad, under `label` (TRL) or `kto_tag` (LLaMA-Factory). Notes and returns true for a
 * bad one, which must not become a reference reply.
 */
export function isUndesired(item: unknown, { place, collector }: ItemNotes): boolean {
  if (anyField(item, ...ktoTags) !== false) return false;
  collector.note("dropped", place, "a reply marked as undesired is not a reference reply");
  return true;
}

/** Removes the KTO mark. A `label` that is not a boolean stays, so that it is reported. */
export const withoutKtoTag = (item: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(item).filter(([name, value]) => !ktoTags.includes(name) || typeof value !== "boolean"),
  );

/** The field that has this role: the mapped one, or the best known name. */
export function fieldForRole(record: JsonRecord, role: ColumnRole, mapping: ColumnMapping): string | undefined {
  const wanted = mapping[role] ? [mapping[role]] : roleNames[role];
  const names = Object.keys(record).filter((name) => record[name] !== null && record[name] !== undefined);
  for (const known of wanted) {
    const name = names.find((candidate) => normalizeName(candidate) === normalizeName(known));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The name of the only text field; undefined if there are several. */
export function onlyTextField(record: JsonRecord): string | undefined {
  const names = Object.keys(record).filter(
    (name) => typeof record[name] === "string" && normalizeName(name) !== "systemprompt",
  );
  return names.length === 1 ? names[0] : undefined;
}

const messageFields = ["role", "from", "type", "content", "value", "text", "parts"];

/** Reads an input that is itself a user message, unless another field is known to be the question. */
function ownMessage(value: JsonRecord, { mapping }: ItemContext): ParsedConversation | undefined {
  const message = readMessage(value);
  if (message?.role !== "user" || message.text === "" || fieldForRole(value, "user", mapping)) return undefined;
  return { ...oneTurn(message.text), ignored: [...otherFields(value, messageFields), ...message.lost] };
}

/** The field with the question, beside a conversation or alone. */
function questionOf(record: JsonRecord, history: string | undefined, mapping: ColumnMapping): string | undefined {
  const others = Object.fromEntries(Object.entries(record).filter(([name]) => name !== history));
  return fieldForRole(others, "user", mapping) ?? onlyTextField(others);
}

/** Texts without roles are consecutive user messages. */
const textsAsTurns = (texts: readonly string[]): ParsedConversation => ({
  system: undefined,
  turns: texts.map((user) => ({ user })),
  open: true,
});

const oneTurn = (user: string): ParsedConversation => ({ system: undefined, turns: [{ user }], open: true });

function readMessages(messages: readonly unknown[], context: ItemContext): ParsedConversation {
  // LangChain stores a batch of one as a nested list.
  const [only] = messages;
  const nested = messages.length === 1 && Array.isArray(only) && !readMessage(only) ? only : messages;
  return turnsFromMessages({ messages: nested, place: context.place, collector: context.collector });
}

interface Found {
  readonly before: ParsedConversation | undefined;
  readonly history: string | undefined;
  readonly asked: string | undefined;
}

/** A conversation followed by the question, or the question alone. */
function withQuestion(
  record: JsonRecord,
  { before, history, asked: name }: Found,
  context: ItemContext,
): ParsedConversation | undefined {
  const asked = name === undefined ? undefined : readQuestion(record[name], descend(context, name));
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
    "no field was recognised as the user's message; the whole input was kept as JSON text",
  );
  return oneTurn(JSON.stringify(record));
}

/** The question may be text, a message, or an input of its own. */
function readQuestion(value: unknown, context: ItemContext): ParsedConversation | undefined {
  const text = scalarText(value) ?? readMessage(value)?.text;
  return text === undefined ? readInput(value, context) : oneTurn(text);
}

/** The reply in a raw model response as stored in traces: LangChain, OpenAI and Gemini put it in a list. */
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
    const [reference, ...references] = toTextList(values) ?? [];
    return { reference, references };
  }
  context.collector.note("changed", context.place, "the expected output is not text; it was kept as JSON text");
  return { reference: JSON.stringify(values) };
}
