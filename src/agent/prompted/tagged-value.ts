import { isRecord, type JsonRecord } from "../../base/json.ts";
import { atReference } from "../schema-reference.ts";

/**
 * What stands between tags, where a text and a number look the same: the schema of the arguments says which it is. An optional text
 * is mostly declared as one of two, a text or null.
 */
export function toTaggedValue(written: string, { key, schema }: { key: string; schema: JsonRecord | null }): unknown {
  const properties = isRecord(schema?.["properties"]) ? schema["properties"] : {};
  const types = typesOf(Object.hasOwn(properties, key) ? properties[key] : null, schema);
  if (types.has("null") && written.trim() === "null") return null;
  return types.has("string") ? written : toValue(written);
}

/** Parts of a schema that are looked at. It comes from others, and a reply may hold thousands of values. */
const mostParts = 100;

/** Each part once, however often it is referred to: a schema may contain itself. */
function typesOf(property: unknown, root: JsonRecord | null): ReadonlySet<unknown> {
  const parts = new Set([property]);
  const types = new Set<unknown>();
  for (const part of parts) {
    if (parts.size > mostParts) break;
    if (!isRecord(part)) continue;
    for (const type of [part["type"]].flat()) types.add(type);
    for (const value of listIn(part, "enum")) types.add(typeof value);
    for (const other of alternatives.flatMap((name) => listIn(part, name))) parts.add(other);
    if (typeof part["$ref"] === "string") parts.add(atReference(root, part["$ref"]));
  }
  return types;
}

const alternatives = ["anyOf", "oneOf", "allOf"];

function listIn(part: JsonRecord, name: string): readonly unknown[] {
  const list = part[name];
  return Array.isArray(list) ? list.slice(0, mostParts) : [];
}

function toValue(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}
