import { isRecord } from "../base/json.ts";

/** What a reference such as `#/$defs/name` points at. */
export function atReference(schema: unknown, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  const keys = reference.split("/").slice(1).map(toKey);
  return keys.reduce<unknown>(
    (value, key) => (isRecord(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    schema,
  );
}

function toKey(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return text;
  }
}
