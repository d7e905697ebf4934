import { isRecord } from "../../base/json.ts";
import { ConfigError } from "../config-error.ts";

export type Json = Readonly<Record<string, unknown>>;

const longestChain = 20;

/** What a `$ref` inside the document points to; anything else as it is. */
export function followReference(document: Json, value: unknown): Json {
  let current = value;
  for (let hops = 0; hops < longestChain; hops += 1) {
    if (!isRecord(current)) return {};
    const reference = current["$ref"];
    if (typeof reference !== "string") return current;
    if (!reference.startsWith("#/")) throw new ConfigError(`"${reference}" points out of the OpenAPI document.`);
    current = pointerParts(reference.slice(2)).reduce<unknown>(
      (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Json)[key] : undefined),
      document,
    );
    if (current === undefined) throw new ConfigError(`"${reference}" is not in the OpenAPI document.`);
  }
  throw new ConfigError("The references of the OpenAPI document go round in circles.");
}

/** The keys of a pointer, which stands percent-encoded in a reference. */
function pointerParts(pointer: string): readonly string[] {
  return pointer.split("/").map((part) => decodePercent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that stands for itself.
    return text;
  }
}

const schemas = "#/components/schemas/";
/** For people and generators, not for models and validators. */
const dropped = new Set(["example", "examples", "xml", "externalDocs", "discriminator", "deprecated"]);

/**
 * A schema of the document as plain JSON schema that stands on its own: the component schemas it needs come along under
 * `$defs`, the spellings of OpenAPI 3.0 are replaced, and what only the server fills in is left out.
 */
export function toJsonSchema(document: Json, schema: unknown): { schema: Json; definitions: Json } {
  const definitions: Record<string, unknown> = {};
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (!isRecord(value)) return value;
    const reference = value["$ref"];
    if (typeof reference === "string") return withReference(localReference(reference), value);
    return convertKeywords(value, convert);
  };
  const localReference = (reference: string): string => {
    const name = definitionName(reference.replace(schemas, "").replace("#/", ""));
    if (!Object.hasOwn(definitions, name)) {
      // Before the conversion, since a schema may contain itself.
      definitions[name] = {};
      definitions[name] = convert(followReference(document, { $ref: reference }));
    }
    return `#/$defs/${name}`;
  };
  return { schema: convert(schema ?? {}) as Json, definitions };
}

/** A description beside a reference says what the value is for here. */
function withReference($ref: string, { description }: Json): Json {
  return typeof description === "string" ? { $ref, description } : { $ref };
}

/**
 * A reference may point into a schema, or to where a bundler found it first: that is not a path below `$defs`. What a
 * reference would have to encode, such as the brackets of `Page[Item]`, is spelled out.
 */
function definitionName(pointer: string): string {
  const spell = (character: string) => `_${character.codePointAt(0)?.toString(16)}`;
  return pointerParts(pointer)
    .join(".")
    .replaceAll(/[^\w.-]/gu, spell);
}

function convertKeywords(schema: Json, convert: (value: unknown) => unknown): Json {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key) || key === "nullable" || key.startsWith("x-")) continue;
    if (key === "properties" && isRecord(value)) {
      result[key] = Object.fromEntries(
        Object.entries(value)
          .filter(isWritable)
          .map(([name, part]) => [name, convert(part)]),
      );
    } else if (key === "enum" || key === "const" || key === "default" || key === "required") result[key] = value;
    // Alternatives are often told apart by a discriminator only, and fit each other's values: then none could be sent.
    else if (key === "oneOf" && schema["anyOf"] === undefined) result["anyOf"] = convert(value);
    else result[key] = convert(value);
  }
  dropReadOnly(result, schema);
  if (schema["nullable"] === true) allowNull(result);
  return result;
}

const isWritable = ([, part]: readonly [string, unknown]) => !(isRecord(part) && part["readOnly"] === true);

function dropReadOnly(result: Record<string, unknown>, { properties, required }: Json): void {
  if (!isRecord(properties) || !Array.isArray(required)) return;
  const readOnly = new Set(
    Object.entries(properties)
      .filter((entry) => !isWritable(entry))
      .map(([name]) => name),
  );
  result["required"] = required.filter((name) => !readOnly.has(String(name)));
}

const isNull = { type: "null" };

/** Whatever else the schema says of its value. */
function allowNull(result: Record<string, unknown>): void {
  const { type, enum: values, anyOf, oneOf, allOf } = result;
  if (typeof type === "string") result["type"] = [type, "null"];
  if (Array.isArray(values) && !values.includes(null)) result["enum"] = [...values, null];
  if (Array.isArray(anyOf)) result["anyOf"] = [...anyOf, isNull];
  if (Array.isArray(oneOf)) result["oneOf"] = [...oneOf, isNull];
  if (Array.isArray(allOf)) result["allOf"] = allOf.map((part) => ({ anyOf: [part, isNull] }));
}
