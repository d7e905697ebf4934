import type { Context } from "hono";
import type { Logger } from "pino";
import { ServiceError } from "../../contract/errors.ts";
import { holdLargest } from "../http/request-memory.ts";
import { outgoingOf, type ShellEnvironment } from "../http/shell-environment.ts";

const encoder = new TextEncoder();
/** Pieces below this are joined: a chunk per scenario would cost more than it carries. */
const chunkLength = 64 * 1024;

interface StreamOptions {
  readonly log: Logger;
  readonly headers?: Record<string, string>;
}

/** Answers with JSON that is written as it is read. */
export function streamJson(
  context: Context<ShellEnvironment>,
  pieces: AsyncIterable<string>,
  { log }: { readonly log: Logger },
): Promise<Response> {
  return streamText(context, pieces, { log, headers: { "content-type": "application/json" } });
}

/**
 * Answers with text that is written as it is read. Reading stops when the client goes away. What fails before anything was sent is
 * thrown; what fails later breaks the answer off, so that nobody takes a part of it for all.
 */
export async function streamText(
  context: Context<ShellEnvironment>,
  pieces: AsyncIterable<string>,
  { log, headers }: StreamOptions,
): Promise<Response> {
  const iterator = joined(pieces);
  const hold = holdLargest(context);
  const next = async (): Promise<IteratorResult<string>> => {
    const result = await iterator.next();
    hold(result.value?.length ?? 0);
    return result;
  };
  let first: IteratorResult<string> | null = await next();

  function breakOff(controller: ReadableStreamDefaultController, error: unknown): void {
    const level = error instanceof ServiceError ? "warn" : "error";
    log[level]({ err: error, request_id: context.get("requestId") }, "an answer could not be sent to its end");
    const outgoing = outgoingOf(context);
    if (!outgoing) return controller.error(error);
    // Told of the error, the server adapter would print it, and may end the answer as if it were whole.
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

async function* joined(pieces: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length < chunkLength) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
