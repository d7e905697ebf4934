import type { QueryStyle } from "./http-operation.ts";

type Pair = readonly [name: string, text: string];

const separators: Readonly<Partial<Record<QueryStyle, string>>> = { comma: ",", space: " ", pipe: "|" };

/** What one argument adds to a query or a form. */
export function toPairs(name: string, value: unknown, style: QueryStyle): readonly Pair[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object" || style === "json") return [[name, toPlainText(value)]];
  if (style === "deep") return deepPairs(name, value);
  const separator = separators[style];
  if (separator !== undefined) {
    const parts = Array.isArray(value) ? value : Object.entries(value).flat();
    return [[name, parts.map(toPlainText).join(separator)]];
  }
  if (Array.isArray(value)) return value.map((item) => [name, toPlainText(item)]);
  if (style === "repeat") return [[name, toPlainText(value)]];
  return Object.entries(value).map(([key, item]) => [key, toPlainText(item)]);
}

function deepPairs(name: string, value: unknown): readonly Pair[] {
  if (typeof value !== "object" || value === null) return [[name, toPlainText(value)]];
  return Object.entries(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item));
}

/** A value as text; what is no plain value as JSON. */
export const toPlainText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
