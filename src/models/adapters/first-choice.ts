import { isRecord, type JsonRecord } from "../../base/json.ts";

/** The reply among the choices of an answer or a chunk: the one with the index 0. A choice without an index counts as that. */
export function firstChoice(choices: unknown): JsonRecord | null {
  if (!Array.isArray(choices)) return null;
  return choices.find((choice): choice is JsonRecord => isRecord(choice) && Number(choice["index"] ?? 0) === 0) ?? null;
}
