import type { Context } from "hono";
import { ServiceError, type ErrorCode } from "../../../contract/errors/errors.ts";
import { incomingOf } from "../environment/shell-environment.ts";

/** Headers that must not be repeated: proxies and servers disagree on which value counts. */
const onceOnly: ReadonlyMap<string, ErrorCode> = new Map([
  ["host", "header_invalid"],
  ["origin", "header_invalid"],
  ["sec-fetch-site", "header_invalid"],
  ["authorization", "header_invalid"],
  ["x-api-key", "header_invalid"],
  ["content-type", "header_invalid"],
  ["content-encoding", "header_invalid"],
  ["last-event-id", "header_invalid"],
  ["x-model-id", "model_id_invalid"],
  ["idempotency-key", "idempotency_key_invalid"],
]);

const longestTarget = 8192;

/**
 * The number of times a header was sent. Without a Node request (`app.request()` in a test) repeated headers arrive joined by commas,
 * so the parts are counted.
 */
export function rawHeaderCount(context: Context, name: string): number {
  const raw = incomingOf(context)?.rawHeaders;
  if (raw === undefined) return context.req.header(name)?.split(",").length ?? 0;
  const wanted = name.toLowerCase();
  return raw.filter((text, index) => index % 2 === 0 && text.toLowerCase() === wanted).length;
}

/** Refuses repeated headers that must be single, and addresses that are too long. */
export function checkHeaders(context: Context): void {
  const raw = incomingOf(context)?.rawHeaders;
  const repeated = raw && repeatedHeader(raw);
  if (repeated) {
    const count = rawHeaderCount(context, repeated.name);
    throw new ServiceError(repeated.code, `The header ${repeated.name} was sent ${count} times; send it once.`);
  }
  if (context.req.url.length > longestTarget) {
    throw new ServiceError("uri_too_long", `The address is longer than ${longestTarget} characters.`);
  }
}

/** The first header that is repeated though it must not be. In the raw headers, names are at even indexes. */
export function repeatedHeader(raw: readonly string[]): { name: string; code: ErrorCode } | null {
  const seen = new Set<string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? "";
    const code = onceOnly.get(name);
    if (code === undefined) continue;
    if (seen.has(name)) return { name, code };
    seen.add(name);
  }
  return null;
}
