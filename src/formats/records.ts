import { isRecord, type JsonRecord } from "../base/json.ts";

/** The own property of that name; never one inherited from Object.prototype. */
export function field(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The first of the named fields that is there and not null. */
export function anyField(value: unknown, ...names: readonly string[]): unknown {
  for (const name of names) {
    const found = field(value, name);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

export function textField(value: unknown, ...names: readonly string[]): string | undefined {
  const found = anyField(value, ...names);
  return typeof found === "string" ? found : undefined;
}

export function recordField(value: unknown, ...names: readonly string[]): JsonRecord | undefined {
  const found = anyField(value, ...names);
  return isRecord(found) ? found : undefined;
}

export function listField(value: unknown, ...names: readonly string[]): readonly unknown[] | undefined {
  const found = anyField(value, ...names);
  return Array.isArray(found) ? found : undefined;
}

/** A scalar as text; undefined for what has no single text. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint"
    ? String(value)
    : undefined;
}

/** Further steps of an RFC 6901 pointer. Asked for every item of a file, so without a list in between. */
export function pointerTo(pointer: string | undefined, ...steps: readonly (string | number)[]): string {
  let text = pointer ?? "";
  for (const step of steps) {
    text += `/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return text;
}

/** `expectedOutput`, `expected_output` and `Expected Output` are one name. */
export function sameName(name: string): string {
  return name.replace(/[\s_-]+/g, "").toLowerCase();
}

/** True for a conversation by itself: a list in which everything has a role and a content. */
export function isMessageList(value: unknown): value is readonly unknown[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => isRecord(entry) && "role" in entry && "content" in entry)
  );
}

/** True for a list of texts that is not empty. */
export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "string");
}
