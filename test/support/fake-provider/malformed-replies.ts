import type { Behaviour } from "./behaviour.ts";
import { json } from "./replies.ts";

/** Any bytes under any content type. */
export function raw(body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): Behaviour {
  return ({ response }) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

export const html = raw("<!doctype html><title>Welcome</title><p>It works!</p>", { "content-type": "text/html" });
export const htmlNotFound = raw("<h1>404 Not Found</h1>", { "content-type": "text/html" }, 404);
export const emptyBody = raw("");
export const halfJson = raw('{"id":"chatcmpl-1","choices":[{"message":{"role":"assistant","content":"Hel');
export const noChoices = json({ id: "chatcmpl-1", object: "chat.completion", choices: [] });
export const wrongShape = json({ hello: "world" });

/** A good completion that claims to be plain text. */
export const wrongContentType = raw(
  JSON.stringify({ choices: [{ message: { role: "assistant", content: "Fine" }, finish_reason: "stop" }] }),
  { "content-type": "text/plain" },
);
