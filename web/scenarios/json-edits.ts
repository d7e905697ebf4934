import { isRecord, toPointer, type JsonRecord } from "../../src/base/json.ts";

/** A copy with another value of a field; undefined removes it. The order of the other fields stays. */
export function withField(record: JsonRecord, name: string, value: unknown): JsonRecord {
  if (value !== undefined) return { ...record, [name]: value };
  const { [name]: _removed, ...rest } = record;
  return rest;
}

/** A copy in which a field has another name, at the same place. */
export function renameField(record: JsonRecord, from: string, to: string): JsonRecord {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name === from ? to : name, value]));
}

/** The value as a list; empty when it is none. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value as an object; empty when it is none. */
export const asRecord = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Pointers of the values that an edit changed. Unchanged parts are shared by both values, so that this is quick. */
export function changedPointers(before: unknown, after: unknown, path: readonly PropertyKey[] = []): string[] {
  if (before === after) return [];
  const isBoth = (isRecord(before) && isRecord(after)) || (Array.isArray(before) && Array.isArray(after));
  if (!isBoth) return [toPointer(path)];
  const left = before as JsonRecord;
  const right = after as JsonRecord;
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.flatMap((name) => changedPointers(left[name], right[name], [...path, name]));
}

/** The forms of an expected value that have a field of their own; `json` is any other. */
export type ValueKind =
  | "text"
  | "json"
  | "one_of"
  | "any_case"
  | "pattern"
  | "near"
  | "contains"
  | "schema"
  | "any"
  | "absent"
  | "argument"
  | "state";

export const expectedKinds = {
  text: "is the text",
  json: "is the value (JSON)",
  one_of: "is one of (a line each)",
  any_case: "is the text, any case",
  pattern: "matches the pattern",
  near: "is a number near",
  contains: "contains the text",
  schema: "fits the schema",
  any: "is there, any value",
  absent: "is left out",
} as const satisfies Partial<Record<ValueKind, string>>;

export const writtenKinds = {
  text: "the text",
  json: "the value (JSON)",
  argument: "the argument",
  state: "from the state at",
} as const satisfies Partial<Record<ValueKind, string>>;

const keyOfKind = {
  any_case: "$text",
  pattern: "$regex",
  contains: "$contains",
  argument: "$argument",
  state: "$state",
} as const;

/** The form of a value, among those that the field offers. */
export function jsonKind(value: unknown, offered: Readonly<Partial<Record<ValueKind, string>>>): ValueKind {
  const kind = anyKindOf(value);
  return offered[kind] === undefined ? "json" : kind;
}

function anyKindOf(value: unknown): ValueKind {
  if (typeof value === "string") return "text";
  if (!isRecord(value) || Object.keys(value).length !== 1) return "json";
  const [[key, inner] = ["", undefined]] = Object.entries(value);
  if (key === "$any" && inner === true) return "any";
  if (key === "$absent" && inner === true) return "absent";
  if (key === "$one_of" && Array.isArray(inner) && inner.every(isLine)) return "one_of";
  if (key === "$schema" && isRecord(inner)) return "schema";
  if (key === "$number" && isRecord(inner) && typeof inner["value"] === "number") {
    const others = Object.keys(inner).filter((name) => name !== "value");
    return others.every((name) => name === "tolerance" && typeof inner[name] === "number") ? "near" : "json";
  }
  if (typeof inner !== "string") return "json";
  const found = Object.entries(keyOfKind).find(([, name]) => name === key);
  return (found?.[0] as ValueKind | undefined) ?? "json";
}

/** Texts with line breaks do not fit into a field with a line for each. */
const isLine = (item: unknown): boolean => typeof item === "string" && !item.includes("\n");

/** The text of a value that has one. */
export function textOfValue(value: unknown): string {
  if (typeof value === "string") return value;
  const [inner] = Object.values(asRecord(value));
  if (Array.isArray(inner)) return inner.join("\n");
  return asText(inner);
}

/** A text stays one only as `text`, so that another value is needed here. */
function parsedValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? null : value;
  } catch {
    return null;
  }
}

/** The value of a kind with this text. */
export function valueOfKind(kind: ValueKind, text: string): unknown {
  switch (kind) {
    case "text":
      return text;
    case "json":
      return parsedValue(text);
    case "one_of":
      return { $one_of: text.split("\n") };
    case "near":
      return { $number: { value: Number(text) || 0, tolerance: 0 } };
    case "schema":
      return { $schema: { type: "string" } };
    case "any":
      return { $any: true };
    case "absent":
      return { $absent: true };
    default:
      return { [keyOfKind[kind]]: text };
  }
}

/** Types of parameters that have a row. */
export const parameterTypes = ["string", "number", "integer", "boolean", "array", "object"] as const;

/** True for a schema that rows can show: named parameters with a type, and nothing else. */
export function isSimpleSchema(schema: unknown): schema is JsonRecord {
  if (!isRecord(schema)) return false;
  const { type, properties = {}, required = [], ...others } = schema;
  return (
    type === "object" &&
    Object.keys(others).length === 0 &&
    Array.isArray(required) &&
    isRecord(properties) &&
    Object.values(properties).every(isSimpleProperty)
  );
}

function isSimpleProperty(property: unknown): boolean {
  if (!isRecord(property)) return false;
  const { type, description = "", ...others } = property;
  return (
    parameterTypes.some((name) => name === type) && typeof description === "string" && Object.keys(others).length === 0
  );
}
