import { isRecord, type JsonRecord } from "../../base/json.ts";
import { nonEmptyString } from "./json-values.ts";

/** What a list calls its cursor, and by which parameter it takes it back. */
const cursors = [
  ["next_cursor", "cursor"],
  ["nextCursor", "cursor"],
  ["next_page_token", "page_token"],
  ["nextPageToken", "pageToken"],
] as const;

/** Where a list goes on, never outside the origin of its first page: a list must not send us elsewhere. Null at its end. */
export function nextPage(
  body: unknown,
  first: URL,
  { afterParameter = "after" }: { afterParameter?: string } = {},
): URL | null {
  if (!isRecord(body) || body["has_more"] === false) return null;
  const link = nonEmptyString(body["next"]);
  if (link !== null && URL.canParse(link, first.href)) {
    const url = new URL(link, first);
    return url.origin === first.origin ? url : null;
  }
  const next = byCursor(body) ?? byNumber(body) ?? byLastId(body, afterParameter);
  if (next === null) return null;
  const url = new URL(first);
  url.searchParams.set(next.parameter, next.value);
  return url;
}

interface Next {
  readonly parameter: string;
  readonly value: string;
}

function byCursor(body: JsonRecord): Next | null {
  for (const [field, parameter] of cursors) {
    const value = nonEmptyString(body[field]);
    if (value !== null) return { parameter, value };
  }
  return null;
}

function byNumber({ page, total_pages: total }: JsonRecord): Next | null {
  if (typeof page !== "number" || typeof total !== "number" || page >= total) return null;
  return { parameter: "page", value: String(page + 1) };
}

/** The list ends with `last_id` where it says so, else with its last item. */
function byLastId(body: JsonRecord, parameter: string): Next | null {
  if (body["has_more"] !== true) return null;
  const list = body["data"] ?? body["models"];
  const last: unknown = Array.isArray(list) ? list.at(-1) : undefined;
  const value = nonEmptyString(body["last_id"]) ?? nonEmptyString(isRecord(last) ? last["id"] : last);
  return value === null ? null : { parameter, value };
}
