import { isRecord, type JsonRecord } from "../../base/json.ts";
import {
  toOpenaiMessage,
  type ChatRequest,
  type ChatSession,
  type TraceContext,
} from "../../contract/ports/chat-model.ts";
import type { Target, TargetStep } from "../../contract/schemas/acting/target.ts";
import { setAt } from "../adapters/reply/json-values.ts";
import type { OutboundRequest } from "../outbound/outbound.ts";
import { stepUrl } from "./target-calls.ts";
import { fillText, fillValue, type TemplateValues } from "./template.ts";

/** A request as a protocol writes it. Headers without placeholders are added when it is sent. */
export interface TargetRequest {
  readonly url: string;
  readonly method: OutboundRequest["method"];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The headers that are described for a request which is no turn. Default: those of the target. */
  readonly described?: Target["headers"];
}

/** What placeholders stand for in one call. */
interface CallValues {
  readonly request: ChatRequest;
  readonly session: ChatSession;
  readonly trace?: TraceContext | undefined;
  readonly modelId: string;
  readonly stream: boolean;
  readonly state: { readonly captures: Readonly<Record<string, unknown>> };
}

/** The request of a turn. */
export function toRequest(target: Target, call: CallValues): TargetRequest {
  const { method = "POST", body, world } = target;
  const { world_url } = call.session;
  const isPlaced = world?.field !== undefined && world_url !== undefined;
  const place = (content: unknown): unknown => (isPlaced ? setAt(content, world.field ?? "", world_url) : content);
  return fillRequest({ ...target, method, body: method === "GET" ? undefined : body }, toValues(target, call), place);
}

/** A request of the conversation that is no turn. */
export function toStepRequest(step: TargetStep, target: Target, call: CallValues): TargetRequest {
  const { url, body, method = body === undefined ? "GET" : "POST" } = step;
  const values = toValues(target, call);
  const described = step.headers ?? target.headers ?? {};
  const request = fillRequest({ ...step, url: stepUrl(url, target.url), method, headers: described }, values);
  return { ...request, described };
}

interface Described extends Pick<Target, "headers" | "body"> {
  readonly url: string;
  readonly method: OutboundRequest["method"];
}

function fillRequest(
  { url, method, headers = {}, body }: Described,
  values: TemplateValues,
  place: (content: unknown) => unknown = (content) => content,
): TargetRequest {
  const filled = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && value.includes("{{")
      ? [[name.toLowerCase(), fillText(value, values).replaceAll(/[\r\n\0]+/g, " ")]]
      : [],
  );
  return {
    url: fillText(url, values, (text) => encodeURIComponent(text.toWellFormed())),
    method,
    headers: Object.fromEntries(filled),
    body: body === undefined ? null : toBody(body, { values, type: contentType(headers), place }),
  };
}

function contentType(headers: NonNullable<Target["headers"]>): string {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type") ?? [];
  return typeof value === "string" ? value : "";
}

function toBody(
  body: unknown,
  { values, type, place }: { values: TemplateValues; type: string; place: (content: unknown) => unknown },
): string {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type);
  if (typeof body === "string" && !isForm && type !== "" && !/json/i.test(type)) return fillText(body, values);
  if (typeof body === "string" && isForm) return fillText(body, values, encodeURIComponent);
  const content = place(fillValue(body, values));
  if (!isForm) return JSON.stringify(content);
  const fields = Object.entries(isRecord(content) ? content : {});
  return new URLSearchParams(
    fields.map(([name, value]): [string, string] => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  ).toString();
}

function toValues(target: Target, call: CallValues): TemplateValues {
  const { messages, tools } = call.request;
  const last = messages.findLast(({ role }) => role === "user");
  const index = last ? messages.lastIndexOf(last) : messages.length;
  const system = messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n");
  return {
    ...call.state.captures,
    messages: messages.map(toOpenaiMessage),
    history: messages.slice(0, index).map(toOpenaiMessage),
    message: last?.content ?? "",
    system: system === "" ? undefined : system,
    tools: tools?.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
    session_id: sessionId(target, call),
    model: call.modelId,
    traceparent: call.trace?.traceparent,
    baggage: call.trace?.baggage,
    trace_id: call.trace?.traceparent.split("-")[1],
    stream: call.stream && target.stream !== undefined,
  };
}

/** With a session that the target makes, the first turn has none. */
export function sessionId({ session: made }: Target, { session }: Pick<CallValues, "session">): string | undefined {
  return session.issued ?? (made === undefined ? session.id : undefined);
}

/** The body of a protocol with the fields that the target adds. An object within the body keeps its other fields. */
export function withBody(own: JsonRecord, target: Target, call: CallValues): JsonRecord {
  const added = fillValue(target.body, toValues(target, call));
  return isRecord(added) ? merged(own, added) : own;
}

function merged(own: JsonRecord, added: JsonRecord): JsonRecord {
  const entries = Object.entries(added).map(([name, value]) => {
    const known = Object.hasOwn(own, name) ? own[name] : undefined;
    return [name, isRecord(known) && isRecord(value) ? merged(known, value) : value];
  });
  return { ...own, ...Object.fromEntries(entries) };
}
