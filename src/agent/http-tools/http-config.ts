import { z } from "zod";
import { Secret } from "../../base/secret.ts";
import { resolveHeaders, resolveVariables, secretsIn, type Variables } from "../resolve-variables.ts";
import type { HttpOperation, RequestBody } from "./http-operation.ts";
import { parseUrlTemplate } from "./url-template.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const Texts = z.record(z.string(), z.string()).default({});
const TimeoutMs = z.int().min(1).max(600_000).optional();

/** Parameter names as they are, or the name on the wire → the parameter. */
const Mapping = z.union([z.array(z.string()), z.record(z.string(), z.string())]);

const HttpToolConfig = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ and -"),
  description: z.string().min(1),
  method: z.enum(methods).default("GET"),
  url: z.string(),
  query: Mapping.optional(),
  /** A text: the parameter that is the whole body. */
  body: z.union([z.string(), Mapping]).optional(),
  headers: Texts,
  /** Sent with every request, and not for the model to know. */
  fixed_query: Texts,
  parameters: z.record(z.string(), z.unknown()).default({ type: "object", properties: {} }),
  approval: z.boolean().default(false),
  timeout_ms: TimeoutMs,
});
type HttpToolConfig = z.infer<typeof HttpToolConfig>;

const OpenapiConfig = z.strictObject({
  /** Path of an OpenAPI 3 document, JSON or YAML. */
  document: z.string().min(1),
  /** The operations that become tools, by operationId or as `GET /path`. */
  operations: z.array(z.string()).min(1),
  /** Instead of the first server of the document. */
  base_url: z.string().optional(),
  /** Goes before every tool name. */
  prefix: z.string().default(""),
  headers: Texts,
  fixed_query: Texts,
  approval: z.union([z.boolean(), z.array(z.string())]).default(false),
  timeout_ms: TimeoutMs,
});
export type OpenapiConfig = z.infer<typeof OpenapiConfig>;

/** The file that declares HTTP tools. */
export const HttpToolsConfig = z.strictObject({
  tools: z.array(HttpToolConfig).default([]),
  openapi: z.array(OpenapiConfig).default([]),
});

/** A tool written by hand. Parameters nobody placed go into the query, or into the body where the method has one. */
export function toOperation(config: HttpToolConfig, variables: Variables): HttpOperation {
  const { name, description, method, url, parameters, approval, timeout_ms } = config;
  const placed = new Set(parseUrlTemplate(url, `The tool "${name}"`).parameters);
  const query = toPairs(config.query);
  const body = toBody(config.body);
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
    query: [...query, ...(inBody ? [] : toPairs(rest))],
    headerParameters: [],
    body: body ?? (inBody ? toBody(rest) : null),
    ...givenByOperator(config, variables, `the tool "${name}"`),
    needsApproval: approval,
    timeoutMs: timeout_ms,
  };
}

/** What a service is sent that no argument says. */
export function givenByOperator(
  { headers, fixed_query }: Pick<OpenapiConfig, "headers" | "fixed_query">,
  variables: Variables,
  what: string,
): Pick<HttpOperation, "headers" | "fixedQuery" | "secrets"> {
  const query = Object.entries(fixed_query).map(
    ([name, text]) => [name, resolveVariables(text, variables, `The query's ${name} of ${what}`)] as const,
  );
  return {
    headers: toSecrets(Object.entries(resolveHeaders(headers, variables, what))),
    fixedQuery: toSecrets(query),
    secrets: [...secretsIn(headers, variables), ...secretsIn(fixed_query, variables).flatMap(asInAddress)],
  };
}

/** A service that repeats the address it was asked at shows the value as it is written there. */
function asInAddress(secret: Secret): readonly Secret[] {
  const [, written = ""] = new URLSearchParams({ "": secret.reveal() }).toString().split("=");
  return [secret, new Secret(encodeURIComponent(secret.reveal())), new Secret(written)];
}

function toSecrets(entries: readonly (readonly [name: string, value: string])[]): Record<string, Secret> {
  return Object.fromEntries(entries.map(([name, value]) => [name, new Secret(value)]));
}

function toBody(body: HttpToolConfig["body"]): RequestBody | null {
  if (body === undefined) return null;
  const type = "application/json";
  return typeof body === "string" ? { type, whole: body } : { type, fields: toPairs(body), optional: false };
}

function toPairs(mapping: z.infer<typeof Mapping> | undefined) {
  if (!mapping) return [];
  const pairs = Array.isArray(mapping) ? mapping.map((name) => [name, name] as const) : Object.entries(mapping);
  return pairs.map(([name, parameter]) => ({ name, parameter, style: "repeat" as const }));
}
