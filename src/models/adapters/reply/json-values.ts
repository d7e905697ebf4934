import { BracketDepth, replaceNonFiniteNumbers } from "../../../base/json-text.ts";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { Metadata } from "../../../contract/schemas/scenario.ts";

/** Deeper answers are refused: they can be parsed, but not safely serialized again. */
const maximumDepth = 32;

/** The value if it is an object of bounded depth, else null. For parts of an answer that are kept unchanged. */
export function plainRecord(value: unknown): JsonRecord | null {
  return isRecord(value) && isWithinDepth(value, maximumDepth) ? value : null;
}

export function nonEmptyString(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * Labels in an answer: an object with at least one key, without keys that could reach a prototype and without the server's
 * own metadata.
 */
export function labels(value: unknown): Metadata | null {
  const record = plainRecord(value);
  if (record === null) return null;
  const entries = Object.entries(record).filter(([key]) => !forbiddenKeys.has(key) && !serverKeys.has(key));
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Metadata);
}

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

/** SGLang and xAI send these with every answer; they are not labels. */
const serverKeys = new Set(["weight_version", "system_fingerprint"]);

function isWithinDepth(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return left > 0 && Object.values(value).every((item) => isWithinDepth(item, left - 1));
}

/** Shorter texts cannot nest deeply enough to matter: a million levels take JSON.parse seconds. */
const scanFromLength = 16 * 1024;

/** Parses an answer; undefined when it is not JSON. Bare NaN and Infinity, which some servers send, become null. */
export function parseJson(text: string): unknown {
  if (text.length > scanFromLength && !new BracketDepth().add(text, maximumDepth * 2)) return undefined;
  return (
    tryParse(text) ?? (/NaN|Infinity/.test(text) ? tryParse(replaceNonFiniteNumbers(text, () => "null")) : undefined)
  );
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes a value at a JSON pointer of a body, and makes the objects on the way. */
export function setAt(body: unknown, pointer: string, value: unknown): unknown {
  const [key, ...rest] = pointer.split("/").slice(1);
  if (key === undefined) return value;
  const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
  const inner = rest.length === 0 ? "" : `/${rest.join("/")}`;
  const record = isRecord(body) ? body : {};
  return { ...record, [name]: setAt(Object.hasOwn(record, name) ? record[name] : undefined, inner, value) };
}
