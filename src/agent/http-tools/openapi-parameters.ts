import { isRecord } from "../../base/json.ts";
import { toArgumentName } from "../argument-name.ts";
import { ConfigError } from "../config-error.ts";
import { formType, type QueryStyle, type RequestBody } from "./http-operation.ts";
import { followReference, toJsonSchema, type Json } from "./openapi-schema.ts";

type Converted = ReturnType<typeof toJsonSchema>;

export function withDescription({ schema, definitions }: Converted, { description }: Json): Converted {
  return { schema: typeof description === "string" ? { description, ...schema } : schema, definitions };
}

/** The parameters of a tool while they are put together. */
export interface ToolParameters {
  has(name: string): boolean;
  add(name: string, converted: Converted, isRequired: boolean): void;
  schema(): Json;
}

export function createArguments(): ToolParameters {
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
    schema: (): Json => ({
      type: "object",
      properties,
      required: [...required],
      additionalProperties: false,
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    }),
  };
}

/**
 * The fields of an object body stand beside the parameters; any other body, or one with a name that is taken, is `body`.
 * JSON of any kind is taken before a form.
 */
export function addBody(
  document: Json,
  { id, operation }: { id: string; operation: Json },
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
  const type = sentType(name);
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
  const must = new Set(Array.isArray(required) && needed ? required : []);
  const fields = names.map((field) => {
    const parameter = toArgumentName(field);
    const schema = (properties as Json)[field] as Json;
    const named = parameter === field ? schema : { description: field, ...schema };
    collected.add(parameter, { schema: named, definitions: flat.definitions }, must.has(field));
    return { name: field, parameter, style: formStyle(media, field) };
  });
  return { type, fields, optional: !needed };
}

const isForm = /^application\/x-www-form-urlencoded\b/i;
const bodyTypes = [/^application\/json\b/i, /^application\/[\w.-]+\+json\b/i, /^\*\/\*$/, isForm];

function sentType(name: string): string {
  if (isForm.test(name)) return formType;
  return name === "*/*" ? "application/json" : name;
}

/** Empty for what is not a plain set of fields: alternatives, or fields of any name. */
function fieldNames(schema: Json): readonly string[] {
  const { properties, additionalProperties = false } = schema;
  const isOpen = additionalProperties === true || isRecord(additionalProperties);
  if (!isRecord(properties) || isOpen || ["allOf", "anyOf", "oneOf"].some((key) => key in schema)) return [];
  return Object.keys(properties);
}

function formStyle({ encoding }: Json, field: string): QueryStyle {
  const own = isRecord(encoding) ? encoding[field] : undefined;
  return isRecord(own) && own["style"] === "deepObject" ? "deep" : "repeat";
}
