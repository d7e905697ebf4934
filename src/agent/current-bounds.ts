import type { JsonRecord } from "../base/json.ts";

const bounds = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** In draft 4, and in OpenAPI 3.0, a bound stands beside a word of whether it is left out itself; today the word is the bound. */
export function toCurrentBounds(schema: JsonRecord): JsonRecord {
  return bounds.reduce((current, [exclusive, bound]) => {
    const { [exclusive]: isLeftOut, ...rest } = current;
    if (typeof isLeftOut !== "boolean") return current;
    const { [bound]: limit, ...others } = rest;
    return isLeftOut && limit !== undefined ? { ...others, [exclusive]: limit } : rest;
  }, schema);
}
