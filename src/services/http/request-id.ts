import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { ShellEnvironment } from "./shell-environment.ts";

const usable = /^[A-Za-z0-9._-]{1,64}$/;

/** Gives every request an id, the caller's own if it is a sane one, and puts it on the answer. */
export function requestId({
  create = randomUUID,
}: { create?: () => string } = {}): MiddlewareHandler<ShellEnvironment> {
  return async (context, next) => {
    const sent = context.req.header("x-request-id") ?? "";
    const id = usable.test(sent) ? sent : create();
    context.set("requestId", id);
    await next();
    context.res.headers.set("x-request-id", id);
  };
}
