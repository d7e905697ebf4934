import { isRecord, type JsonRecord } from "../base/json.ts";

/** Where a schema holds others: by name, as a list, or one. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
const listed = new Set(["anyOf", "oneOf", "allOf", "prefixItems", "items"]);
const single = new Set(["items", "additionalItems", "additionalProperties", "contains", "not", "if", "then", "else"]);

/** The schema with `change` made in it and in all that it holds. */
export function mapSchema(schema: unknown, change: (schema: JsonRecord) => JsonRecord): unknown {
  const map = (value: unknown): unknown => {
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(change(value)).map(([key, part]) => [key, inner(key, part)]));
  };

  function inner(key: string, value: unknown): unknown {
    if (named.has(key) && isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, map(part)]));
    }
    if (listed.has(key) && Array.isArray(value)) return value.map(map);
    return single.has(key) ? map(value) : value;
  }

  return map(schema);
}
