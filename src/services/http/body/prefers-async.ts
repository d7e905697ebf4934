import type { Context } from "hono";

/** True when the client does not wait for the result (RFC 7240). */
export function prefersAsync(context: Context): boolean {
  return /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i.test(context.req.header("prefer") ?? "");
}
