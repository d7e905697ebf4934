export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for what JSON writes in braces. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
