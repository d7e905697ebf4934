import {
  createFileRegistry,
  fromBinary,
  fromJson,
  toBinary,
  toJsonString,
  type DescMessage,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createHash } from "node:crypto";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { compact } from "../../../base/compact.ts";
import type { ReceivedSpan, SpanEvent, SpanPart } from "../../../contract/ports/spans.ts";
import { opentelemetryProto } from "./opentelemetry-proto.ts";

/** The two encodings of OTLP over HTTP. */
export type Encoding = "protobuf" | "json";

/** A span or event of a request, with the trace it belongs to. */
export type DecodedPart = SpanPart & { readonly traceId: string };

export interface Decoded {
  readonly parts: readonly DecodedPart[];
  /** Spans without usable ids. */
  readonly invalid: number;
}

/** Longer texts are cut. */
const longestText = 100_000;
const mostAttributes = 1_024;
const mostEvents = 256;
/** Characters of the attributes of a span together. */
const mostCharacters = 1_000_000;
const maxDepth = 32;

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(opentelemetryProto, "base64")));

function messageOf(name: string): DescMessage {
  const found = registry.getMessage(name);
  if (!found) throw new TypeError(`The schema of OTLP has no ${name}`);
  return found;
}

const collector = "opentelemetry.proto.collector";
const schemas = {
  traces: {
    request: messageOf(`${collector}.trace.v1.ExportTraceServiceRequest`),
    response: messageOf(`${collector}.trace.v1.ExportTraceServiceResponse`),
  },
  logs: {
    request: messageOf(`${collector}.logs.v1.ExportLogsServiceRequest`),
    response: messageOf(`${collector}.logs.v1.ExportLogsServiceResponse`),
  },
} as const;
const status = messageOf("google.rpc.Status");

export type Signal = keyof typeof schemas;

/** Reads a request. Throws when it is not one of OTLP. */
export function decodeRequest(
  bytes: Uint8Array,
  { signal, encoding }: { signal: Signal; encoding: Encoding },
): Decoded {
  const { request } = schemas[signal];
  const message = encoding === "protobuf" ? fromBinary(request, bytes) : fromOtlpJson(request, bytes);
  return signal === "traces" ? toSpans(message as TraceRequest) : toEvents(message as LogsRequest);
}

/** OTLP's JSON has ids in hexadecimal, where that of protobuf has base64. */
function fromOtlpJson(schema: DescMessage, bytes: Uint8Array): Message {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const value = JSON.parse(text, (key, inner: unknown) => (ids.has(key) ? hexToBase64(inner) : inner)) as JsonValue;
  return fromJson(schema, value, { ignoreUnknownFields: true });
}

const ids = new Set(["traceId", "spanId", "parentSpanId", "trace_id", "span_id", "parent_span_id"]);

function hexToBase64(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return /^(?:[0-9a-f]{2})*$/i.test(value) ? Buffer.from(value, "hex").toString("base64") : "";
}

/** An answer of OTLP: all was accepted, or `rejected` was not. */
export function encodeAnswer(
  { rejected, message }: { rejected: number; message: string },
  { signal, encoding }: { signal: Signal; encoding: Encoding },
): Uint8Array {
  const count = signal === "traces" ? "rejectedSpans" : "rejectedLogRecords";
  const partial = rejected === 0 ? {} : { partialSuccess: { [count]: String(rejected), errorMessage: message } };
  return encode(fromJson(schemas[signal].response, partial), schemas[signal].response, encoding);
}

/** The body of an answer that is an error. */
export function encodeStatus(message: string, encoding: Encoding): Uint8Array {
  return encode(fromJson(status, { message }), status, encoding);
}

function encode(message: Message, schema: DescMessage, encoding: Encoding): Uint8Array {
  return encoding === "protobuf" ? toBinary(schema, message) : Buffer.from(toJsonString(schema, message));
}

// The parts of the schema that are read, as the library decodes them.
interface KeyValue {
  readonly key: string;
  readonly value?: AnyValue;
}
interface AnyValue {
  readonly value: { readonly case: string | undefined; readonly value?: unknown };
}
interface Scope {
  readonly name: string;
}
interface OtlpSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly name: string;
  readonly startTimeUnixNano: bigint;
  readonly endTimeUnixNano: bigint;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly KeyValue[] }[];
  readonly status?: { readonly code: number; readonly message: string };
}
interface LogRecord {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly eventName: string;
  readonly attributes: readonly KeyValue[];
  readonly body?: AnyValue;
  readonly timeUnixNano: bigint;
}
interface Resource {
  readonly attributes: readonly KeyValue[];
}
interface TraceRequest extends Message {
  readonly resourceSpans: readonly {
    readonly resource?: Resource;
    readonly scopeSpans: readonly { readonly scope?: Scope; readonly spans: readonly OtlpSpan[] }[];
  }[];
}
interface LogsRequest extends Message {
  readonly resourceLogs: readonly {
    readonly scopeLogs: readonly { readonly logRecords: readonly LogRecord[] }[];
  }[];
}

function toSpans({ resourceSpans }: TraceRequest): Decoded {
  const parts: DecodedPart[] = [];
  let invalid = 0;
  for (const { resource, scopeSpans } of resourceSpans) {
    const named = resource?.attributes.find(({ key }) => key === "service.name")?.value?.value.value;
    for (const { scope, spans } of scopeSpans) {
      for (const span of spans) {
        const traceId = idOf(span.traceId, 16);
        const received = toSpan(span, { scope: scope?.name, service: typeof named === "string" ? named : undefined });
        if (traceId === null || !received) invalid += 1;
        else parts.push({ traceId, part: "", span: received });
      }
    }
  }
  return { parts, invalid };
}

function toSpan(
  span: OtlpSpan,
  { scope, service }: { scope: string | undefined; service: string | undefined },
): ReceivedSpan | null {
  const id = idOf(span.spanId, 8);
  if (id === null) return null;
  const budget = { left: mostCharacters };
  const events = span.events
    .slice(0, mostEvents)
    .map(({ name, attributes }) => ({ name: cut(name), attributes: toAttributes(attributes, budget) }));
  return compact({
    id,
    parent: idOf(span.parentSpanId, 8) ?? undefined,
    name: cut(span.name),
    start: milliseconds(span.startTimeUnixNano),
    end: milliseconds(span.endTimeUnixNano),
    failed: span.status?.code === errorStatus ? cut(span.status.message) : undefined,
    attributes: toAttributes(span.attributes, budget),
    events: events.length > 0 ? events : undefined,
    scope: scope ? cut(scope) : undefined,
    service: service === undefined ? undefined : cut(service),
  });
}

const errorStatus = 2;

/** Log records that are events of a span. Others are accepted, and not kept. */
function toEvents({ resourceLogs }: LogsRequest): Decoded {
  const parts: DecodedPart[] = [];
  for (const { scopeLogs } of resourceLogs) {
    for (const { logRecords } of scopeLogs) {
      for (const record of logRecords) {
        const [traceId, of] = [idOf(record.traceId, 16), idOf(record.spanId, 8)];
        const event = toEvent(record);
        if (traceId === null || of === null || !event.name.startsWith("gen_ai.")) continue;
        // Records have no ids: one that is sent twice is the same in all it says.
        const part = createHash("sha256")
          .update(`${record.timeUnixNano} ${JSON.stringify(event)}`)
          .digest("hex");
        parts.push({ traceId, part: part.slice(0, 32), of, event });
      }
    }
  }
  return { parts, invalid: 0 };
}

function toEvent({ eventName, attributes: given, body }: LogRecord): SpanEvent {
  const budget = { left: mostCharacters };
  const attributes = toAttributes(given, budget);
  const named = eventName || attributes["event.name"];
  const name = typeof named === "string" ? cut(named) : "";
  return compact({ name, attributes, body: body ? toValue(body, budget, 0) : undefined });
}

function idOf(bytes: Uint8Array, length: number): string | null {
  if (bytes.length !== length || bytes.every((byte) => byte === 0)) return null;
  return Buffer.from(bytes).toString("hex");
}

const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds / 1_000n) / 1_000;

interface Budget {
  left: number;
}

function toAttributes(given: readonly KeyValue[], budget: Budget): JsonRecord {
  return Object.fromEntries(
    given.slice(0, mostAttributes).map(({ key, value }) => [cut(key, 500), value ? toValue(value, budget, 0) : null]),
  );
}

function toValue({ value: { case: kind, value } }: AnyValue, budget: Budget, depth: number): unknown {
  if (depth > maxDepth) return "… [nested too deeply]";
  if (typeof value === "string") {
    const text = cut(value, Math.min(longestText, Math.max(0, budget.left)));
    budget.left -= text.length;
    return text;
  }
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  budget.left -= 8;
  if (kind === "arrayValue" && isRecord(value)) {
    const list = value["values"] as readonly AnyValue[];
    return list.slice(0, mostItems(budget)).map((item) => toValue(item, budget, depth + 1));
  }
  if (kind === "kvlistValue" && isRecord(value)) {
    const list = value["values"] as readonly KeyValue[];
    return Object.fromEntries(
      list
        .slice(0, mostItems(budget))
        .map(({ key, value: item }) => [cut(key, 500), item ? toValue(item, budget, depth + 1) : null]),
    );
  }
  return value ?? null;
}

const mostItems = ({ left }: Budget): number => Math.max(0, Math.min(10_000, left));

function cut(text: string, longest = longestText): string {
  if (text.length <= longest) return text.toWellFormed();
  return `${text.slice(0, longest).toWellFormed()}… [cut: ${text.length} characters]`;
}
