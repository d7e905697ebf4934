import { ConfigError } from "../config-error.ts";
import { firstCharacters } from "../cap-text.ts";
import { toToolName } from "../tool-name.ts";
import type { Secret } from "../../contract/secret.ts";
import type { HttpOperation, QueryStyle } from "./http-operation.ts";
import { addBody, createArguments, withDescription } from "./openapi-parameters.ts";
import { followReference, isRecord, toJsonSchema, type Json } from "./openapi-schema.ts";

export interface OpenapiOptions {
  readonly operations: readonly string[];
  readonly base_url?: string | undefined;
  readonly prefix: string;
  readonly headers: Readonly<Record<string, Secret>>;
  readonly approval: boolean | readonly string[];
  readonly timeout_ms?: number | undefined;
}

/** The chosen operations of an OpenAPI 3 document. Parameters and the fields of a JSON body become one set of arguments. */
export function fromOpenapi(document: unknown, options: OpenapiOptions): readonly HttpOperation[] {
  if (!isRecord(document) || !String(document["openapi"]).startsWith("3.")) {
    throw new ConfigError("The document is not OpenAPI 3.");
  }
  const found = new Map([...listOperations(document)].map((entry) => [entry.id, entry]));
  return options.operations.map((id) => {
    const entry = found.get(id);
    if (!entry)
      throw new ConfigError(
        `The document has no operation "${id}". It has: ${[...found.keys()].slice(0, 20).join(", ")}.`,
      );
    return toOperation(document, entry, options);
  });
}

interface Entry {
  readonly id: string;
  readonly method: HttpOperation["method"];
  readonly path: string;
  readonly operation: Json;
  readonly pathItem: Json;
}

const methods = ["get", "post", "put", "patch", "delete"] as const;

function* listOperations(document: Json): Iterable<Entry> {
  const paths = isRecord(document["paths"]) ? document["paths"] : {};
  for (const [path, item] of Object.entries(paths)) {
    const pathItem = followReference(document, item);
    for (const method of methods) {
      const operation = pathItem[method];
      if (!isRecord(operation) || typeof operation["operationId"] !== "string") continue;
      yield {
        id: operation["operationId"],
        method: method.toUpperCase() as Entry["method"],
        path,
        operation,
        pathItem,
      };
    }
  }
}

function toOperation(document: Json, entry: Entry, options: OpenapiOptions): HttpOperation {
  const { id, method, path, operation, pathItem } = entry;
  const collected = createArguments();
  const query: { name: string; parameter: string; style: QueryStyle }[] = [];
  const headerParameters: { name: string; parameter: string }[] = [];

  for (const parameter of listParameters(document, pathItem, operation)) {
    const name = String(parameter["name"]);
    const where = parameter["in"];
    if (where === "header" && reservedHeaders.has(name.toLowerCase())) continue;
    if (where === "cookie") {
      if (parameter["required"] === true) throw new ConfigError(`The operation "${id}" needs the cookie "${name}".`);
      continue;
    }
    collected.add(
      name,
      withDescription(toJsonSchema(document, parameter["schema"]), parameter),
      where === "path" || parameter["required"] === true,
    );
    if (where === "query") query.push({ name, parameter: name, style: toStyle(parameter) });
    if (where === "header") headerParameters.push({ name, parameter: name });
  }

  const body = addBody(document, entry, collected);
  return {
    name: toToolName(options.prefix + id),
    description: describe(operation),
    method,
    url: `${baseUrl(document, options).replace(/\/$/, "")}${path}`,
    parameters: collected.schema(),
    query,
    headerParameters,
    body,
    headers: options.headers,
    needsApproval: Array.isArray(options.approval) ? options.approval.includes(id) : options.approval === true,
    timeoutMs: options.timeout_ms,
  };
}

/** The specification says that these three are not parameters. */
const reservedHeaders = new Set(["accept", "content-type", "authorization"]);

/** An operation's own parameter replaces the path's of the same name and place. */
function listParameters(document: Json, pathItem: Json, operation: Json): readonly Json[] {
  const byPlace = new Map<string, Json>();
  for (const list of [pathItem["parameters"], operation["parameters"]]) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      const parameter = followReference(document, item);
      byPlace.set(`${String(parameter["in"])} ${String(parameter["name"])}`, parameter);
    }
  }
  return [...byPlace.values()];
}

function toStyle({ style, explode }: Json): QueryStyle {
  if (style === "deepObject") return "deep";
  return explode === false ? "comma" : "repeat";
}

const longestDescription = 1000;

function describe({ summary, description, operationId }: Json): string {
  const text = [summary, description].filter((part) => typeof part === "string" && part !== "").join("\n");
  return firstCharacters(text || String(operationId), longestDescription);
}

function baseUrl(document: Json, { base_url }: OpenapiOptions): string {
  if (base_url !== undefined) return base_url;
  const [server] = Array.isArray(document["servers"]) ? document["servers"] : [];
  const url = isRecord(server) && typeof server["url"] === "string" ? server["url"] : "";
  const variables = isRecord(server) && isRecord(server["variables"]) ? server["variables"] : {};
  const filled = url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = variables[name];
    return isRecord(variable) && typeof variable["default"] === "string" ? variable["default"] : whole;
  });
  if (/^https?:\/\//.test(filled)) return filled;
  throw new ConfigError("The document names no full server address: set base_url.");
}
