import { parse } from "yaml";
import { z } from "zod";
import { Secret } from "../../base/secret.ts";
import {
  ConfigError,
  parseOperatorConfig,
  resolveHeaders,
  resolveVariables,
  collectSecrets,
  type ConfigVariables,
} from "../tools/operator-config.ts";
import type { Tool } from "../tools/tool.ts";
import { fromOpenapi } from "./openapi.ts";
import {
  defineHttpTool,
  isIdempotentMethod,
  type HttpOperation,
  type RequestBody,
  type SendRequest,
} from "./http-operation.ts";
import { parseUrlTemplate } from "./url-template.ts";

/**
 * The HTTP tools of the operator's file, declared by hand or chosen from OpenAPI documents. Everything is checked here, at the
 * start: an unset variable, an unknown operation or a broken schema throws a `ConfigError`.
 *
 * @example
 * httpTools(
 *   { tools: [{ name: "order_status", description: "Looks an order up.", url: "https://shop.example/orders/{id}",
 *       headers: { authorization: "Bearer ${SHOP_TOKEN}" },
 *       parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } }] },
 *   { variables: process.env, readDocument: (path) => readFileSync(path, "utf8"), send },
 * );
 */
export function httpTools(
  config: unknown,
  options: { variables: ConfigVariables; readDocument: (path: string) => string; send: SendRequest; maxBytes?: number },
): readonly Tool[] {
  const { tools, openapi } = parseOperatorConfig(HttpToolsConfig, config, "The list of HTTP tools");
  const operations = [
    ...tools.map((tool) => toOperation(tool, options.variables)),
    ...openapi.flatMap((source) => readOpenapi(source, options)),
  ];
  refuseDuplicates(operations);
  return operations.map((operation) => define(operation, options));
}

function readOpenapi(
  source: OpenapiConfig,
  { variables, readDocument }: { variables: ConfigVariables; readDocument: (path: string) => string },
): readonly HttpOperation[] {
  const given = operatorFields(source, variables, source.document);
  try {
    return fromOpenapi(parseApiDocument(readDocument(source.document)), { ...source, ...given });
  } catch (cause) {
    throw new ConfigError(`${source.document}: ${cause instanceof Error ? cause.message : "cannot be read"}`, {
      cause,
    });
  }
}

/** JSON is valid YAML, but JSON.parse takes a fiftieth of the time, and documents have megabytes. */
function parseApiDocument(text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{")) return parseYaml(text);
  try {
    return JSON.parse(trimmed);
  } catch {
    return parseYaml(text);
  }
}

/** Generated documents may refer to one anchor far more often than the default of 100. */
const maxAliasCount = 100_000;

const parseYaml = (text: string): unknown => parse(text, { merge: true, maxAliasCount });

function refuseDuplicates(operations: readonly HttpOperation[]): void {
  const seen = new Set<string>();
  for (const { name } of operations) {
    if (seen.has(name)) throw new ConfigError(`Two HTTP tools are named "${name}".`);
    seen.add(name);
  }
}

function define(operation: HttpOperation, options: { send: SendRequest; maxBytes?: number }): Tool {
  try {
    return defineHttpTool(operation, options);
  } catch (cause) {
    if (cause instanceof TypeError) throw new ConfigError(cause.message, { cause });
    throw cause;
  }
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const Texts = z.record(z.string(), z.string()).default({});
const TimeoutMs = z.int().min(1).max(600_000).optional();

/** A list of parameter names, or the name on the wire → the parameter. */
const Mapping = z.union([z.array(z.string()), z.record(z.string(), z.string())]);

const HttpToolConfig = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ and -"),
  description: z.string().min(1),
  method: z.enum(methods).default("GET"),
  url: z.string(),
  query: Mapping.optional(),
  /** A text names the parameter that is the whole body. */
  body: z.union([z.string(), Mapping]).optional(),
  headers: Texts,
  /** Sent with every request and hidden from the model. */
  fixed_query: Texts,
  parameters: z.record(z.string(), z.unknown()).default({ type: "object", properties: {} }),
  approval: z.boolean().default(false),
  /** Default: by the method. */
  idempotent: z.boolean().optional(),
  timeout_ms: TimeoutMs,
});
type HttpToolConfig = z.infer<typeof HttpToolConfig>;

const OpenapiConfig = z.strictObject({
  /** Path of an OpenAPI 3 document, JSON or YAML. */
  document: z.string().min(1),
  /** The operations that become tools, by operationId or as `GET /path`. */
  operations: z.array(z.string()).min(1),
  /** Replaces the first server of the document. */
  base_url: z.string().optional(),
  /** Prepended to every tool name. */
  prefix: z.string().default(""),
  headers: Texts,
  fixed_query: Texts,
  approval: z.union([z.boolean(), z.array(z.string())]).default(false),
  timeout_ms: TimeoutMs,
});
type OpenapiConfig = z.infer<typeof OpenapiConfig>;

/** The file that declares HTTP tools. */
const HttpToolsConfig = z.strictObject({
  tools: z.array(HttpToolConfig).default([]),
  openapi: z.array(OpenapiConfig).default([]),
});

/** A tool declared by hand. Parameters without a place go into the query, or into the body if the method has one. */
function toOperation(config: HttpToolConfig, variables: ConfigVariables): HttpOperation {
  const { name, description, method, url, parameters, approval, idempotent, timeout_ms } = config;
  const placed = new Set(parseUrlTemplate(url, `The tool "${name}"`).parameters);
  const query = headerPairs(config.query);
  const body = toToolBody(config.body);
  for (const { parameter } of query) placed.add(parameter);
  if (body)
    for (const parameter of "whole" in body ? [body.whole] : body.fields.map((field) => field.parameter))
      placed.add(parameter);
  const rest = Object.keys((parameters["properties"] as object | undefined) ?? {}).filter((key) => !placed.has(key));
  const inBody = !body && method !== "GET" && method !== "DELETE";

  return {
    name,
    description,
    method,
    url,
    parameters,
    query: [...query, ...(inBody ? [] : headerPairs(rest))],
    headerParameters: [],
    body: body ?? (inBody ? toToolBody(rest) : null),
    ...operatorFields(config, variables, `the tool "${name}"`),
    needsApproval: approval,
    idempotent: idempotent ?? isIdempotentMethod(method),
    timeoutMs: timeout_ms,
  };
}

/** The operator's own headers and query of every request. */
function operatorFields(
  { headers, fixed_query }: Pick<OpenapiConfig, "headers" | "fixed_query">,
  variables: ConfigVariables,
  what: string,
): Pick<HttpOperation, "headers" | "fixedQuery" | "secrets"> {
  const query = Object.entries(fixed_query).map(
    ([name, text]) => [name, resolveVariables(text, variables, `The query's ${name} of ${what}`)] as const,
  );
  return {
    headers: toSecrets(Object.entries(resolveHeaders(headers, variables, what))),
    fixedQuery: toSecrets(query),
    secrets: [
      ...collectSecrets(headers, variables),
      ...collectSecrets(fixed_query, variables).flatMap(withUrlEncodings),
    ],
  };
}

/** A service that repeats its request URL shows the secret in URL encoding. */
function withUrlEncodings(secret: Secret): readonly Secret[] {
  const [, written = ""] = new URLSearchParams({ "": secret.reveal() }).toString().split("=");
  return [secret, new Secret(encodeURIComponent(secret.reveal())), new Secret(written)];
}

function toSecrets(entries: readonly (readonly [name: string, value: string])[]): Record<string, Secret> {
  return Object.fromEntries(entries.map(([name, value]) => [name, new Secret(value)]));
}

function toToolBody(body: HttpToolConfig["body"]): RequestBody | null {
  if (body === undefined) return null;
  const type = "application/json";
  return typeof body === "string" ? { type, whole: body } : { type, fields: headerPairs(body), optional: false };
}

function headerPairs(mapping: z.infer<typeof Mapping> | undefined) {
  if (!mapping) return [];
  const pairs = Array.isArray(mapping) ? mapping.map((name) => [name, name] as const) : Object.entries(mapping);
  return pairs.map(([name, parameter]) => ({ name, parameter, style: "repeat" as const }));
}
