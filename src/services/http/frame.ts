import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { logRequest } from "./log.ts";
import { requestIdFrom } from "./request-id.ts";
import { addAnswerHeaders, shellHeaders } from "./security-headers.ts";
import { outgoingOf, type ShellEnvironment } from "./shell-environment.ts";

/** Around everything else: gives every request its id, and every answer its headers and its line in the log. */
export function frame({ log, version }: { log: Logger; version: string }): MiddlewareHandler<ShellEnvironment> {
  const fixed = shellHeaders({ version });

  return async (context, next) => {
    const started = performance.now();
    const requestId = requestIdFrom(context.req.header("x-request-id"));
    const headers = { ...fixed, "x-request-id": requestId };
    context.set("requestId", requestId);
    context.set("answerHeaders", headers);
    await next();
    const ms = Math.round(performance.now() - started);
    if (context.res === RESPONSE_ALREADY_SENT) {
      return logRequest(log, context, { status: outgoingOf(context)?.statusCode ?? 200, ms });
    }
    addAnswerHeaders(context.res.headers, headers);
    logRequest(log, context, { status: context.res.status, ms });
  };
}
