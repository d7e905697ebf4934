import { isRecord } from "./json-record.ts";

/** JSON with sorted keys: the order in which somebody happened to write them makes no difference. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isRecord(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : item,
  );
}
