import { compact } from "../../base/compact.ts";
import type { Secret } from "../../base/secret.ts";
import { truncateText } from "../../base/text.ts";
import { bodyFailureText, isHtmlType, isTextType, parseMediaType } from "../text/body-text.ts";
import { readHtml } from "../text/read-html.ts";
import { redactSecrets } from "../../base/redact-secrets.ts";
import { ConfigError } from "../tools/operator-config.ts";
import { defineTool, ToolError, type Tool, type ToolArguments } from "../tools/tool.ts";
import { parseUrlTemplate, type TemplateParameter } from "./url-template.ts";

/**
 * How a list or object is written into a query or a form. `repeat`: a list as one pair per item, an object as JSON. `form`: an
 * object as one pair per key. `comma`, `space` and `pipe`: joined in one value. `deep`: `name[key]=value` at every level. `json`: as JSON.
 */
export type QueryStyle = "repeat" | "form" | "comma" | "space" | "pipe" | "deep" | "json";

/** An HTTP request that a tool makes, declared by hand or read from an OpenAPI document. */
export interface HttpOperation {
  readonly name: string;
  readonly description: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Full URL; `{parameter}` is replaced by a value in the path. */
  readonly url: string;
  /** Path parameters with another name or style than the default, by the name of the argument. */
  readonly pathParameters?: ReadonlyMap<string, TemplateParameter>;
  /** JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly query: readonly { readonly name: string; readonly parameter: string; readonly style: QueryStyle }[];
  readonly headerParameters: readonly { readonly name: string; readonly parameter: string }[];
  readonly body: RequestBody | null;
  readonly headers: Readonly<Record<string, Secret>>;
  /** The operator's part of the query, such as a key. */
  readonly fixedQuery: Readonly<Record<string, Secret>>;
  /** Values of headers and query that the model must not read. */
  readonly secrets: readonly Secret[];
  readonly needsApproval: boolean;
  /** A request that may have been carried out is sent again. */
  readonly idempotent: boolean;
  readonly timeoutMs: number | undefined;
}

/** The methods that HTTP declares idempotent. */
export const isIdempotentMethod = (method: HttpOperation["method"]): boolean => method !== "POST" && method !== "PATCH";

/** Fields of a body, or one parameter that is the whole body. `type` is its media type: a form or a kind of JSON. */
export type RequestBody = { readonly type: string } & (
  | {
      readonly fields: readonly BodyField[];
      /** No body is sent when no field is given. */
      readonly optional: boolean;
    }
  | { readonly whole: string }
);

interface BodyField {
  readonly name: string;
  readonly parameter: string;
  /** How a list or object is written into a form. */
  readonly style: QueryStyle;
}

export const formType = "application/x-www-form-urlencoded";

export interface ToolRequest {
  readonly method: HttpOperation["method"];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly idempotent: boolean;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The response, whatever its status, or the reason why there is none, written for the model. */
export type ToolResponse =
  | { readonly ok: true; readonly status: number; readonly content_type: string; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Contract: follows no redirect, reads at most `maxBytes`, rejects only when `signal` aborts. */
export type SendRequest = (request: ToolRequest) => Promise<ToolResponse>;

/** A tool that makes one HTTP request. Failures become messages the model can act on. */
export function defineHttpTool(
  operation: HttpOperation,
  { send, maxBytes = 1024 * 1024 }: { send: SendRequest; maxBytes?: number },
): Tool {
  const { name, description, parameters, needsApproval, idempotent, timeoutMs } = operation;
  const template = parseUrlTemplate(operation.url, `The tool "${name}"`, operation.pathParameters);
  checkFieldNames(operation, template.parameters);

  return defineTool({
    name,
    description,
    parameters,
    needsApproval,
    idempotent,
    timeoutMs,
    run: async (given: ToolArguments, { signal }) => {
      // Without a prototype: an API may have a parameter named "constructor".
      const args: ToolArguments = Object.assign(Object.create(null), given);
      const url = template.fill(args);
      for (const { name: key, parameter, style } of operation.query) {
        for (const [pairName, text] of toPairs(key, args[parameter], style)) url.searchParams.append(pairName, text);
      }
      // The operator's values come last: no argument replaces them.
      for (const [key, secret] of Object.entries(operation.fixedQuery)) url.searchParams.set(key, secret.reveal());
      const response = await send(toRequest(operation, { url, args, maxBytes, signal }));
      return describeResponse(response, { maxBytes, clean: (text) => redactSecrets(text, operation.secrets) });
    },
  });
}

/** Every value must come from an argument in the schema, or the model could never fill it in. */
function checkFieldNames(operation: HttpOperation, pathParameters: readonly string[]): void {
  const { properties } = operation.parameters;
  const known = new Set(typeof properties === "object" && properties !== null ? Object.keys(properties) : []);
  const { query, headerParameters, body } = operation;
  const bodyParameters = !body ? [] : "whole" in body ? [body.whole] : body.fields.map((field) => field.parameter);
  const used = [
    ...pathParameters,
    ...[...query, ...headerParameters].map(({ parameter }) => parameter),
    ...bodyParameters,
  ];
  const missing = used.find((parameter) => !known.has(parameter));
  if (missing === undefined) return;
  throw new ConfigError(`The tool "${operation.name}" uses "${missing}", which is not one of its parameters.`);
}

function toRequest(
  operation: HttpOperation,
  { url, args, maxBytes, signal }: { url: URL; args: ToolArguments; maxBytes: number; signal: AbortSignal },
): ToolRequest {
  const body = operation.body ? toOperationBody(operation.body, args) : undefined;
  const headers: Record<string, string> = { accept: "application/json, text/*;q=0.9" };
  if (operation.body && body !== undefined) headers["content-type"] = operation.body.type;
  for (const { name, parameter } of operation.headerParameters) {
    const value = args[parameter];
    if (value !== undefined && value !== null) headers[name.toLowerCase()] = toHeader(name, value);
  }
  // The operator's headers come last: no argument replaces a credential.
  for (const [name, secret] of Object.entries(operation.headers)) headers[name] = secret.reveal();
  return compact({
    method: operation.method,
    url: url.href,
    headers,
    body,
    idempotent: operation.idempotent,
    maxBytes,
    signal,
  });
}

function toOperationBody(body: RequestBody, args: ToolArguments): string | undefined {
  if ("whole" in body) {
    const value = args[body.whole];
    if (value === undefined) return undefined;
    return body.type === formType ? toForm([["", value, "form"]]) : JSON.stringify(value);
  }
  const fields = body.fields.filter(({ parameter }) => args[parameter] !== undefined);
  if (fields.length === 0 && body.optional) return undefined;
  if (body.type === formType) return toForm(fields.map(({ name, parameter, style }) => [name, args[parameter], style]));
  return JSON.stringify(Object.fromEntries(fields.map(({ name, parameter }) => [name, args[parameter]])));
}

function toForm(fields: readonly (readonly [name: string, value: unknown, style: QueryStyle])[]): string {
  const pairs = fields.flatMap(([name, value, style]) => toPairs(name, value, style));
  return new URLSearchParams(pairs.map(([name, text]) => [name, text])).toString();
}

function toHeader(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.map(toPlainText).join(",") : toPlainText(value);
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  throw new ToolError(`The value for ${name} can contain only printable ASCII characters.`);
}

const shownFailure = 1000;

/** `clean` runs before text is cut, because half a credential would not be recognised. */
function describeResponse(
  response: ToolResponse,
  { maxBytes, clean }: { maxBytes: number; clean: (text: string) => string },
): string {
  if (!response.ok) throw new ToolError(clean(response.reason));
  const { status, content_type, text } = response;
  const type = parseMediaType(content_type);
  if (status < 200 || status > 299) {
    const said = truncateText(clean(bodyFailureText(response)), shownFailure);
    throw new ToolError(`The service answered HTTP ${status}${said === "" ? "." : `: ${said}`}`);
  }
  if (Buffer.byteLength(text) > maxBytes) throw new ToolError(`The answer is larger than ${maxBytes} bytes.`);
  if (text === "") return `Done: HTTP ${status} without content.`;
  if (isHtmlType(type)) return clean(readHtml(text).text);
  if (isTextType(type)) return clean(text);
  throw new ToolError(`The service answered with ${clean(type)}, which is not text.`);
}

type NamedValue = readonly [name: string, text: string];

const separators: Readonly<Partial<Record<QueryStyle, string>>> = { comma: ",", space: " ", pipe: "|" };

/** The pairs of one argument in a query or a form. */
function toPairs(name: string, value: unknown, style: QueryStyle): readonly NamedValue[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object" || style === "json") return [[name, toPlainText(value)]];
  if (style === "deep") return deepPairs(name, value);
  const separator = separators[style];
  if (separator !== undefined) {
    const parts = Array.isArray(value) ? value : Object.entries(value).flat();
    return [[name, parts.map(toPlainText).join(separator)]];
  }
  if (Array.isArray(value)) return value.map((item) => [name, toPlainText(item)]);
  if (style === "repeat") return [[name, toPlainText(value)]];
  return Object.entries(value).map(([key, item]) => [key, toPlainText(item)]);
}

function deepPairs(name: string, value: unknown): readonly NamedValue[] {
  if (typeof value !== "object" || value === null) return [[name, toPlainText(value)]];
  return Object.entries(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item));
}

/** A value as text; objects and lists as JSON. */
const toPlainText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
