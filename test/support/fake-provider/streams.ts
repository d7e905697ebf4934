import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import type { Behaviour, RecordedRequest } from "./behaviour.ts";
import { fakeUsage } from "./replies.ts";

/** How a scripted stream ends: as it should, without `[DONE]`, with an error event, cut off, or never. */
type StreamEnd = "done" | "no-done" | "error" | "reset" | "endless";

interface StreamOptions {
  readonly end?: StreamEnd;
  /** Send the bytes of the stream in pieces of this size, whatever characters that cuts in two. */
  readonly pieceBytes?: number;
  readonly usage?: boolean;
}

/** Streams one delta after the other as OpenAI does: `{ content }`, `{ tool_calls }`, `{ refusal }` … */
export function streamDeltas(deltas: readonly Record<string, unknown>[], options: StreamOptions = {}): Behaviour {
  const { end = "done", pieceBytes, usage = true } = options;
  return async ({ request, response }) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    const toolCalls = deltas.some((delta) => "tool_calls" in delta);
    const chunks = deltas.map((delta) => chunk(request, [{ index: 0, delta, finish_reason: null }]));
    if (end === "done" || end === "no-done") {
      chunks.push(chunk(request, [{ index: 0, delta: {}, finish_reason: toolCalls ? "tool_calls" : "stop" }]));
      if (usage) chunks.push(chunk(request, [], { usage: fakeUsage }));
    }
    await send(response, chunks.map((value) => event(JSON.stringify(value))).join(""), pieceBytes);
    await finish(response, end);
  };
}

/** Streams the text word by word. */
export function stream(text: string, options?: StreamOptions): Behaviour {
  const words = text.match(/\S+\s*/gu) ?? [];
  return streamDeltas([{ role: "assistant", content: "" }, ...words.map((content) => ({ content }))], options);
}

/** Sends these bytes as an event stream, then ends. */
export function rawStream(body: string | Uint8Array): Behaviour {
  return ({ response }) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
}

function chunk(request: RecordedRequest, choices: readonly unknown[], extra: Record<string, unknown> = {}) {
  return {
    id: "chatcmpl-fake-stream",
    object: "chat.completion.chunk",
    model: request.body?.["model"] ?? "fake-model",
    system_fingerprint: "fp_fake",
    choices,
    ...extra,
  };
}

const event = (data: string) => `data: ${data}\n\n`;

async function send(response: ServerResponse, text: string, pieceBytes?: number): Promise<void> {
  const bytes = Buffer.from(text);
  if (!pieceBytes) return void response.write(bytes);
  for (let start = 0; start < bytes.length && !response.destroyed; start += pieceBytes) {
    response.write(bytes.subarray(start, start + pieceBytes));
    // Lets every piece leave as a packet of its own.
    await nextTurn();
  }
}

async function finish(response: ServerResponse, end: StreamEnd): Promise<void> {
  if (end === "done") response.end(event("[DONE]"));
  else if (end === "no-done") response.end();
  else if (end === "error") response.end(event(JSON.stringify({ error: { message: "Overloaded", code: 503 } })));
  else if (end === "reset") setImmediate(() => response.socket?.resetAndDestroy());
  else {
    while (!response.destroyed) {
      response.write(event(JSON.stringify({ choices: [{ index: 0, delta: { content: "more " } }] })));
      await wait(5);
    }
  }
}
