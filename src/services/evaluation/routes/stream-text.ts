import type { Context } from "hono";
import type { Logger } from "pino";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { holdLargest } from "../../http/limits/request-memory.ts";
import { outgoingOf, type ShellEnvironment } from "../../http/environment/shell-environment.ts";

const encoder = new TextEncoder();
/** Shorter pieces are joined: a chunk per scenario would cost more than it carries. */
const chunkLength = 64 * 1024;

interface StreamOptions {
  readonly log: Logger;
  readonly headers?: Record<string, string>;
}

/** Streams JSON while it is read. */
export function streamJson(
  context: Context<ShellEnvironment>,
  pieces: AsyncIterable<string>,
  { log }: { readonly log: Logger },
): Promise<Response> {
  return streamText(context, pieces, { log, headers: { "content-type": "application/json" } });
}

/**
 * Streams text while it is read; reading stops when the client disconnects. An error before the first chunk is thrown. A later
 * error destroys the connection, so that a truncated response is not mistaken for a complete one.
 */
export async function streamText(
  context: Context<ShellEnvironment>,
  pieces: AsyncIterable<string>,
  { log, headers }: StreamOptions,
): Promise<Response> {
  const iterator = joinedPieces(pieces);
  const hold = holdLargest(context);
  const next = async (): Promise<IteratorResult<string>> => {
    const result = await iterator.next();
    hold(result.value?.length ?? 0);
    return result;
  };
  let first: IteratorResult<string> | null = await next();

  function breakOff(controller: ReadableStreamDefaultController, error: unknown): void {
    const level = error instanceof ServiceError ? "warn" : "error";
    log[level]({ err: error, request_id: context.get("requestId") }, "a response could not be sent completely");
    const outgoing = outgoingOf(context);
    if (!outgoing) return controller.error(error);
    // If given the error, the server adapter would print it and might end the response as if it were complete.
    outgoing.destroy();
    controller.close();
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = first ?? (await next());
        first = null;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        breakOff(controller, error);
      }
    },
    async cancel() {
      await iterator.return(undefined);
    },
  });
  return context.body(body, 200, headers);
}

async function* joinedPieces(pieces: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length < chunkLength) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
