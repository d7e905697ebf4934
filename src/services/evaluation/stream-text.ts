import type { Context } from "hono";

const encoder = new TextEncoder();
/** Pieces below this are joined: a chunk per scenario would cost more than it carries. */
const chunkLength = 64 * 1024;

/** Answers with JSON that is written as it is read. */
export function streamJson(context: Context, pieces: AsyncIterable<string>): Response {
  return streamText(context, pieces, { "content-type": "application/json" });
}

/** Answers with text that is written as it is read. Reading stops when the client goes away. */
export function streamText(context: Context, pieces: AsyncIterable<string>, headers: Record<string, string>): Response {
  const iterator = joined(pieces);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
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
