import { ConfigError } from "../config-error.ts";
import { firstCharacters } from "../cap-text.ts";
import { failureWords } from "../text/failure-words.ts";
import { readHtml } from "../text/read-html.ts";
import { withoutSecrets } from "../text/without-secrets.ts";
import { defineTool, ToolError, type Tool, type ToolArguments } from "../tool.ts";
import type { HttpOperation, QueryStyle, SendRequest, ToolRequest, ToolResponse } from "./http-operation.ts";
import { parseUrlTemplate } from "./url-template.ts";

/** A tool that makes one HTTP request. Failures and odd answers become words the model can act on. */
export function defineHttpTool(
  operation: HttpOperation,
  { send, maxBytes = 1024 * 1024 }: { send: SendRequest; maxBytes?: number },
): Tool {
  const { name, description, parameters, needsApproval, timeoutMs } = operation;
  const template = parseUrlTemplate(operation.url, `The tool "${name}"`);
  checkNames(operation, template.parameters);
  const secrets = Object.values(operation.headers);

  return defineTool({
    name,
    description,
    parameters,
    needsApproval,
    timeoutMs,
    run: async (args: ToolArguments, { signal }) => {
      const url = template.fill(args);
      for (const { name: key, parameter, style } of operation.query) addQuery(url, key, args[parameter], style);
      const response = await send(toRequest(operation, { url, args, maxBytes, signal }));
      return describeResponse(response, { maxBytes, clean: (text) => withoutSecrets(text, secrets) });
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
  const body = toBody(operation.body, args);
  const headers: Record<string, string> = { accept: "application/json, text/*;q=0.9" };
  for (const { name, parameter } of operation.headerParameters) {
    if (args[parameter] !== undefined) headers[name.toLowerCase()] = toHeader(name, args[parameter]);
  }
  // The operator's headers come last: no argument of the model replaces a credential.
  for (const [name, secret] of Object.entries(operation.headers)) headers[name] = secret.reveal();
  if (body !== undefined) headers["content-type"] = "application/json";
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

function toBody(body: HttpOperation["body"], args: ToolArguments): string | undefined {
  if (!body) return undefined;
  if ("whole" in body) return args[body.whole] === undefined ? undefined : JSON.stringify(args[body.whole]);
  const fields = body.fields.filter(({ parameter }) => args[parameter] !== undefined);
  return JSON.stringify(Object.fromEntries(fields.map(({ name, parameter }) => [name, args[parameter]])));
}

function toHeader(name: string, value: unknown): string {
  const text = toQueryText(value);
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  throw new ToolError(`The value for ${name} can only hold plain ASCII characters.`);
}

const separators: Readonly<Partial<Record<QueryStyle, string>>> = { comma: ",", space: " ", pipe: "|" };

function addQuery(url: URL, name: string, value: unknown, style: QueryStyle): void {
  if (value === undefined || value === null) return;
  for (const [key, text] of toPairs(name, value, style)) url.searchParams.append(key, text);
}

function toPairs(name: string, value: unknown, style: QueryStyle): readonly (readonly [string, string])[] {
  if (typeof value !== "object" || value === null || style === "json") return [[name, toQueryText(value)]];
  const separator = separators[style];
  if (separator !== undefined) {
    const parts = Array.isArray(value) ? value : Object.entries(value).flat();
    return [[name, parts.map(toQueryText).join(separator)]];
  }
  if (Array.isArray(value)) return value.map((item) => [name, toQueryText(item)]);
  if (style === "repeat") return [[name, toQueryText(value)]];
  return Object.entries(value).map(([key, item]) => [style === "deep" ? `${name}[${key}]` : key, toQueryText(item)]);
}

const toQueryText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

const shownFailure = 1000;

/** Everything passes through `clean`, and before it is cut: half a credential is still one. */
function describeResponse(
  response: ToolResponse,
  { maxBytes, clean }: { maxBytes: number; clean: (text: string) => string },
): string {
  if (!response.ok) throw new ToolError(clean(response.reason));
  const { status, content_type, text } = response;
  const type = (content_type.split(";")[0] ?? "").trim().toLowerCase();
  if (status < 200 || status > 299) {
    const said = firstCharacters(clean(failureWords(response)), shownFailure);
    throw new ToolError(`The service answered HTTP ${status}${said === "" ? "." : `: ${said}`}`);
  }
  if (Buffer.byteLength(text) > maxBytes) throw new ToolError(`The answer is larger than ${maxBytes} bytes.`);
  if (text === "") return `Done: HTTP ${status} without content.`;
  if (type === "text/html") return clean(readHtml(text).text);
  if (type === "" || type.startsWith("text/") || /json|xml|yaml/.test(type)) return clean(text);
  throw new ToolError(`The service answered with ${clean(type)}, which is not text.`);
}
