import { ConfigError } from "../config-error.ts";
import { firstCharacters } from "../cap-text.ts";
import { toToolName } from "../tool-name.ts";
import type { Secret } from "../../contract/secret.ts";
import type { HttpOperation, QueryStyle } from "./http-operation.ts";
import { addBody, createArguments, withDescription, type ToolParameters } from "./openapi-parameters.ts";
import { followReference, isRecord, toJsonSchema, type Json } from "./openapi-schema.ts";

export interface OpenapiOptions {
  readonly operations: readonly string[];
  readonly base_url?: string | undefined;
  readonly prefix: string;
  readonly headers: Readonly<Record<string, Secret>>;
  readonly approval: boolean | readonly string[];
  readonly timeout_ms?: number | undefined;
}

/** The chosen operations of an OpenAPI 3 document. Parameters and the fields of a body become one set of arguments. */
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
    const schema = parameter["schema"] ?? contentSchema(parameter);
    const argument = freeName(collected, name, String(where));
    collected.add(
      argument,
      withDescription(toJsonSchema(document, schema), parameter),
      where === "path" || parameter["required"] === true,
    );
    if (where === "query") query.push({ name, parameter: argument, style: toStyle(parameter) });
    if (where === "header") headerParameters.push({ name, parameter: argument });
  }

  const body = addBody(document, entry, collected);
  return {
    name: toToolName(options.prefix + id),
    description: describe(operation),
    method,
    url: `${baseUrl([operation, pathItem, document], options).replace(/\/$/, "")}${path}`,
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

/** Parameters of one name but another place are arguments of their own. */
function freeName(collected: ToolParameters, name: string, where: string): string {
  let free = collected.has(name) ? `${name}_${where}` : name;
  while (collected.has(free)) free += "_";
  return free;
}

/** An operation's own parameter replaces the path's of the same name and place. Those of the path come first: they keep their name. */
function listParameters(document: Json, pathItem: Json, operation: Json): readonly Json[] {
  const byPlace = new Map<string, Json>();
  for (const list of [pathItem["parameters"], operation["parameters"]]) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      const parameter = followReference(document, item);
      byPlace.set(`${String(parameter["in"])} ${String(parameter["name"])}`, parameter);
    }
  }
  const place = ({ in: where }: Json) => (where === "path" ? 0 : 1);
  return [...byPlace.values()].toSorted((left, right) => place(left) - place(right));
}

/** A parameter may have a media type in place of a schema: its value is then sent as JSON. */
function contentSchema({ content }: Json): unknown {
  const [media] = isRecord(content) ? Object.values(content) : [];
  return isRecord(media) ? media["schema"] : undefined;
}

function toStyle({ style = "form", explode = style === "form", schema, content }: Json): QueryStyle {
  if (schema === undefined && isRecord(content)) return "json";
  if (style === "deepObject") return "deep";
  if (explode !== false) return "form";
  if (style === "spaceDelimited") return "space";
  return style === "pipeDelimited" ? "pipe" : "comma";
}

const longestDescription = 1000;

function describe({ summary, description, operationId }: Json): string {
  const text = [summary, description].filter((part) => typeof part === "string" && part !== "").join("\n");
  return firstCharacters(text || String(operationId), longestDescription);
}

/** The servers of the operation itself count before those of its path, and these before the document's. */
function baseUrl(places: readonly Json[], { base_url }: OpenapiOptions): string {
  if (base_url !== undefined) return base_url;
  const lists = places.map(({ servers }) => (Array.isArray(servers) ? servers : []));
  const [server] = lists.find((servers) => servers.length > 0) ?? [];
  const url = isRecord(server) && typeof server["url"] === "string" ? server["url"] : "";
  const variables = isRecord(server) && isRecord(server["variables"]) ? server["variables"] : {};
  const filled = url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = variables[name];
    return isRecord(variable) && typeof variable["default"] === "string" ? variable["default"] : whole;
  });
  if (/^https?:\/\//.test(filled)) return filled;
  throw new ConfigError("The document names no full server address: set base_url.");
}
