import { isRecord, type JsonRecord } from "../../base/json.ts";

/** The schema in the current draft of JSON Schema, as far as tools of older drafts need it. */
export function toCurrentSchema(schema: JsonRecord): JsonRecord {
  return mapSchema(schema, (part) => toCurrentRequired(toCurrentBounds(part)));
}

const bounds = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** In draft 4 and OpenAPI 3.0 `exclusiveMinimum` is a flag beside `minimum`; today it is the bound itself. */
function toCurrentBounds(schema: JsonRecord): JsonRecord {
  return bounds.reduce((current, [exclusive, bound]) => {
    const { [exclusive]: isExclusive, ...rest } = current;
    if (typeof isExclusive !== "boolean") return current;
    const { [bound]: limit, ...others } = rest;
    return isExclusive && limit !== undefined ? { ...others, [exclusive]: limit } : rest;
  }, schema);
}

/**
 * In draft 3 a property carries `required: true`; today its object lists the required names. Hand-written schemas often still use
 * the former. Some servers write null for an empty list.
 */
function toCurrentRequired(schema: JsonRecord): JsonRecord {
  const { required = [], ...rest } = schema;
  const listed: unknown = typeof required === "boolean" || required === null ? [] : required;
  const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const own = properties.flatMap(([name, part]) => (isRecord(part) && part["required"] === true ? name : []));
  // The validator refuses anything else that is not a list.
  if (!Array.isArray(listed) || (listed === required && own.length === 0)) return schema;
  const names = [...new Set<unknown>([...listed, ...own])];
  return names.length === 0 ? rest : { ...rest, required: names };
}

/**
 * The schema of a tool's arguments in a form that every provider accepts. OpenAI and Anthropic refuse a request with all its tools
 * for one schema that has no properties, alternatives at the top level, a list without `items`, or `items` in the form of older
 * drafts. The simplified schema may allow more; arguments are checked against the tool's own schema.
 */
export function toOfferedSchema(schema: JsonRecord): JsonRecord {
  return mapSchema({ type: "object", properties: {}, ...withoutAlternatives(schema) }, toCurrentList);
}

const alternatives = ["anyOf", "oneOf"] as const;
/** Keywords that providers refuse at the top level. */
const refusedAtTop = new Set<string>([...alternatives, "allOf", "not", "enum", "$ref"]);

function withoutAlternatives(schema: JsonRecord): JsonRecord {
  const rest = Object.entries(schema).filter(([key]) => !refusedAtTop.has(key));
  if (rest.length === Object.keys(schema).length) return schema;
  const { properties, required } = collectFields(schema);
  return {
    ...Object.fromEntries(rest),
    properties: Object.fromEntries(Array.from(properties, ([name, schemas]) => [name, anyOf(schemas)])),
    ...(required.size > 0 && { required: [...required] }),
  };
}

interface Fields {
  /** All schemas given for each property, anywhere. */
  readonly properties: ReadonlyMap<string, ReadonlySet<unknown>>;
  /** Properties that every alternative requires. */
  readonly required: ReadonlySet<string>;
}

const noFields: Fields = { properties: new Map(), required: new Set() };
const deepestAlternative = 8;

function collectFields(root: JsonRecord): Fields {
  // Each part is read once, because a schema may contain itself.
  const known = new Map<unknown, Fields>();

  function read(value: unknown, depth: number): Fields {
    if (!isRecord(value) || depth > deepestAlternative) return noFields;
    const seen = known.get(value);
    if (seen) return seen;
    known.set(value, noFields);
    const readAll = (list: unknown) => (Array.isArray(list) ? list.map((part) => read(part, depth + 1)) : []);
    const { $ref, allOf } = value;
    const referenced = typeof $ref === "string" ? [atReference(root, $ref)] : [];
    const all = [ownFields(value), ...readAll(referenced), ...readAll(allOf)];
    const choices = alternatives.map((key) => readAll(value[key])).filter((parts) => parts.length > 0);
    const fields: Fields = {
      properties: mergeProperties([...all, ...choices.flat()]),
      required: new Set(
        [...all.map(({ required }) => required), ...choices.map(commonRequired)].flatMap((names) => [...names]),
      ),
    };
    known.set(value, fields);
    return fields;
  }

  return read(root, 0);
}

function ownFields({ properties, required }: JsonRecord): Fields {
  const declared = isRecord(properties) ? Object.entries(properties) : [];
  return {
    properties: new Map(declared.map(([name, schema]) => [name, new Set([schema])])),
    required: new Set(Array.isArray(required) ? required.map(String) : []),
  };
}

function commonRequired([first = noFields, ...others]: readonly Fields[]): readonly string[] {
  return [...first.required].filter((name) => others.every(({ required }) => required.has(name)));
}

function mergeProperties(parts: readonly Fields[]): Fields["properties"] {
  const all = new Map<string, Set<unknown>>();
  for (const [name, schemas] of parts.flatMap(({ properties }) => [...properties])) {
    const known = all.get(name) ?? new Set();
    for (const schema of schemas) known.add(schema);
    all.set(name, known);
  }
  return all;
}

/** Distinct schemas as alternatives, without empty ones. */
function anyOf(schemas: ReadonlySet<unknown>): unknown {
  const filled = [...schemas].filter((schema) => isRecord(schema) && Object.keys(schema).length > 0);
  const distinct = new Map(filled.map((schema) => [JSON.stringify(schema), schema]));
  const [only = {}, ...others] = distinct.values();
  return others.length === 0 ? only : { anyOf: [only, ...others] };
}

/** Older drafts list the schemas of a tuple under `items`. */
function toCurrentList(schema: JsonRecord): JsonRecord {
  const { items, additionalItems, ...rest } = schema;
  if (Array.isArray(items)) return { ...rest, prefixItems: items, items: additionalItems ?? {} };
  const isList = schema["type"] === "array" || (Array.isArray(schema["type"]) && schema["type"].includes("array"));
  return isList && items === undefined ? { ...schema, items: {} } : schema;
}

/** Keywords that hold schemas: by name, as a list, or a single one. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
const listed = new Set(["anyOf", "oneOf", "allOf", "prefixItems", "items"]);
const single = new Set(["items", "additionalItems", "additionalProperties", "contains", "not", "if", "then", "else"]);

/** Applies `change` to the schema and to every schema inside it. */
function mapSchema(schema: JsonRecord, change: (schema: JsonRecord) => JsonRecord): JsonRecord {
  const mapRecord = (value: JsonRecord): JsonRecord =>
    Object.fromEntries(Object.entries(change(value)).map(([key, part]) => [key, mapInner(key, part)]));
  const map = (value: unknown): unknown => (isRecord(value) ? mapRecord(value) : value);

  function mapInner(key: string, value: unknown): unknown {
    if (named.has(key) && isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, map(part)]));
    }
    if (listed.has(key) && Array.isArray(value)) return value.map(map);
    return single.has(key) ? map(value) : value;
  }

  return mapRecord(schema);
}

/** The value that a reference such as `#/$defs/name` points at. */
export function atReference(root: unknown, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  return pointerKeys(reference)
    .slice(1)
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
      root,
    );
}

/** The keys of a JSON pointer, which is percent-encoded inside a reference. */
export function pointerKeys(pointer: string): readonly string[] {
  return pointer.split("/").map((part) => decodePercent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A literal percent sign.
    return text;
  }
}

/** Parts of a schema, counted once per reference to them, that are still checked quickly. */
const maxParts = 200_000;
/** With `unevaluatedProperties` compiling takes time with the square of the number of parts. */
const maxJoinedParts = 1_000;
/** A reference that cannot be resolved here may be one that doubles the work. */
const maxUnresolved = 16;
const deepestPart = 500;

/**
 * True when checking a value against the schema could block the process. A foreign schema in which every part refers twice to the
 * next is small and takes years to check.
 */
export function isTooHeavy(schema: JsonRecord): boolean {
  const anchors = new Map<string, object>();
  const weights = new Map<object, number>();
  let parts = 0;
  let unresolved = 0;
  let joins = false;

  function collect(value: unknown, depth: number): void {
    if (typeof value !== "object" || value === null || depth > deepestPart) return;
    parts += 1;
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const name: unknown = Reflect.get(value, key);
      if (typeof name === "string") anchors.set(`#${name}`, value);
    }
    joins ||= "unevaluatedProperties" in value || "unevaluatedItems" in value;
    for (const inner of Object.values(value)) collect(inner, depth + 1);
  }

  /** The number of parts a value may be checked against, with references. A part inside itself counts once: it ends with the value. */
  function weigh(value: unknown, depth: number): number {
    if (typeof value !== "object" || value === null || depth > deepestPart) return 0;
    const weighed = weights.get(value);
    if (weighed !== undefined) return weighed;
    weights.set(value, 1);
    let sum = 1;
    for (const inner of Object.values(value)) sum += weigh(inner, depth + 1);
    for (const key of ["$ref", "$dynamicRef"]) {
      const name: unknown = Reflect.get(value, key);
      if (typeof name === "string") sum += weigh(resolve(name), depth + 1);
    }
    weights.set(value, sum);
    return sum;
  }

  function resolve(reference: string): unknown {
    const found = anchors.get(reference) ?? atReference(schema, reference);
    if (found === undefined) unresolved += 1;
    return found;
  }

  collect(schema, 0);
  const weight = weigh(schema, 0);
  return weight > maxParts || unresolved > maxUnresolved || (joins && parts > maxJoinedParts);
}
