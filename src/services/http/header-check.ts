import type { Context, MiddlewareHandler } from "hono";
import { ServiceError, type ErrorCode } from "../../contract/errors.ts";
import { incomingOf, type ShellEnvironment } from "./shell-environment.ts";

/** Headers that mean something only when they come once. Proxies and servers disagree on which of two counts. */
const onceOnly: Readonly<Record<string, ErrorCode>> = {
  host: "header_invalid",
  origin: "header_invalid",
  "sec-fetch-site": "header_invalid",
  authorization: "header_invalid",
  "x-api-key": "header_invalid",
  "content-type": "header_invalid",
  "content-encoding": "header_invalid",
  "last-event-id": "header_invalid",
  "x-model-id": "model_id_invalid",
  "idempotency-key": "idempotency_key_invalid",
};

const longestTarget = 8192;

/**
 * How often a header was sent. Without Node's own request (`app.request()` in a test) repeated headers arrive
 * joined by commas, so the parts are counted.
 */
export function rawHeaderCount(context: Context, name: string): number {
  const raw = incomingOf(context)?.rawHeaders;
  if (raw === undefined) return context.req.header(name)?.split(",").length ?? 0;
  const wanted = name.toLowerCase();
  return raw.filter((text, index) => index % 2 === 0 && text.toLowerCase() === wanted).length;
}

/** Refuses repeated headers that must be single, and addresses too long to be meant. */
export function headerCheck(): MiddlewareHandler<ShellEnvironment> {
  return async (context, next) => {
    if (incomingOf(context) !== undefined) refuseRepeated(context);
    if (context.req.url.length > longestTarget) {
      throw new ServiceError("uri_too_long", `The address is longer than ${longestTarget} characters.`);
    }
    await next();
  };
}

function refuseRepeated(context: Context): void {
  for (const [name, code] of Object.entries(onceOnly)) {
    const count = rawHeaderCount(context, name);
    if (count > 1) throw new ServiceError(code, `The header ${name} was sent ${count} times; send it once.`);
  }
}
