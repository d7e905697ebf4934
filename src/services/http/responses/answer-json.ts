import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { outgoingOf, type ShellEnvironment } from "../environment/shell-environment.ts";

/** Responds with JSON, written directly to the connection where there is one. */
export function answerJson(
  context: Context<ShellEnvironment>,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const outgoing = outgoingOf(context);
  if (!outgoing) return context.body(JSON.stringify(body), 200, { "content-type": "application/json", ...headers });
  const text = JSON.stringify(body);
  outgoing.writeHead(200, {
    ...context.get("answerHeaders"),
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  outgoing.end(text);
  return RESPONSE_ALREADY_SENT;
}
