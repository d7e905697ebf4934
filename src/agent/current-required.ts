import { isRecord, type JsonRecord } from "../base/json.ts";

/**
 * In draft 3 a property says of itself that it is required; today the object that has it lists it. Many who write a schema by hand
 * still do the former. Some servers write null for an empty list.
 */
export function toCurrentRequired(schema: JsonRecord): JsonRecord {
  const { required = [], ...rest } = schema;
  const listed: unknown = typeof required === "boolean" || required === null ? [] : required;
  const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const own = properties.flatMap(([name, part]) => (isRecord(part) && part["required"] === true ? name : []));
  // What else is no list is for the validator to refuse.
  if (!Array.isArray(listed) || (listed === required && own.length === 0)) return schema;
  const names = [...new Set<unknown>([...listed, ...own])];
  return names.length === 0 ? rest : { ...rest, required: names };
}
