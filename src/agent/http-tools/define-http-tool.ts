import { firstCharacters } from "../../base/text.ts";
import { ConfigError } from "../config-error.ts";
import { failureWords } from "../text/failure-words.ts";
import { isPage, isText, mediaTypeOf } from "../text/media-type.ts";
import { readHtml } from "../text/read-html.ts";
import { withoutSecrets } from "../text/without-secrets.ts";
import { defineTool, ToolError, type Tool, type ToolArguments } from "../tool.ts";
import {
  formType,
  type HttpOperation,
  type QueryStyle,
  type RequestBody,
  type SendRequest,
  type ToolRequest,
  type ToolResponse,
} from "./http-operation.ts";
import { parseUrlTemplate } from "./url-template.ts";

/** A tool that makes one HTTP request. Failures and odd answers become words the model can act on. */
export function defineHttpTool(
  operation: HttpOperation,
  { send, maxBytes = 1024 * 1024 }: { send: SendRequest; maxBytes?: number },
): Tool {
  const { name, description, parameters, needsApproval, timeoutMs } = operation;
  const template = parseUrlTemplate(operation.url, `The tool "${name}"`, operation.pathParameters);
  checkNames(operation, template.parameters);

  return defineTool({
    name,
    description,
    parameters,
    needsApproval,
    timeoutMs,
    run: async (given: ToolArguments, { signal }) => {
      // Every object has a "constructor" that nobody gave it, and an API may have a parameter of that name.
      const args: ToolArguments = Object.assign(Object.create(null), given);
      const url = template.fill(args);
      for (const { name: key, parameter, style } of operation.query) {
        for (const [pairName, text] of toPairs(key, args[parameter], style)) url.searchParams.append(pairName, text);
      }
      // The operator's come last here too.
      for (const [key, secret] of Object.entries(operation.fixedQuery)) url.searchParams.set(key, secret.reveal());
      const response = await send(toRequest(operation, { url, args, maxBytes, signal }));
      return describeResponse(response, { maxBytes, clean: (text) => withoutSecrets(text, operation.secrets) });
    },
  });
}

/** Every value must come from an argument that the schema knows, or the model could never fill it in. */
function checkNames(operation: HttpOperation, pathParameters: readonly string[]): void {
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
  throw new ConfigError(`The tool "${operation.name}" uses "${missing}", which is not among its parameters.`);
}

function toRequest(
  operation: HttpOperation,
  { url, args, maxBytes, signal }: { url: URL; args: ToolArguments; maxBytes: number; signal: AbortSignal },
): ToolRequest {
  const body = operation.body ? toBody(operation.body, args) : undefined;
  const headers: Record<string, string> = { accept: "application/json, text/*;q=0.9" };
  if (operation.body && body !== undefined) headers["content-type"] = operation.body.type;
  for (const { name, parameter } of operation.headerParameters) {
    const value = args[parameter];
    if (value !== undefined && value !== null) headers[name.toLowerCase()] = toHeader(name, value);
  }
  // The operator's headers come last: no argument of the model replaces a credential.
  for (const [name, secret] of Object.entries(operation.headers)) headers[name] = secret.reveal();
  return {
    method: operation.method,
    url: url.href,
    headers,
    ...(body !== undefined && { body }),
    idempotent: operation.method !== "POST" && operation.method !== "PATCH",
    maxBytes,
    signal,
  };
}

function toBody(body: RequestBody, args: ToolArguments): string | undefined {
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
  throw new ToolError(`The value for ${name} can only hold plain ASCII characters.`);
}

const shownFailure = 1000;

/** Everything passes through `clean`, and before it is cut: half a credential is still one. */
function describeResponse(
  response: ToolResponse,
  { maxBytes, clean }: { maxBytes: number; clean: (text: string) => string },
): string {
  if (!response.ok) throw new ToolError(clean(response.reason));
  const { status, content_type, text } = response;
  const type = mediaTypeOf(content_type);
  if (status < 200 || status > 299) {
    const said = firstCharacters(clean(failureWords(response)), shownFailure);
    throw new ToolError(`The service answered HTTP ${status}${said === "" ? "." : `: ${said}`}`);
  }
  if (Buffer.byteLength(text) > maxBytes) throw new ToolError(`The answer is larger than ${maxBytes} bytes.`);
  if (text === "") return `Done: HTTP ${status} without content.`;
  if (isPage(type)) return clean(readHtml(text).text);
  if (isText(type)) return clean(text);
  throw new ToolError(`The service answered with ${clean(type)}, which is not text.`);
}

type Pair = readonly [name: string, text: string];

const separators: Readonly<Partial<Record<QueryStyle, string>>> = { comma: ",", space: " ", pipe: "|" };

/** What one argument adds to a query or a form. */
function toPairs(name: string, value: unknown, style: QueryStyle): readonly Pair[] {
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

function deepPairs(name: string, value: unknown): readonly Pair[] {
  if (typeof value !== "object" || value === null) return [[name, toPlainText(value)]];
  return Object.entries(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item));
}

/** A value as text; what is no plain value as JSON. */
const toPlainText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
