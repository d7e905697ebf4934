import { ConfigError } from "../config-error.ts";
import type { HttpOperation } from "./http-operation.ts";
import { followReference, isRecord, toJsonSchema, type Json } from "./openapi-schema.ts";

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

/** The fields of an object body stand beside the parameters; any other body, or one with a name that is taken, is `body`. */
export function addBody(
  document: Json,
  { id, operation }: { id: string; operation: Json },
  collected: ToolParameters,
): HttpOperation["body"] {
  if (operation["requestBody"] === undefined) return null;
  const requestBody = followReference(document, operation["requestBody"]);
  const content = isRecord(requestBody["content"]) ? requestBody["content"] : {};
  const type = Object.keys(content).find((name) => /^application\/(?:[\w.-]+\+)?json\b/i.test(name));
  const needed = requestBody["required"] === true;
  if (type === undefined) {
    if (needed) throw new ConfigError(`The operation "${id}" takes ${Object.keys(content).join(", ")}, not JSON.`);
    return null;
  }
  const media = isRecord(content[type]) ? content[type] : {};
  const converted = toJsonSchema(document, media["schema"]);
  const flat = toJsonSchema(document, followReference(document, media["schema"] ?? {}));
  const { properties, required } = flat.schema;
  const names = isRecord(properties) && !hasAlternatives(flat.schema) ? Object.keys(properties) : [];
  if (names.length === 0 || names.some((name) => collected.has(name))) {
    const name = collected.has("body") ? "request_body" : "body";
    collected.add(name, converted, needed);
    return { whole: name };
  }
  const must = new Set(Array.isArray(required) && needed ? required : []);
  for (const name of names) {
    collected.add(name, { schema: (properties as Json)[name] as Json, definitions: flat.definitions }, must.has(name));
  }
  return { fields: names.map((name) => ({ name, parameter: name })) };
}

const hasAlternatives = (schema: Json) => ["allOf", "anyOf", "oneOf"].some((key) => key in schema);
