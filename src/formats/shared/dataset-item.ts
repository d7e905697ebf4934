import { isRecord, type JsonRecord } from "../../base/json.ts";
import { isLabelName, isNotLabel, roleNames, type ColumnMapping, type ColumnRole } from "../documents/columns.ts";
import { anyField, field, isTextList, listField, normalizeName, scalarText, toTextList } from "../documents/records.ts";
import { takeContext, takeContextBeside } from "./context-fields.ts";
import { extrasKey, withExtras } from "./extras.ts";
import { completeLastTurn, type ExpectedReply, type ImportedTurn, type LastTurn } from "./imported-scenario.ts";
import { noteMessageLosses, readMessage, turnsFromMessages, type ParsedConversation } from "./read-messages.ts";
import { readToolCalls, readTools, toReferenceCalls, type ImportedTool } from "./tool-calls.ts";
import { descend, otherFields, type ItemContext, type ItemNotes } from "./items.ts";

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
  readonly tools?: readonly ImportedTool[] | undefined;
  /** Further fields of the item, kept as metadata of the scenario. */
  readonly others?: JsonRecord | undefined;
  readonly last?: Omit<LastTurn, "reference" | "references" | "labels">;
}

/** Adds a scenario made from an input and its expected output. Retrieved passages may stand in any of its parts. */
export function addDatasetItem(given: DatasetItem, context: ItemContext): void {
  const parts = {
    others: takeContext(given.others),
    input: takeContextBeside(given.input),
    metadata: takeContext(given.metadata),
    output: takeContextBeside(given.output),
  };
  const item = {
    ...given,
    others: parts.others.rest,
    input: parts.input.rest,
    metadata: parts.metadata.rest,
    output: parts.output.rest,
  };
  const passages = Object.values(parts).find(({ context: found }) => found)?.context;
  const conversation = readInput(item.input, descend(context, item.inputName));
  if (!conversation) return context.collector.note("dropped", context.place, `the item has no ${item.inputName}`);
  const unasked = keepUnasked(item.input, conversation, descend(context, item.inputName));
  const expected = readOutput(item.output, descend(context, item.outputName));
  const { labels, metadata } = splitMetadata(item.metadata, descend(context, item.metadataName ?? "metadata"));
  const { id, description, tags, last, others } = item;
  const turns = completeLastTurn(conversation.turns, {
    ...expected,
    context: passages,
    ...last,
    ...(expected.expected && { expected: expected.expected }),
    calls: [...(last?.calls ?? []), ...(expected.calls ?? [])],
    labels,
  });
  const tools = item.tools ?? readTools(field(item.input, "tools") ?? others?.["tools"]);
  context.collector.add(
    withExtras(
      {
        place: context.place,
        id,
        description,
        tags,
        tools,
        system: conversation.system,
        metadata: { ...unasked, ...others, ...metadata },
        turns,
      },
      given.metadata,
    ),
  );
}

/** The other fields of an item, which are kept as metadata of the scenario. Ids and times are kept without a note. */
export function keepOthers(value: JsonRecord, known: readonly (string | undefined)[], context: ItemNotes): JsonRecord {
  const names = otherFields(value, known).filter((name) => value[name] !== null);
  noteKept(
    names.filter((name) => !isNotLabel(name)),
    context,
  );
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

function noteKept(names: readonly string[], { collector, place }: ItemNotes): void {
  if (names.length > 0) collector.note("kept", place, `kept as metadata, not scored: ${names.join(", ")}`);
}

/** The fields of an input beside the user's message. The system under test may need them, and a scenario does not send them. */
export function keepUnasked(
  input: unknown,
  { ignored = [] }: ParsedConversation,
  { place, collector }: ItemNotes,
): JsonRecord {
  if (ignored.length > 0)
    collector.note("changed", place, `not part of the user's message; kept as metadata: ${ignored.join(", ")}`);
  return Object.fromEntries(
    ignored.flatMap((name) => (field(input, name) === undefined ? [] : [[name, field(input, name)]])),
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
  const asked = before?.open ? undefined : itemQuestion(value, history, context.mapping);
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
  if (own?.role === "assistant") return readReply([value], context, () => []);
  if (!isRecord(value) || Object.keys(value).length === 0) return { reference: undefined };
  const answered = answeredMessage(value);
  if (answered !== undefined) return readOutput(answered, context);
  const messages = listField(value, "messages");
  if (messages) {
    noteUnread(otherFields(value, ["messages"]), context);
    return readOutputList(messages, descend(context, "messages"));
  }
  const { calls, rest } = splitExpectedCalls(value, context);
  if (calls)
    return { ...(Object.keys(rest).length > 0 ? readOutput(rest, context) : { reference: undefined }), ...calls };
  const [only, ...others] = Object.keys(value);
  const name =
    fieldForRole(value, "reference", context.mapping) ??
    onlyTextField(value) ??
    // SQuAD lists the texts of all answers beside their offsets.
    (listField(value, "text") ? "text" : others.length === 0 ? only : undefined);
  if (name !== undefined) {
    noteUnread(otherFields(value, [name]), context);
    return readOutput(value[name], descend(context, name));
  }
  context.collector.note(
    "changed",
    context.place,
    "no field was recognised as the expected reply; the whole output was kept as JSON text",
  );
  return { reference: JSON.stringify(value) };
}

/** Takes the expected tools out of an output: a list of names or of calls beside the expected reply, or alone. */
function splitExpectedCalls(
  value: JsonRecord,
  context: ItemContext,
): { calls?: Pick<ExpectedReply, "expected">; rest: JsonRecord } {
  const name = fieldForRole(value, "reference_tool_calls", {}) ?? (isTextList(value["trajectory"]) ? "trajectory" : "");
  const list = listField(value, name);
  if (!list) return { rest: value };
  const { [name]: _, ...rest } = value;
  const at = descend(context, name);
  const expected = toReferenceCalls(readToolCalls(list), { place: at.place, note: context.collector.note });
  return expected.length < list.length ? { rest: value } : { calls: { expected }, rest };
}

function noteUnread(names: readonly string[], { collector, place }: ItemNotes): void {
  if (names.length > 0) collector.note("dropped", place, `not part of the expected reply: ${names.join(", ")}`);
}

interface SplitMetadata {
  readonly labels: JsonRecord;
  readonly metadata: JsonRecord;
}

/** Splits metadata into labels, which replies are compared with, and the rest, which is kept and never scored. */
export function splitMetadata(metadata: unknown, { mapping, collector, place }: ItemContext): SplitMetadata {
  if (!isRecord(metadata)) return { labels: {}, metadata: {} };
  const { [extrasKey]: extras, ...own } = metadata;
  // Our own exports keep the labels of each turn there.
  if (isRecord(extras)) return { labels: {}, metadata: own };
  const names = Object.keys(own).filter((name) => own[name] !== null);
  const labels = names.filter((name) => isLabelName(name, mapping));
  for (const name of labels) announceLabel(name, collector);
  const left = names.filter((name) => !labels.includes(name));
  if (left.length > 0) {
    const message = `metadata is kept, not scored: ${left.join(", ")} (name labels with the mapping labels=…)`;
    collector.note("kept", place, message);
  }
  const pick = (chosen: readonly string[]): JsonRecord => Object.fromEntries(chosen.map((name) => [name, own[name]]));
  return { labels: pick(labels), metadata: pick(left) };
}

/** Said once for each label of a file. */
export function announceLabel(name: string, collector: ItemNotes["collector"]): void {
  collector.note("kept", {}, `${name} is a label: replies are compared with it`);
}

/** The labels among an item's metadata; the rest is kept as metadata of the scenario. */
export const readLabels = (metadata: unknown, context: ItemContext): JsonRecord =>
  splitMetadata(metadata, context).labels;

/**
 * KTO training data marks each reply as good or bad, under `label` (TRL) or `kto_tag` (LLaMA-Factory). Notes and returns true for a
 * bad one, which must not become a reference reply.
 */
export function isUndesired(item: unknown, { place, collector }: ItemNotes): boolean {
  if (anyField(item, ...ktoTags) !== false) return false;
  collector.note(
    "dropped",
    place,
    "a reply marked as undesired is not a reference reply",
    "replies marked as undesired",
  );
  return true;
}

/** True for a recorded conversation that failed its task: a `reward` of 0, or a verdict that is false. */
export function isFailed(item: unknown): boolean {
  const reward = anyField(item, "reward");
  if (typeof reward === "number") return reward <= 0;
  return ["success", "resolved", "is_correct", "is_solved"].some((name) => field(item, name) === false);
}

/** Notes that a failed conversation is no example to follow. */
export function noteFailed({ place, collector }: ItemNotes): void {
  if (collector.expectsRecorded) return;
  const message =
    "the conversation failed its task, so its replies and tool calls are not references; to expect them, use expect_recorded";
  collector.note("changed", place, message, "failed conversations, whose replies and tool calls are not references");
}

/** The turns without the reply and the calls of the last one, which are not to be learnt from. */
export const withoutReply = (turns: readonly ImportedTurn[]): ImportedTurn[] =>
  turns.map((turn, index) => (index < turns.length - 1 ? turn : { ...turn, reference: "", expected: undefined }));

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
function ownMessage(value: JsonRecord, { mapping, place, collector }: ItemContext): ParsedConversation | undefined {
  const message = readMessage(value);
  if (message?.role !== "user" || message.text === "" || fieldForRole(value, "user", mapping)) return undefined;
  noteMessageLosses(message, place, collector);
  return { ...oneTurn(message.text), ignored: otherFields(value, messageFields) };
}

/** The field with the question, beside a conversation or alone. */
function itemQuestion(record: JsonRecord, history: string | undefined, mapping: ColumnMapping): string | undefined {
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
  const { place, collector } = context;
  // LangChain stores a batch of one as a nested list; BFCL lists the messages of each turn.
  const lists = messages.flatMap((entry) => (Array.isArray(entry) && !readMessage(entry) ? [entry as unknown[]] : []));
  if (messages.length === 0 || lists.length < messages.length) return turnsFromMessages({ messages, place, collector });
  const steps = lists.flatMap((list, turn) => list.map((_, index) => [String(turn), String(index)]));
  const stepsTo = (index: number): readonly string[] => steps[index] ?? [];
  return turnsFromMessages({ messages: lists.flat(), stepsTo, place, collector });
}

interface FoundFields {
  readonly before: ParsedConversation | undefined;
  readonly history: string | undefined;
  readonly asked: string | undefined;
}

/** A conversation followed by the question, or the question alone. */
function withQuestion(
  record: JsonRecord,
  { before, history, asked: name }: FoundFields,
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

/** The reply and the tool calls in the messages after the last of the user. */
function readReply(
  values: readonly unknown[],
  { place, collector }: ItemContext,
  stepsTo = (index: number): readonly string[] => [String(index - 1)],
): ExpectedReply {
  const since = values.findLastIndex((value) => readMessage(value)?.role === "user") + 1;
  const [turn] = turnsFromMessages({
    messages: [{ role: "user", content: "" }, ...values.slice(since)],
    place,
    stepsTo: (index) => stepsTo(index + since),
    collector,
  }).turns;
  return { reference: turn?.reference, expected: turn?.expected, calls: turn?.calls };
}

function readOutputList(values: readonly unknown[], context: ItemContext): ExpectedReply {
  const isConversation = values.some((value) => readMessage(value)?.role === "assistant");
  if (isConversation) return readReply(values, context);
  const calls = values.filter(isRecord).flatMap((value) => (isCall(value) ? readToolCalls(value) : []));
  if (calls.length > 0 && calls.length === values.length) {
    const { note } = context.collector;
    return { reference: undefined, expected: toReferenceCalls(calls, { place: context.place, note }), calls };
  }
  if (values.every((value) => scalarText(value) !== undefined)) {
    const [reference, ...references] = toTextList(values) ?? [];
    return { reference, references };
  }
  context.collector.note("changed", context.place, "the expected output is not text; it was kept as JSON text");
  return { reference: JSON.stringify(values) };
}

/** A list of calls as the output: each has a name and arguments, or OpenAI's `function`. */
const isCall = (value: JsonRecord): boolean =>
  isRecord(value["function"]) ||
  (anyField(value, "name", "toolName") !== undefined && anyField(value, "arguments", "args", "input") !== undefined);
