import { isRecord, type JsonRecord } from "../base/json.ts";
import { mapSchema } from "./map-schema.ts";
import { atReference } from "./schema-reference.ts";

/**
 * The schema of a tool's arguments as every provider takes it. OpenAI and Anthropic refuse a request with all its tools for one that
 * has no properties, has alternatives where its properties should be, has a list of which nothing says what it holds, or spells one out as
 * older drafts did. What is lost by it the model is told when its arguments are checked, which is done with the tool's own schema.
 */
export function toOfferedSchema(schema: JsonRecord): JsonRecord {
  return mapSchema({ type: "object", properties: {}, ...withoutAlternatives(schema) }, toCurrentList) as JsonRecord;
}

const alternatives = ["anyOf", "oneOf"] as const;
/** None of these may stand at the top. */
const joined = new Set<string>([...alternatives, "allOf", "not", "enum", "$ref"]);

function withoutAlternatives(schema: JsonRecord): JsonRecord {
  const rest = Object.entries(schema).filter(([key]) => !joined.has(key));
  if (rest.length === Object.keys(schema).length) return schema;
  const { properties, required } = readFields(schema);
  return {
    ...Object.fromEntries(rest),
    properties: Object.fromEntries(Array.from(properties, ([name, schemas]) => [name, anyOf(schemas)])),
    ...(required.size > 0 && { required: [...required] }),
  };
}

interface Fields {
  /** What is said of each, anywhere. */
  readonly properties: ReadonlyMap<string, ReadonlySet<unknown>>;
  /** What is asked for in any case. */
  readonly required: ReadonlySet<string>;
}

const noFields: Fields = { properties: new Map(), required: new Set() };
const deepest = 8;

function readFields(root: JsonRecord): Fields {
  // Looked at once, however often it is referred to: a schema may contain itself.
  const known = new Map<unknown, Fields>();

  function read(value: unknown, depth: number): Fields {
    if (!isRecord(value) || depth > deepest) return noFields;
    const seen = known.get(value);
    if (seen) return seen;
    known.set(value, noFields);
    const readAll = (list: unknown) => (Array.isArray(list) ? list.map((part) => read(part, depth + 1)) : []);
    const { $ref, allOf } = value;
    const meant = typeof $ref === "string" ? [atReference(root, $ref)] : [];
    const all = [ownFields(value), ...readAll(meant), ...readAll(allOf)];
    const choices = alternatives.map((key) => readAll(value[key])).filter((parts) => parts.length > 0);
    const fields: Fields = {
      properties: join([...all, ...choices.flat()]),
      required: new Set(
        [...all.map(({ required }) => required), ...choices.map(inCommon)].flatMap((names) => [...names]),
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

function inCommon([first = noFields, ...others]: readonly Fields[]): readonly string[] {
  return [...first.required].filter((name) => others.every(({ required }) => required.has(name)));
}

function join(parts: readonly Fields[]): Fields["properties"] {
  const all = new Map<string, Set<unknown>>();
  for (const [name, schemas] of parts.flatMap(({ properties }) => [...properties])) {
    const known = all.get(name) ?? new Set();
    for (const schema of schemas) known.add(schema);
    all.set(name, known);
  }
  return all;
}

/** Each once. What says nothing leaves the rest to speak. */
function anyOf(schemas: ReadonlySet<unknown>): unknown {
  const telling = [...schemas].filter((schema) => isRecord(schema) && Object.keys(schema).length > 0);
  const distinct = new Map(telling.map((schema) => [JSON.stringify(schema), schema]));
  const [only = {}, ...others] = distinct.values();
  return others.length === 0 ? only : { anyOf: [only, ...others] };
}

/** Older drafts spell out what stands at each place of a list as its `items`. */
function toCurrentList(schema: JsonRecord): JsonRecord {
  const { items, additionalItems, ...rest } = schema;
  if (Array.isArray(items)) return { ...rest, prefixItems: items, items: additionalItems ?? {} };
  const isList = schema["type"] === "array" || (Array.isArray(schema["type"]) && schema["type"].includes("array"));
  return isList && items === undefined ? { ...schema, items: {} } : schema;
}
