import { isRecord, type JsonRecord } from "../../base/json.ts";
import { compact } from "../../base/compact.ts";
import type { ReceivedSpan, SpanEvent } from "../../contract/ports/spans.ts";
import { readPassages, type ContextPassage } from "../../contract/schemas/acting/context.ts";
import { parseIfJson } from "../documents/exact-json.ts";
import { parsePythonLiteral } from "../documents/python-literal.ts";
import { anyField, field, listField, scalarText, textField } from "../documents/records.ts";
import { readMessage } from "../shared/read-messages.ts";
import { readToolCall, readToolResult, type ImportedToolCall, type ImportedToolResult } from "../shared/tool-calls.ts";
import { conventions, type SpanKind } from "./conventions.data.ts";
import { modelMessages, nestedAttributes } from "./model-messages.ts";

/** What a span says, whatever its convention. */
export interface ReadSpan extends Pick<ReceivedSpan, "id" | "parent" | "start" | "end"> {
  readonly kind: SpanKind;
  readonly name: string;
  /** Why it failed. */
  readonly error?: string;
  /** Only of a tool. `arguments` is undefined when they are not told. */
  readonly call?: ImportedToolCall;
  readonly model?: ModelCall;
  readonly documents?: readonly ContextPassage[];
}

interface ModelCall {
  readonly name?: string;
  readonly tokens?: { readonly input: number; readonly output: number };
  /** US dollars. */
  readonly cost?: number;
  readonly finish?: string;
  /** The text of the answer. */
  readonly text?: string;
  /** The tool calls in the answer. Undefined when the answer is not told. */
  readonly asked?: readonly ImportedToolCall[];
  /** The results among the messages that it was sent. */
  readonly results: readonly ImportedToolResult[];
}

type Convention = (typeof conventions)[number];

/** The first of these attributes that is there. */
export function attributeOf(
  attributes: JsonRecord,
  names: (convention: Convention) => readonly string[] | undefined,
): unknown {
  for (const convention of conventions)
    for (const name of names(convention) ?? []) {
      const value = attributes[name];
      if (value !== undefined && value !== null && value !== "") return value;
    }
  return undefined;
}

/** The kind of a span by its attributes. */
export function kindOf(attributes: JsonRecord): SpanKind {
  let named: SpanKind | undefined;
  for (const { kindAt = [], kinds = {} } of conventions) {
    for (const name of kindAt) {
      // MLflow writes every value as JSON.
      const value = scalarText(parseIfJson(attributes[name]))?.toLowerCase();
      if (value === undefined || !Object.hasOwn(kinds, value)) continue;
      const kind = kinds[value];
      if (kind !== "other") return kind ?? "other";
      named = kind;
    }
  }
  if (named) return named;
  for (const kind of ["tool", "model", "agent", "retrieval", "embedding"] as const)
    if (attributeOf(attributes, ({ shows }) => shows?.[kind]) !== undefined) return kind;
  return "other";
}

export const readToolName = (attributes: JsonRecord): string | undefined =>
  scalarText(attributeOf(attributes, ({ tool }) => tool?.name));

/** The name of a tool in that of its span. */
export const toolNameOf = (span: string): string =>
  span.replace(/^(?:execute_tool|running tool:|tools\/call) /, "").replace(/\.tool$/, "");

export function readSpan(received: ReceivedSpan): ReadSpan {
  const { id, parent, name, start, end, failed } = received;
  const attributes = withEvents(received);
  const kind = kindOf(attributes);
  const errorType = scalarText(attributes["error.type"]);
  const error = failed === undefined ? errorType : failed || exceptionOf(received) || errorType || "The step failed.";
  const known = compact({ id, parent, start, end, kind, name, error });
  if (kind === "tool") return { ...known, ...toolOf(attributes, { name, error }) };
  if (kind === "model") return { ...known, ...modelOf(attributes) };
  if (kind === "retrieval") return { ...known, ...compact({ documents: documentsOf(attributes) }) };
  const agent = kind === "agent" ? scalarText(attributeOf(attributes, (convention) => convention.agent)) : undefined;
  return agent === undefined ? known : { ...known, name: agent };
}

const exceptionOf = ({ events = [] }: ReceivedSpan): string | undefined => {
  const thrown = events.findLast(({ name }) => name === "exception")?.attributes ?? {};
  return textField(thrown, "exception.message") ?? textField(thrown, "exception.type");
};

/**
 * Attributes with what events of the span tell. Before 2025, OpenTelemetry's conventions put the texts of a model call into events:
 * one for each message, or one each for the prompt and the completion. Later ones have an event with the attributes of the span.
 */
function withEvents({ attributes, events = [] }: ReceivedSpan): JsonRecord {
  // Logfire keeps events as an attribute.
  const listed = parseIfJson(attributes["events"]);
  const own = Array.isArray(listed) ? listed.filter(isRecord).map(toEvent) : [];
  const all = [...events, ...own].filter(({ name }) => name.startsWith("gen_ai."));
  if (all.length === 0) return attributes;
  const added: Record<string, unknown> = {};
  const [sent, answered]: [unknown[], unknown[]] = [[], []];
  for (const event of all) {
    const body = event.body ?? parseIfJson(event.attributes["gen_ai.event.content"]) ?? event.attributes;
    const role = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(event.name)?.[1];
    if (role !== undefined) sent.push({ role, ...toRecord(body) });
    else if (event.name === "gen_ai.choice") {
      const message = field(body, "message");
      answered.push({ role: "assistant", ...toRecord(message ?? body) });
      const finish = textField(body, "finish_reason");
      if (finish !== undefined) added["gen_ai.response.finish_reasons"] = [finish];
    } else Object.assign(added, event.attributes, toRecord(event.body));
  }
  return {
    ...(sent.length > 0 && { "gen_ai.input.messages": sent }),
    ...(answered.length > 0 && { "gen_ai.output.messages": answered }),
    ...added,
    ...attributes,
  };
}

const toRecord = (value: unknown): JsonRecord =>
  isRecord(value) ? value : value === undefined ? {} : { content: value };

function toEvent(value: JsonRecord): SpanEvent {
  return { name: textField(value, "event.name", "name") ?? "", attributes: value };
}

function toolOf(
  attributes: JsonRecord,
  { name, error }: { name: string; error: string | undefined },
): Pick<ReadSpan, "name" | "call"> {
  const tool = readToolName(attributes) ?? toolNameOf(name);
  const given = attributeOf(attributes, (convention) => convention.tool?.arguments);
  const answered = attributeOf(attributes, (convention) => convention.tool?.result);
  const output = answered === undefined ? undefined : readOutcome(answered);
  const id = scalarText(attributeOf(attributes, (convention) => convention.tool?.id)) ?? output?.id;
  const outcome = error === undefined ? output : { error };
  const read = readToolCall({ id, name: tool, arguments: given === undefined ? undefined : toArguments(given) });
  if (!read) return { name: tool };
  const ended = outcome && {
    ...("result" in outcome && { result: outcome.result }),
    ...compact({ error: outcome.error }),
  };
  return { name: tool, call: { ...read, ...ended } };
}

/** The names under which instrumentations wrap the arguments of a function. */
const wrappers = ["inputs", "kwargs", "input", "input_str"];

/** Arguments as an object: JSON, a Python literal, or either inside what an instrumentation wraps them in. */
function toArguments(given: unknown, depth = 0): unknown {
  const value = typeof given === "string" ? parseLoosely(given) : given;
  if (!isRecord(value) || depth > 3) return value;
  const names = Object.keys(value);
  const inner = wrappers.find((name) => name in value && names.every((each) => each === name || isBeside(each, value)));
  if (inner === undefined) return value;
  const unwrapped = toArguments(value[inner], depth + 1);
  return isRecord(unwrapped) ? unwrapped : value;
}

/** True for fields beside wrapped arguments, none of which is one: OpenLLMetry's and LangChain's. */
function isBeside(name: string, value: JsonRecord): boolean {
  if (name === "args") return Array.isArray(value[name]) && value[name].length === 0;
  return ["input_str", "tags", "metadata", "type", "kwargs", "callbacks", "run_id", "name"].includes(name);
}

function parseLoosely(text: string): unknown {
  const value = parseIfJson(text);
  return typeof value === "string" && /^\s*[{[(]/.test(value) ? (parsePythonLiteral(value) ?? value) : value;
}

function readOutcome(answered: unknown): ImportedToolResult {
  const value = typeof answered === "string" ? parseIfJson(answered) : answered;
  // LangChain's tools answer with a message; OpenLLMetry and LangSmith put it below `output`.
  const inner = isRecord(value) && "output" in value ? parseIfJson(value["output"]) : value;
  const message = recordWithId(inner) ?? recordWithId(field(inner, "kwargs")) ?? recordWithId(field(inner, "data"));
  if (message) return readToolResult(message);
  const read = readMessage(inner);
  return read?.role === "tool" && read.results[0] ? read.results[0] : { result: inner };
}

const recordWithId = (value: unknown): JsonRecord | undefined =>
  isRecord(value) && typeof value["tool_call_id"] === "string" && "content" in value ? value : undefined;

function modelOf(attributes: JsonRecord): Pick<ReadSpan, "model"> {
  const input = attributeOf(attributes, (convention) => convention.input);
  const output = attributeOf(attributes, (convention) => convention.output);
  const ends = { input, output };
  // Without the messages that it was sent, a model call may still tell its answer.
  const messages = modelMessages(ends, attributes) ??
    modelMessages(ends, { "gen_ai.prompt": "not told", ...attributes }) ?? { sent: [], answered: [] };
  const answered = messages.answered.flatMap((message) => readMessage(message) ?? []);
  const results = messages.sent.flatMap((message) => readMessage(message)?.results ?? []);
  const finish = finishOf(attributes, messages.answered);
  const text = answered.map((message) => message.text).join("\n");
  return {
    model: compact({
      name: scalarText(attributeOf(attributes, ({ model }) => model?.name)),
      tokens: tokensOf(attributes),
      cost: costOf(attributeOf(attributes, ({ model }) => model?.cost)),
      finish,
      text: text === "" ? undefined : text,
      asked: answered.length > 0 ? answered.flatMap(({ calls }) => calls) : undefined,
      results,
    }),
  };
}

function finishOf(attributes: JsonRecord, answered: readonly unknown[]): string | undefined {
  const value = parseIfJson(attributeOf(attributes, ({ model }) => model?.finish));
  const named: unknown = Array.isArray(value) ? value[0] : value;
  return scalarText(named) ?? answered.map((message) => textField(message, "finish_reason")).find(Boolean);
}

function tokensOf(attributes: JsonRecord): ModelCall["tokens"] {
  const usage = parseIfJson(attributeOf(attributes, ({ model }) => model?.usage));
  const count = (value: unknown): number | undefined => {
    const number = Number(value);
    return value !== undefined && value !== null && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
  };
  const input = count(
    attributeOf(attributes, ({ model }) => model?.inputTokens) ??
      anyField(usage, "input_tokens", "input", "prompt_tokens"),
  );
  const output = count(
    attributeOf(attributes, ({ model }) => model?.outputTokens) ??
      anyField(usage, "output_tokens", "output", "completion_tokens"),
  );
  return input === undefined && output === undefined ? undefined : { input: input ?? 0, output: output ?? 0 };
}

function costOf(value: unknown): number | undefined {
  const cost = parseIfJson(value);
  const number = Number(isRecord(cost) ? anyField(cost, "total", "total_cost") : (cost ?? Number.NaN));
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

function documentsOf(attributes: JsonRecord): readonly ContextPassage[] | undefined {
  for (const { documents = [] } of conventions) {
    for (const name of documents) {
      const value = parseIfJson(attributes[name]) ?? nestedAttributes(attributes, name);
      const listed = Array.isArray(value) ? value : (listField(value, "documents", "output", "results") ?? []);
      const passages = readPassages(listed.map(withoutHolder));
      if (passages) return passages;
    }
  }
  return undefined;
}

/** LangChain's serialised documents have their fields below `kwargs`. */
const withoutHolder = (value: unknown): unknown => (isRecord(field(value, "kwargs")) ? field(value, "kwargs") : value);
