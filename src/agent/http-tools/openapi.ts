import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { truncateText } from "../../base/text.ts";
import { ConfigError } from "../tools/operator-config.ts";
import { toArgumentName, toToolName } from "../messages/tool-name.ts";
import {
  formType,
  isIdempotentMethod,
  type HttpOperation,
  type QueryStyle,
  type RequestBody,
} from "./http-operation.ts";
import { followReference, toJsonSchema } from "./openapi-schema.ts";
import type { TemplateParameter, PathStyle } from "./url-template.ts";

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

/** A typo here would let calls run without the approval the operator wants. */
function refuseUnknownApproval(chosen: readonly PathEntry[], { approval }: OpenapiOptions): void {
  if (typeof approval === "boolean") return;
  const unknown = approval.find((id) => !chosen.some((entry) => isNamed(entry, id)));
  if (unknown !== undefined) throw new ConfigError(`"${unknown}" under approval is not one of the chosen operations.`);
}

interface PathEntry {
  readonly method: HttpOperation["method"];
  readonly path: string;
  readonly operation: JsonRecord;
  readonly pathItem: JsonRecord;
}

/** An operation with the name the operator chose it by. */
type ChosenEntry = PathEntry & { readonly id: string };

const methods = ["get", "post", "put", "patch", "delete"] as const;

function* listOperations(document: JsonRecord): Iterable<PathEntry> {
  const paths = isRecord(document["paths"]) ? document["paths"] : {};
  for (const [path, item] of Object.entries(paths)) {
    const pathItem = followReference(document, item);
    for (const method of methods) {
      const operation = pathItem[method];
      if (!isRecord(operation)) continue;
      yield { method: method.toUpperCase() as PathEntry["method"], path, operation, pathItem };
    }
  }
}

const isNamed = (entry: PathEntry, id: string) => entry.operation["operationId"] === id || placeOf(entry) === id;
const placeOf = ({ method, path }: PathEntry) => `${method} ${path}`;
const nameOf = (entry: PathEntry) => String(entry.operation["operationId"] ?? placeOf(entry));

/** Finds an operation by operationId, or by method and path: some documents have no ids, some repeat them. */
function findEntry(entries: readonly PathEntry[], id: string): PathEntry {
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

function toOperation(document: JsonRecord, entry: ChosenEntry, options: OpenapiOptions): HttpOperation {
  const { id, method, path, operation, pathItem } = entry;
  const collected = createArguments();
  const query: { name: string; parameter: string; style: QueryStyle }[] = [];
  const headerParameters: { name: string; parameter: string }[] = [];
  const pathParameters = new Map<string, TemplateParameter>();
  let filledPath = path;

  for (const parameter of listParameters(document, pathItem, operation)) {
    const name = String(parameter["name"]);
    const where = parameter["in"];
    if (where === "header" && reservedHeaders.has(name.toLowerCase())) continue;
    if (isOperatorField(options, { name, where })) continue;
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
    description: describeToolOperation(entry),
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
    idempotent: isIdempotentMethod(method),
    timeoutMs: options.timeout_ms,
  };
}

/** The specification excludes these three headers from the parameters. */
const reservedHeaders = new Set(["accept", "content-type", "authorization"]);

/** Many documents list the API key among the parameters: values from the operator are not arguments. */
function isOperatorField(
  { headers, fixedQuery }: OpenapiOptions,
  { name, where }: { name: string; where: unknown },
): boolean {
  if (where === "header") return Object.hasOwn(headers, name.toLowerCase());
  return where === "query" && Object.hasOwn(fixedQuery, name);
}

/** Parameters of the same name in different places become separate arguments. */
function freeName(collected: ToolParameters, name: string, where: string): string {
  const argument = toArgumentName(name);
  let free = collected.has(argument) ? `${argument}_${where}` : argument;
  while (collected.has(free)) free += "_";
  return free;
}

/** An operation's parameter replaces the path item's of the same name and place. Path parameters come first, so that they keep their names. */
function listParameters(document: JsonRecord, pathItem: JsonRecord, operation: JsonRecord): readonly JsonRecord[] {
  const byPlace = new Map<string, JsonRecord>();
  for (const list of [pathItem["parameters"], operation["parameters"]]) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      const parameter = followReference(document, item);
      byPlace.set(`${String(parameter["in"])} ${String(parameter["name"])}`, parameter);
    }
  }
  const place = ({ in: where }: JsonRecord) => (where === "path" ? 0 : 1);
  return [...byPlace.values()].toSorted((left, right) => place(left) - place(right));
}

/** A parameter may have a media type instead of a schema: its value is then sent as JSON. */
function contentSchema({ content }: JsonRecord): unknown {
  const [media] = isRecord(content) ? Object.values(content) : [];
  return isRecord(media) ? media["schema"] : undefined;
}

function toStyle({ style = "form", explode = style === "form", schema, content }: JsonRecord): QueryStyle {
  if (schema === undefined && isRecord(content)) return "json";
  if (style === "deepObject") return "deep";
  if (explode !== false) return "form";
  if (style === "spaceDelimited") return "space";
  return style === "pipeDelimited" ? "pipe" : "comma";
}

function toPathStyle({ style = "simple", explode = false }: JsonRecord): PathStyle {
  return { style: style === "label" || style === "matrix" ? style : "simple", explode: explode === true };
}

const longestDescription = 1000;

function describeToolOperation({ id, operation: { summary, description } }: ChosenEntry): string {
  const text = [summary, description].filter((part) => typeof part === "string" && part !== "").join("\n");
  return truncateText(text || id, longestDescription);
}

/** Servers of the operation take precedence over those of its path item, and these over those of the document. */
function baseUrl(places: readonly JsonRecord[], { base_url }: OpenapiOptions): string {
  if (base_url !== undefined) return base_url;
  const lists = places.map(({ servers }) => (Array.isArray(servers) ? servers : []));
  const [server] = lists.find((servers) => servers.length > 0) ?? [];
  const url = isRecord(server) && typeof server["url"] === "string" ? server["url"] : "";
  const variables = isRecord(server) && isRecord(server["variables"]) ? server["variables"] : {};
  const filled = url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = variables[name];
    // YAML parses an unquoted port as a number.
    const value = isRecord(variable) ? variable["default"] : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
  const open = /\{([^{}]+)\}/.exec(filled)?.[1];
  if (open !== undefined) {
    const detail = `The document gives no default for "${open}" in its server address ${truncateText(url, 200)}`;
    throw new ConfigError(`${detail}: set base_url.`);
  }
  if (/^https?:\/\//.test(filled)) return filled;
  throw new ConfigError("The document has no full server URL: set base_url.");
}

type Converted = ReturnType<typeof toJsonSchema>;

function withDescription({ schema, definitions }: Converted, { description }: JsonRecord): Converted {
  return { schema: typeof description === "string" ? { description, ...schema } : schema, definitions };
}

/** The parameters of a tool while they are collected. */
interface ToolParameters {
  has(name: string): boolean;
  add(name: string, converted: Converted, isRequired: boolean): void;
  schema(): JsonRecord;
}

function createArguments(): ToolParameters {
  const properties: Record<string, unknown> = {};
  const required = new Set<string>();
  const definitions: Record<string, unknown> = {};
  return {
    has: (name: string) => Object.hasOwn(properties, name),
    add: (name: string, converted: Converted, isRequired: boolean) => {
      properties[name] = converted.schema;
      Object.assign(definitions, converted.definitions);
      if (isRequired) required.add(name);
    },
    schema: (): JsonRecord =>
      compact({
        type: "object",
        properties,
        required: [...required],
        additionalProperties: false,
        $defs: Object.keys(definitions).length > 0 ? definitions : undefined,
      }),
  };
}

/**
 * The fields of an object body become arguments beside the parameters; any other body, or one with a name that is taken, becomes the
 * argument `body`. JSON of any kind is preferred to a form.
 */
function addBody(
  document: JsonRecord,
  { id, operation }: { id: string; operation: JsonRecord },
  collected: ToolParameters,
): RequestBody | null {
  if (operation["requestBody"] === undefined) return null;
  const requestBody = followReference(document, operation["requestBody"]);
  const content = isRecord(requestBody["content"]) ? requestBody["content"] : {};
  const name = bodyTypes.map((pattern) => Object.keys(content).find((key) => pattern.test(key))).find(Boolean);
  const needed = requestBody["required"] === true;
  if (name === undefined) {
    if (!needed) return null;
    throw new ConfigError(`The operation "${id}" takes ${Object.keys(content).join(", ")}, not JSON or a form.`);
  }
  const type = requestType(name);
  const media = isRecord(content[name]) ? content[name] : {};
  const flat = toJsonSchema(document, followReference(document, media["schema"] ?? {}));
  const names = fieldNames(flat.schema);
  const free = new Set(names.map(toArgumentName).filter((argument) => !collected.has(argument)));
  if (free.size === 0 || free.size < names.length) {
    const parameter = collected.has("body") ? "request_body" : "body";
    collected.add(parameter, toJsonSchema(document, media["schema"]), needed);
    return { type, whole: parameter };
  }
  const { properties, required } = flat.schema;
  const requiredNames = new Set(Array.isArray(required) && needed ? required : []);
  const fields = names.map((field) => {
    const parameter = toArgumentName(field);
    const schema = (properties as JsonRecord)[field] as JsonRecord;
    const named = parameter === field ? schema : { description: field, ...schema };
    collected.add(parameter, { schema: named, definitions: flat.definitions }, requiredNames.has(field));
    return { name: field, parameter, style: formStyle(media, field) };
  });
  return { type, fields, optional: !needed };
}

const isForm = /^application\/x-www-form-urlencoded\b/i;
const bodyTypes = [/^application\/json\b/i, /^application\/[\w.-]+\+json\b/i, /^\*\/\*$/, isForm];

function requestType(name: string): string {
  if (isForm.test(name)) return formType;
  return name === "*/*" ? "application/json" : name;
}

/** Empty unless the schema is a plain set of fields, without alternatives and additional properties. */
function fieldNames(schema: JsonRecord): readonly string[] {
  const { properties, additionalProperties = false } = schema;
  const isOpen = additionalProperties === true || isRecord(additionalProperties);
  if (!isRecord(properties) || isOpen || ["allOf", "anyOf", "oneOf"].some((key) => key in schema)) return [];
  return Object.keys(properties);
}

function formStyle({ encoding }: JsonRecord, field: string): QueryStyle {
  const own = isRecord(encoding) ? encoding[field] : undefined;
  return isRecord(own) && own["style"] === "deepObject" ? "deep" : "repeat";
}
