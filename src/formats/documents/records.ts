import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { SourceLocation } from "./format-error.ts";

/** Reads own properties only, never those of Object.prototype. */
export function field(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The first of these fields that is present and not null. */
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

/** True for an object with all of these fields. */
export const hasFields =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && names.every((name) => Object.hasOwn(value, name));

/** True for an object with any of these fields. */
export const hasAnyField =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && names.some((name) => Object.hasOwn(value, name));

/** True for an object with a list under the first of these fields that it has. */
export const hasList =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    listField(value, ...names) !== undefined;

/** The text of a scalar; undefined for objects, lists and null. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint"
    ? String(value)
    : undefined;
}

/** Appends steps to an RFC 6901 pointer. Called for every item of a file, so it builds no lists. */
export function pointerTo(pointer: string | undefined, ...steps: readonly (string | number)[]): string {
  let text = pointer ?? "";
  for (const step of steps) {
    text += `/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return text;
}

/** The location of a nested value. */
export function locationBelow(location: SourceLocation, ...steps: readonly (string | number)[]): SourceLocation {
  return { ...location, pointer: pointerTo(location.pointer, ...steps) };
}

/** `expectedOutput`, `expected_output` and `Expected Output` become one name. */
export function normalizeName(name: string): string {
  return name.replace(/[\s_-]+/g, "").toLowerCase();
}

/** True for a list of objects that all have a role and a content. */
export function isMessageList(value: unknown): value is readonly unknown[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => isRecord(entry) && "role" in entry && "content" in entry)
  );
}

/** True for a non-empty list of texts. */
export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "string");
}

export function toTextList(values: readonly unknown[] | undefined): string[] | undefined {
  return values?.map((value) => scalarText(value) ?? JSON.stringify(value));
}
