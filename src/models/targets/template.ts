import { measureJson } from "../../base/json-size.ts";
import { isRecord, toPointer } from "../../base/json.ts";
import { closestName, truncateText } from "../../base/text.ts";
import { mostFieldErrors, type FieldError } from "../../contract/errors/errors.ts";
import type { ChatRequest } from "../../contract/ports/chat-model.ts";
import { protocols, type ProtocolFacts } from "../../contract/protocols/protocols.ts";
import {
  templateVariables,
  type Target,
  type TargetHeader,
  type TemplateVariable,
} from "../../contract/schemas/acting/target.ts";
import { callsOf, isSocket } from "./target-calls.ts";

/** The values of placeholders in one call. Undefined: the field of a JSON body is left out, elsewhere the text is empty. */
export type TemplateValues = Readonly<Record<TemplateVariable, unknown>> & Readonly<Record<string, unknown>>;

const placeholder = /\{\{([^{}]*)\}\}/g;
const alone = /^\{\{([^{}]*)\}\}$/;

/** Fills in a JSON value. A text that is one placeholder becomes its value, of whatever type. */
export function fillValue(template: unknown, values: TemplateValues): unknown {
  if (typeof template === "string") {
    const name = alone.exec(template)?.[1]?.trim();
    return name === undefined ? fillText(template, values) : values[name];
  }
  if (Array.isArray(template)) {
    return template.map((item) => fillValue(item, values)).filter((item) => item !== undefined);
  }
  if (!isRecord(template)) return template;
  const filled = Object.entries(template).map(([key, item]) => [key, fillValue(item, values)] as const);
  return Object.fromEntries(filled.filter(([, item]) => item !== undefined));
}

/** Fills in a text; `encode` is applied to each value. */
export function fillText(
  template: string,
  values: TemplateValues,
  encode: (text: string) => string = (text) => text,
): string {
  return template.replace(placeholder, (_, name: string) => encode(asText(values[name.trim()])));
}

/** Characters that placeholders may add to a request beyond the conversation itself. */
const mostRepeated = 8_388_608;

/** Why a request must not be filled in: a short template can repeat a long conversation many times. Null if it may. */
export function repetitionProblem(target: Target, { messages, tools }: ChatRequest): string | null {
  const requests = [target, ...(target.poll ? [target.poll] : [])];
  const names = requests.map((request) => [...placeholdersIn(request)].map(({ name }) => name));
  if (names.every(({ length }) => length < 2)) return null;
  const conversation = charactersOf(messages);
  const sizes = new Map<string, number>([
    ["messages", conversation],
    ["history", conversation],
    ["message", messages.findLast(({ role }) => role === "user")?.content.length ?? 0],
    ["system", messages.reduce((sum, { role, content }) => sum + (role === "system" ? content.length : 0), 0)],
    ["tools", charactersOf(tools ?? [])],
  ]);
  const longest = Math.max(...names.map((list) => list.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)));
  if (longest <= conversation + mostRepeated) return null;
  return `The placeholders of the target would repeat the conversation until the request has more than ${mostRepeated} characters besides.`;
}

const charactersOf = (value: unknown): number =>
  measureJson(value, { characters: Infinity, values: Infinity, depth: Infinity })?.characters ?? 0;

/** Why a request that was filled in must not be sent; null if it may. Values never change the structure of a path. */
export function filledProblem(
  { url: template }: { readonly url: string },
  { url, headers = {} }: { readonly url: string; readonly headers?: Readonly<Record<string, string>> },
): string | null {
  const segments = pathSegments(url);
  const dots = pathSegments(template).findIndex(
    (segment, index) => segment.includes("{{") && hasDotSegment(segments[index] ?? ""),
  );
  if (dots !== -1) {
    const shown = truncateText(segments[dots] ?? "", 80);
    return `The path of the target would have the segment ${JSON.stringify(shown)}, which means another path.`;
  }
  const [name] = Object.entries(headers).find(([, value]) => unsendable.test(value)) ?? [];
  return name === undefined ? null : `The header ${name} would have a character that no header can carry.`;
}

/** The texts between the slashes of a path: values have theirs encoded. */
const pathSegments = (url: string): string[] =>
  (/^(?:https?|wss?):\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? "").split("/");

const mostDecodings = 3;

/** True for `..` and `.`, also encoded, more than once, or between encoded slashes: servers decode before they resolve. */
function hasDotSegment(segment: string): boolean {
  let text = segment.replaceAll(/[\t\r\n]/g, "");
  for (let decodings = 0; decodings <= mostDecodings; decodings++) {
    if (text.split(/[/\\]/).some((part) => part === "." || part === "..")) return true;
    text = text.replaceAll(/%(2e|2f|5c|25)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  return false;
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The placeholders in a request that a target describes, by the pointer of the text that has them. */
export function* placeholdersIn(
  { url, headers = {}, body }: Pick<Target, "url" | "headers" | "body">,
  place: readonly PropertyKey[] = [],
): Iterable<{ readonly pointer: string; readonly name: string }> {
  for (const [path, text] of textsIn({ url, headers, body }, place)) {
    for (const [, name = ""] of text.matchAll(placeholder)) yield { pointer: toPointer(path), name: name.trim() };
  }
}

function* textsIn(
  value: unknown,
  path: readonly PropertyKey[] = [],
): Iterable<readonly [readonly PropertyKey[], string]> {
  if (typeof value === "string") yield [path, value];
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* textsIn(item, [...path, index]);
  else if (isRecord(value)) for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...path, key]);
}

/** True when the target is sent the whole conversation with every turn, and so needs no session. */
export function isStateless(target: Target): boolean {
  const { history } = protocols[target.protocol ?? "http"].carries;
  if (history !== "template") return history === "sent";
  if (target.protocol === "langgraph") return target.stateless === true;
  return [...placeholdersIn(target)].some(({ name }) => name === "messages" || name === "history");
}

/** True when the target gets the system prompt. */
export function sendsSystemPrompt(target: Target): boolean {
  const { system } = protocols[target.protocol ?? "http"].carries;
  if (system !== "template") return system;
  return [...placeholdersIn(target)].some(({ name }) => name === "messages" || name === "system" || name === "history");
}

/** Headers of the connection, which the HTTP client refuses or writes itself. */
const reserved = new Set([
  "host",
  "connection",
  "transfer-encoding",
  "content-length",
  "expect",
  "upgrade",
  "keep-alive",
]);
/** Neither printable Latin-1 nor a tab. */
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;
const secretHeaders = /^(?:authorization|proxy-authorization|cookie)$|(?:api-?key|token|secret|password)$/i;
const httpOnly = [
  "capture",
  "poll",
  "socket",
  "method",
  "reply",
  "tool_calls",
  "usage",
  "labels",
  "context",
  "session",
  "error",
  "stream",
] as const;

/** Problems of a target beyond the schema of each field. Pointers are relative to it. */
export function targetProblems(target: Target): FieldError[] {
  const problems: FieldError[] = [];
  const note = (pointer: string, code: string, message: string) => problems.push({ pointer, code, message });
  problems.push(...placeholderProblems(target));
  for (const { pointer, url } of callsOf(target)) {
    if (/^[a-z]+:\/\/[^/?#]*\{\{|^\{\{/i.test(url)) {
      const message = "must have no placeholder before its path: the origin decides which secrets are sent";
      note(`${pointer}/url`, "not_allowed", message);
    } else if (pointer !== "" && !/^https?:\/\//i.test(url)) {
      note(`${pointer}/url`, "invalid_value", "must be an http(s) address, or a path that begins with a slash");
    }
  }
  for (const [pointer, name, value] of describedHeaders(target)) {
    if (reserved.has(name.toLowerCase())) note(pointer, "not_allowed", "is set by the client itself");
    else if (typeof value === "string" && secretHeaders.test(name) && !value.includes("{{")) {
      note(
        pointer,
        "not_allowed",
        `must not have its secret in the file: use {"env": "NAME_OF_A_VARIABLE", "prefix": "…"}`,
      );
    } else if (target.cookies === true && name.toLowerCase() === "cookie") {
      note(pointer, "not_allowed", "cannot be combined with cookies: true");
    } else if (unsendable.test(typeof value === "string" ? value : (value.prefix ?? ""))) {
      note(pointer, "invalid_value", "must be one line of Latin-1 characters: HTTP headers carry no others");
    }
  }
  const { protocol = "http", method = "POST", body } = target;
  problems.push(...turnProblems(target));
  for (const name of ["assistant", "stateless"] as const) {
    if (target[name] !== undefined && protocol !== "langgraph") {
      note(`/${name}`, "not_allowed", `has an effect only with protocol langgraph`);
    }
  }
  if (protocol !== "http") {
    const facts: ProtocolFacts = protocols[protocol];
    const addsBody = "addsBody" in facts && facts.addsBody === true;
    for (const name of [...httpOnly, ...(addsBody ? [] : (["body"] as const))]) {
      if (target[name] !== undefined) note(`/${name}`, "not_allowed", `has no effect with protocol ${protocol}`);
    }
    if (addsBody && body !== undefined && !isRecord(body)) {
      note("/body", "invalid_value", `must be an object: with protocol ${protocol}, its fields are added to the body`);
    }
  } else if (method === "GET" && body !== undefined && !isSocket(target.url)) {
    note("/body", "not_allowed", "is not sent with GET: put placeholders into the URL");
  } else if (method !== "GET" && body === undefined) {
    note("/body", "required", 'is required, such as {"message": "{{message}}", "session_id": "{{session_id}}"}');
  }
  const asks = [...placeholdersIn(target)].some(({ name }) => ["message", "messages", "history"].includes(name));
  if (protocol === "http" && !asks && problems.length === 0) {
    note(
      method === "GET" ? "/url" : "/body",
      "required",
      "must contain {{message}} or {{messages}}: what the user says",
    );
  }
  return problems;
}

const mostPlaceholders = 200;

/** Placeholders that are unknown, or not known yet, or too many: each may stand for a whole conversation. */
function placeholderProblems(target: Target): FieldError[] {
  const { before = [], after = [], poll, capture } = target;
  const problems: FieldError[] = [];
  const ofSession: readonly string[] = ["session_id", "model", "traceparent", "baggage", "trace_id"];
  const captured = new Set(before.flatMap((step) => Object.keys(step.capture ?? {})));
  const ofTurns = new Set([...captured, ...Object.keys(capture ?? {}), ...Object.keys(poll?.capture ?? {})]);
  let count = 0;
  const check = (
    request: Pick<Target, "url" | "headers" | "body">,
    { place, known, names }: { place: readonly PropertyKey[]; known: readonly string[]; names: Iterable<string> },
  ): void => {
    const all = [...known, ...names];
    for (const { pointer, name } of placeholdersIn(request, place)) {
      count += 1;
      if (all.includes(name) || problems.length >= mostFieldErrors) continue;
      const nearest = closestName(name, all);
      const isOfTurn = (templateVariables as readonly string[]).includes(name);
      const hint = isOfTurn
        ? "which is known in turns only"
        : nearest === undefined
          ? `known: ${all.join(", ")}`
          : `did you mean {{${nearest}}}?`;
      const message = `has the ${isOfTurn ? "" : "unknown "}placeholder {{${name.slice(0, 80)}}}${isOfTurn ? "," : ";"} ${hint}`;
      problems.push({ pointer, code: "unknown_placeholder", message });
    }
  };
  check(target, { place: [], known: templateVariables, names: ofTurns });
  if (poll) check(poll, { place: ["poll"], known: templateVariables, names: ofTurns });
  const soFar = new Set<string>();
  for (const [index, step] of before.entries()) {
    check(step, { place: ["before", index], known: ofSession, names: soFar });
    for (const name of Object.keys(step.capture ?? {})) soFar.add(name);
  }
  for (const [index, step] of after.entries()) {
    check(step, { place: ["after", index], known: ofSession, names: ofTurns });
  }
  if (count > mostPlaceholders) {
    const message = `must have at most ${mostPlaceholders} placeholders, not ${count}`;
    problems.push({ pointer: "/body", code: "too_many", message });
  }
  const taken = [...ofTurns].find((name) => (templateVariables as readonly string[]).includes(name));
  if (taken !== undefined) {
    const message = `captures {{${taken}}}, which has a value of its own: choose another name`;
    problems.push({ pointer: "", code: "conflict", message });
  }
  return problems;
}

/** The headers that a target and its requests describe, each once. */
function* describedHeaders(target: Target): Iterable<readonly [string, string, TargetHeader]> {
  const { before = [], after = [], poll } = target;
  const requests: readonly (readonly [readonly PropertyKey[], Target["headers"]])[] = [
    [[], target.headers],
    ...before.map((step, index) => [["before", index], step.headers] as const),
    ...(poll ? [[["poll"], poll.headers] as const] : []),
    ...after.map((step, index) => [["after", index], step.headers] as const),
  ];
  for (const [place, headers = {}] of requests) {
    for (const [name, value] of Object.entries(headers)) yield [toPointer([...place, "headers", name]), name, value];
  }
}

/** Fields that say how a turn ends, where they cannot be obeyed. */
function turnProblems({ url, protocol = "http", method, poll, socket, stream, capture }: Target): FieldError[] {
  const problems: FieldError[] = [];
  const note = (pointer: string, code: string, message: string) => problems.push({ pointer, code, message });
  const isWeb = isSocket(url);
  if (isWeb && protocol !== "http") note("/url", "invalid_value", `must begin with http with protocol ${protocol}`);
  if (isWeb && method !== undefined) note("/method", "not_allowed", "has no effect with a WebSocket");
  if (isWeb && poll) note("/poll", "not_allowed", "has no effect with a WebSocket");
  if (isWeb && capture) note("/capture", "not_allowed", "has no effect with a WebSocket: capture in before");
  if (!isWeb && socket)
    note("/socket", "not_allowed", "has an effect only with an address that begins with ws:// or wss://");
  if (poll && stream) note("/poll", "not_allowed", "cannot be combined with stream: a streamed answer has the reply");
  if (capture && stream && !isWeb) note("/capture", "not_allowed", "cannot be combined with stream");
  if (poll && poll.until === undefined && poll.quiet === undefined) {
    note("/poll/until", "required", "is required, or quiet: which answer has the reply");
  }
  return problems;
}

/** Values at a pointer of an answer: several with `*`, none when it leads nowhere. */
export function valuesAt(answer: unknown, pointer: string): readonly unknown[] {
  if (pointer === "") return [answer];
  let values: readonly unknown[] = [answer];
  for (const step of pointer.slice(1).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    values = values.flatMap((value) => stepInto(value, key)).filter((value) => value !== undefined);
  }
  return values;
}

function stepInto(value: unknown, key: string): readonly unknown[] {
  if (Array.isArray(value)) {
    if (key === "*") return value;
    return /^-?\d+$/.test(key) ? [value.at(Number(key))] : [];
  }
  return isRecord(value) && Object.hasOwn(value, key) ? [value[key]] : [];
}
