import { firstCharacters } from "../../base/text.ts";
import { isRecord } from "../../base/json.ts";
import { toArgumentName } from "../argument-name.ts";
import { ConfigError } from "../config-error.ts";
import { toToolName } from "../tool-name.ts";
import type { HttpOperation, QueryStyle } from "./http-operation.ts";
import { addBody, createArguments, withDescription, type ToolParameters } from "./openapi-parameters.ts";
import { followReference, toJsonSchema, type Json } from "./openapi-schema.ts";
import type { PathStyle } from "./path-text.ts";
import type { PathParameter } from "./url-template.ts";

interface OpenapiOptions extends Pick<HttpOperation, "headers" | "fixedQuery" | "secrets"> {
  readonly operations: readonly string[];
  readonly base_url?: string | undefined;
  readonly prefix: string;
  readonly approval: boolean | readonly string[];
  readonly timeout_ms?: number | undefined;
}

/** The chosen operations of an OpenAPI 3 document. Parameters and the fields of a body become one set of arguments. */
export function fromOpenapi(document: unknown, options: OpenapiOptions): readonly HttpOperation[] {
  if (!isRecord(document) || !String(document["openapi"]).startsWith("3.")) {
    throw new ConfigError("The document is not OpenAPI 3.");
  }
  const entries = [...listOperations(document)];
  const chosen = options.operations.map((id) => ({ id, ...findEntry(entries, id) }));
  refuseUnknownApproval(chosen, options);
  return chosen.map((entry) => toOperation(document, entry, options));
}

/** A slip of the pen here would let calls through that somebody wanted to see first. */
function refuseUnknownApproval(chosen: readonly Entry[], { approval }: OpenapiOptions): void {
  if (typeof approval === "boolean") return;
  const unknown = approval.find((id) => !chosen.some((entry) => isNamed(entry, id)));
  if (unknown !== undefined) throw new ConfigError(`"${unknown}" under approval is none of the chosen operations.`);
}

interface Entry {
  readonly method: HttpOperation["method"];
  readonly path: string;
  readonly operation: Json;
  readonly pathItem: Json;
}

/** An operation under the name the operator chose it by. */
type ChosenEntry = Entry & { readonly id: string };

const methods = ["get", "post", "put", "patch", "delete"] as const;

function* listOperations(document: Json): Iterable<Entry> {
  const paths = isRecord(document["paths"]) ? document["paths"] : {};
  for (const [path, item] of Object.entries(paths)) {
    const pathItem = followReference(document, item);
    for (const method of methods) {
      const operation = pathItem[method];
      if (!isRecord(operation)) continue;
      yield { method: method.toUpperCase() as Entry["method"], path, operation, pathItem };
    }
  }
}

const isNamed = (entry: Entry, id: string) => entry.operation["operationId"] === id || placeOf(entry) === id;
const placeOf = ({ method, path }: Entry) => `${method} ${path}`;
const nameOf = (entry: Entry) => String(entry.operation["operationId"] ?? placeOf(entry));

/** By operationId, or by method and path: not every document has ids, and in some they stand twice. */
function findEntry(entries: readonly Entry[], id: string): Entry {
  const [found, other] = entries.filter((entry) => isNamed(entry, id));
  if (!found) {
    throw new ConfigError(
      `The document has no operation "${id}". It has: ${entries.slice(0, 20).map(nameOf).join(", ") || "none"}.`,
    );
  }
  if (!other) return found;
  throw new ConfigError(
    `The document has the operationId "${id}" twice: choose "${placeOf(found)}" or "${placeOf(other)}" instead.`,
  );
}

/** `GET /pets/{id}` becomes `get_pets_id`. */
function toolName(prefix: string, entry: ChosenEntry): string {
  if (entry.id !== placeOf(entry)) return toToolName(prefix + entry.id);
  const words = entry.path.split(/[^a-zA-Z0-9]+/).filter((word) => word !== "");
  return toToolName(prefix + [entry.method.toLowerCase(), ...words].join("_"));
}

function toOperation(document: Json, entry: ChosenEntry, options: OpenapiOptions): HttpOperation {
  const { id, method, path, operation, pathItem } = entry;
  const collected = createArguments();
  const query: { name: string; parameter: string; style: QueryStyle }[] = [];
  const headerParameters: { name: string; parameter: string }[] = [];
  const pathParameters = new Map<string, PathParameter>();
  let filledPath = path;

  for (const parameter of listParameters(document, pathItem, operation)) {
    const name = String(parameter["name"]);
    const where = parameter["in"];
    if (where === "header" && reservedHeaders.has(name.toLowerCase())) continue;
    if (isGiven(options, { name, where })) continue;
    if (where === "cookie") {
      if (parameter["required"] === true) throw new ConfigError(`The operation "${id}" needs the cookie "${name}".`);
      continue;
    }
    const schema = parameter["schema"] ?? contentSchema(parameter);
    const argument = freeName(collected, name, String(where));
    collected.add(
      argument,
      withDescription(
        toJsonSchema(document, schema),
        argument === name ? parameter : { description: name, ...parameter },
      ),
      where === "path" || parameter["required"] === true,
    );
    if (where === "path") {
      filledPath = filledPath.replaceAll(`{${name}}`, `{${argument}}`);
      pathParameters.set(argument, { name, style: toPathStyle(parameter) });
    }
    if (where === "query") query.push({ name, parameter: argument, style: toStyle(parameter) });
    if (where === "header") headerParameters.push({ name, parameter: argument });
  }

  const body = addBody(document, entry, collected);
  return {
    name: toolName(options.prefix, entry),
    description: describe(entry),
    method,
    url: `${baseUrl([operation, pathItem, document], options).replace(/\/$/, "")}${filledPath}`,
    pathParameters,
    parameters: collected.schema(),
    query,
    headerParameters,
    body,
    headers: options.headers,
    fixedQuery: options.fixedQuery,
    secrets: options.secrets,
    needsApproval:
      typeof options.approval === "boolean" ? options.approval : options.approval.some((name) => isNamed(entry, name)),
    timeoutMs: options.timeout_ms,
  };
}

/** The specification says that these three are not parameters. */
const reservedHeaders = new Set(["accept", "content-type", "authorization"]);

/** Many documents list the key among the parameters: what the operator gives is not asked of the model. */
function isGiven({ headers, fixedQuery }: OpenapiOptions, { name, where }: { name: string; where: unknown }): boolean {
  if (where === "header") return Object.hasOwn(headers, name.toLowerCase());
  return where === "query" && Object.hasOwn(fixedQuery, name);
}

/** Parameters of one name but another place are arguments of their own. */
function freeName(collected: ToolParameters, name: string, where: string): string {
  const argument = toArgumentName(name);
  let free = collected.has(argument) ? `${argument}_${where}` : argument;
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

function toPathStyle({ style = "simple", explode = false }: Json): PathStyle {
  return { style: style === "label" || style === "matrix" ? style : "simple", explode: explode === true };
}

const longestDescription = 1000;

function describe({ id, operation: { summary, description } }: ChosenEntry): string {
  const text = [summary, description].filter((part) => typeof part === "string" && part !== "").join("\n");
  return firstCharacters(text || id, longestDescription);
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
    // YAML reads an unquoted port as a number.
    const value = isRecord(variable) ? variable["default"] : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
  const open = /\{([^{}]+)\}/.exec(filled)?.[1];
  if (open !== undefined) {
    const detail = `The document gives no default for "${open}" in its server address ${firstCharacters(url, 200)}`;
    throw new ConfigError(`${detail}: set base_url.`);
  }
  if (/^https?:\/\//.test(filled)) return filled;
  throw new ConfigError("The document names no full server address: set base_url.");
}
