import { isRecord, toPointer } from "../../base/json.ts";
import { closestName, truncateText } from "../../base/text.ts";
import { mostFieldErrors, type FieldError } from "../../contract/errors/errors.ts";
import { protocols, type ProtocolFacts } from "../../contract/protocols/protocols.ts";
import { templateVariables, type Target, type TemplateVariable } from "../../contract/schemas/acting/target.ts";

/** The values of placeholders in one call. Undefined: the field of a JSON body is left out, elsewhere the text is empty. */
export type TemplateValues = Readonly<Record<TemplateVariable, unknown>>;

const placeholder = /\{\{([^{}]*)\}\}/g;
const alone = /^\{\{([^{}]*)\}\}$/;

/** Fills in a JSON value. A text that is one placeholder becomes its value, of whatever type. */
export function fillValue(template: unknown, values: TemplateValues): unknown {
  if (typeof template === "string") {
    const name = alone.exec(template)?.[1]?.trim();
    return name === undefined ? fillText(template, values) : values[name as TemplateVariable];
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
  return template.replace(placeholder, (_, name: string) => encode(asText(values[name.trim() as TemplateVariable])));
}

/** Why a request that was filled in must not be sent; null if it may. Values never change the structure of a path. */
export function filledProblem(
  { url: template }: Pick<Target, "url">,
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
const pathSegments = (url: string): string[] => (/^https?:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? "").split("/");

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

/** The placeholders in a target, by the pointer of the text that has them. */
export function* placeholdersIn(target: Target): Iterable<{ readonly pointer: string; readonly name: string }> {
  const { url, headers = {}, body } = target;
  for (const [path, text] of textsIn({ url, headers, body })) {
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
const httpOnly = ["method", "reply", "tool_calls", "usage", "labels", "context", "session", "error", "stream"] as const;

/** Problems of a target beyond the schema of each field. Pointers are relative to it. */
export function targetProblems(target: Target): FieldError[] {
  const problems: FieldError[] = [];
  const note = (pointer: string, code: string, message: string) => problems.push({ pointer, code, message });
  for (const { pointer, name } of placeholdersIn(target)) {
    if ((templateVariables as readonly string[]).includes(name)) continue;
    if (problems.length >= mostFieldErrors) break;
    const nearest = closestName(name, templateVariables);
    const hint = nearest === undefined ? `known: ${templateVariables.join(", ")}` : `did you mean {{${nearest}}}?`;
    note(pointer, "unknown_placeholder", `has the unknown placeholder {{${name.slice(0, 80)}}}; ${hint}`);
  }
  if (/^https?:\/\/[^/?#]*\{\{/i.test(target.url)) {
    note("/url", "not_allowed", "must have no placeholder before its path: the origin decides which secrets are sent");
  }
  for (const [name, value] of Object.entries(target.headers ?? {})) {
    const pointer = toPointer(["headers", name]);
    if (reserved.has(name.toLowerCase())) note(pointer, "not_allowed", "is set by the client itself");
    else if (typeof value === "string" && secretHeaders.test(name) && !value.includes("{{")) {
      note(
        pointer,
        "not_allowed",
        `must not have its secret in the file: use {"env": "NAME_OF_A_VARIABLE", "prefix": "…"}`,
      );
    } else if (unsendable.test(typeof value === "string" ? value : (value.prefix ?? ""))) {
      note(pointer, "invalid_value", "must be one line of Latin-1 characters: HTTP headers carry no others");
    }
  }
  const { protocol = "http", method = "POST", body } = target;
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
  } else if (method === "GET" && body !== undefined) {
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
