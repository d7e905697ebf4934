import { isRecord } from "../../../base/json.ts";
import { templateText } from "./template-text.ts";

type Filter = (value: unknown, options: readonly unknown[]) => unknown;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
const orDefault: Filter = (value, [other, forFalse]) => (value === undefined || (forFalse && !value) ? other : value);

/** The filters of Nunjucks that prompts use, and `load` of promptfoo. */
const filters: Readonly<Record<string, Filter>> = {
  capitalize: (value) => capital(templateText(value)),
  d: orDefault,
  default: orDefault,
  dump: (value, [indent]) => JSON.stringify(value ?? null, null, Number(indent ?? 0)),
  first: (value) => (Array.isArray(value) ? (value[0] as unknown) : undefined),
  join: (value, [separator]) =>
    Array.isArray(value) ? value.map(templateText).join(templateText(separator)) : templateText(value),
  last: (value) => (Array.isArray(value) ? (value.at(-1) as unknown) : undefined),
  length: (value) =>
    Array.isArray(value) || typeof value === "string" ? value.length : isRecord(value) ? Object.keys(value).length : 0,
  load: (value) => JSON.parse(templateText(value)) as unknown,
  lower: (value) => templateText(value).toLowerCase(),
  replace: (value, [from, to]) => templateText(value).replaceAll(templateText(from), () => templateText(to)),
  safe: (value) => value,
  string: templateText,
  title: (value) => templateText(value).split(" ").map(capital).join(" "),
  tojson: (value) => JSON.stringify(value ?? null),
  trim: (value) => templateText(value).trim(),
  upper: (value) => templateText(value).toUpperCase(),
};

/** Filters may make a text longer, one after the other without end. */
const longest = 1_000_000;

/** What the filter of this name makes of a value; undefined where we have none, or it cannot be done. */
export function applyFilter(
  name: string,
  value: unknown,
  options: readonly unknown[],
): { readonly value: unknown } | undefined {
  try {
    const made = Object.hasOwn(filters, name) ? { value: filters[name]?.(value, options) } : undefined;
    return typeof made?.value === "string" && made.value.length > longest ? undefined : made;
  } catch {
    return undefined;
  }
}
