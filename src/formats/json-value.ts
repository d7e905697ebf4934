import { isRecord, type JsonRecord } from "../base/json.ts";
import { pointerTo } from "./records.ts";

const forbidden = new Set(["__proto__", "constructor", "prototype"]);

interface JsonCopy {
  readonly value: JsonRecord;
  /** What had to go or change on the way, with its pointer below the record. */
  readonly losses: readonly { readonly pointer: string; readonly message: string }[];
}

/** A copy that is JSON through and through: no key that could reach a prototype, no number JSON cannot write. */
export function toJsonRecord(record: JsonRecord): JsonCopy {
  const losses: { pointer: string; message: string }[] = [];
  const copy = (value: unknown, pointer: string): unknown => {
    if (typeof value === "number" && !Number.isFinite(value)) {
      losses.push({ pointer, message: `${value} is not a JSON number; kept as text` });
      return String(value);
    }
    if (Array.isArray(value))
      return value.map((entry: unknown, index) => copy(entry ?? null, pointerTo(pointer, index)));
    if (!isRecord(value)) return typeof value === "bigint" ? String(value) : value;
    const kept = Object.entries(value).filter(([key, entry]) => {
      if (forbidden.has(key))
        losses.push({ pointer: pointerTo(pointer, key), message: `the key ${key} is not allowed` });
      return !forbidden.has(key) && entry !== undefined;
    });
    return Object.fromEntries(kept.map(([key, entry]) => [key, copy(entry, pointerTo(pointer, key))]));
  };
  return { value: copy(record, "") as JsonRecord, losses };
}
