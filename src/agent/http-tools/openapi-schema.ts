import { isRecord, type JsonRecord } from "../../base/json.ts";
import { ConfigError } from "../tools/operator-config.ts";
import { atReference, pointerKeys } from "../tools/tool-schema.ts";

const longestChain = 20;

/** The target of a `$ref` inside the document; a value without `$ref` is returned unchanged. */
export function followReference(document: JsonRecord, value: unknown): JsonRecord {
  let current = value;
  for (let hops = 0; hops < longestChain; hops += 1) {
    if (!isRecord(current)) return {};
    const reference = current["$ref"];
    if (typeof reference !== "string") return current;
    if (!reference.startsWith("#/")) throw new ConfigError(`"${reference}" points outside the OpenAPI document.`);
    current = atReference(document, reference);
    if (current === undefined) throw new ConfigError(`"${reference}" is not in the OpenAPI document.`);
  }
  throw new ConfigError("The references of the OpenAPI document are circular.");
}

const componentSchemas = "#/components/schemas/";
/** Keywords for people and generators, not for models and validators. */
const dropped = new Set(["example", "examples", "xml", "externalDocs", "discriminator", "deprecated"]);

/**
 * A schema of the document as self-contained JSON Schema: the component schemas it needs are under `$defs`, keywords of OpenAPI 3.0
 * are replaced, and read-only properties are left out.
 */
export function toJsonSchema(document: JsonRecord, schema: unknown): { schema: JsonRecord; definitions: JsonRecord } {
  const definitions: Record<string, unknown> = {};
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (!isRecord(value)) return value;
    const reference = value["$ref"];
    if (typeof reference === "string") return withReference(localReference(reference), value);
    return convertKeywords(value, convert);
  };
  const localReference = (reference: string): string => {
    const name = definitionName(reference.replace(componentSchemas, "").replace("#/", ""));
    if (!Object.hasOwn(definitions, name)) {
      // Reserved before the conversion, because a schema may contain itself.
      definitions[name] = {};
      definitions[name] = convert(followReference(document, { $ref: reference }));
    }
    return `#/$defs/${name}`;
  };
  return { schema: convert(schema ?? {}) as JsonRecord, definitions };
}

/** A description beside a reference describes the value in this place. */
function withReference($ref: string, { description }: JsonRecord): JsonRecord {
  return typeof description === "string" ? { $ref, description } : { $ref };
}

/**
 * One flat name per reference, because a reference may point anywhere in the document. Characters that a reference would have to
 * encode, such as the brackets of `Page[Item]`, are spelled out.
 */
function definitionName(pointer: string): string {
  const spell = (character: string) => `_${character.codePointAt(0)?.toString(16)}`;
  return pointerKeys(pointer)
    .join(".")
    .replaceAll(/[^\w.-]/gu, spell);
}

function convertKeywords(schema: JsonRecord, convert: (value: unknown) => unknown): JsonRecord {
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
    // Alternatives often differ only in a discriminator, so a value may match several: `oneOf` would refuse it.
    else if (key === "oneOf" && schema["anyOf"] === undefined) result["anyOf"] = convert(value);
    else result[key] = convert(value);
  }
  dropReadOnly(result, schema);
  if (schema["nullable"] === true) allowNull(result);
  return result;
}

const isWritable = ([, part]: readonly [string, unknown]) => !(isRecord(part) && part["readOnly"] === true);

function dropReadOnly(result: Record<string, unknown>, { properties, required }: JsonRecord): void {
  if (!isRecord(properties) || !Array.isArray(required)) return;
  const readOnly = new Set(
    Object.entries(properties)
      .filter((entry) => !isWritable(entry))
      .map(([name]) => name),
  );
  result["required"] = required.filter((name) => !readOnly.has(String(name)));
}

const isNull = { type: "null" };

/** Allows null in addition to everything else the schema allows. */
function allowNull(result: Record<string, unknown>): void {
  const { type, enum: values, anyOf, oneOf, allOf } = result;
  if (typeof type === "string") result["type"] = [type, "null"];
  if (Array.isArray(values) && !values.includes(null)) result["enum"] = [...values, null];
  if (Array.isArray(anyOf)) result["anyOf"] = [...anyOf, isNull];
  if (Array.isArray(oneOf)) result["oneOf"] = [...oneOf, isNull];
  if (Array.isArray(allOf)) result["allOf"] = allOf.map((part) => ({ anyOf: [part, isNull] }));
}
