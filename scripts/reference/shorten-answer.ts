import { isRecord } from "../../src/base/json.ts";

const deepest = 8;
const mostKeys = 18;
const longestText = 120;
/** Ids, times and versions: other ones every time. */
const varying = /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,}|\d{4}-\d\d-\d\dT.*|[\w-]*[0-9a-f]{8}-[0-9a-f]{4}-.*)$/i;

/** An answer as a page shows it: `"…"` stands for what varies, for more keys and for more items. */
export function shortenAnswer(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return shortenText(value);
  if (typeof value === "number") return Number.isInteger(value) ? value : Number(value.toFixed(3));
  if (typeof value !== "object" || value === null) return value;
  if (depth === deepest) return "…";
  if (Array.isArray(value)) {
    const [first, ...rest] = value as unknown[];
    return value.length === 0 ? [] : [shortenAnswer(first, depth + 1), ...(rest.length > 0 ? ["…"] : [])];
  }
  const entries = Object.entries(value);
  const most = isMap(entries) ? 1 : mostKeys;
  const shown = entries
    .slice(0, most)
    .map(([key, item]) => [key, isMeasured(key) ? "…" : shortenAnswer(item, depth + 1)]);
  return Object.fromEntries([...shown, ...(entries.length > most ? [["…", "…"]] : [])]);
}

/** Entries that are all of one kind: figures by score, schemas by name. One of them shows what the others are. */
function isMap(entries: readonly (readonly [string, unknown])[]): boolean {
  const shapes = entries.map(([, item]) => (isRecord(item) ? Object.keys(item).toSorted().join() : undefined));
  return entries.length > 1 && shapes.every((shape) => shape !== undefined && shape === shapes[0]);
}

const isMeasured = (key: string): boolean => /(_ms|_at|^created|^uptime.*|^port|endpoint|url|path)$/.test(key);

function shortenText(text: string): string {
  if (varying.test(text)) return "…";
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
