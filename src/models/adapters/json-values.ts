import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";

/** Deeper answers are refused: they could be parsed, but not safely written out again. */
export const maximumDepth = 32;

/** The value if it is an object of bounded depth, else null. For parts of an answer that are kept as they came. */
export function plainRecord(value: unknown): JsonRecord | null {
  return isRecord(value) && isWithinDepth(value, maximumDepth) ? value : null;
}

export function nonEmptyString(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * Labels in an answer: an object with at least one key. Keys that could reach a prototype are left out, and so are those under which
 * servers tell something of themselves.
 */
export function labels(value: unknown): Metadata | null {
  const record = plainRecord(value);
  if (record === null) return null;
  const entries = Object.entries(record).filter(([key]) => !forbiddenKeys.has(key) && !serverKeys.has(key));
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Metadata);
}

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

/** SGLang's and xAI's, with every answer: an endpoint that tells no more has told no labels. */
const serverKeys = new Set(["weight_version", "system_fingerprint"]);

function isWithinDepth(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return left > 0 && Object.values(value).every((item) => isWithinDepth(item, left - 1));
}
