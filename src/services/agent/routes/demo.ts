import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { DemoEndpoint } from "../../../models/demo/demo-endpoint.ts";
import { defineRoute, type Route } from "../../http/route.ts";

/**
 * The demo models as an OpenAI-compatible endpoint at `/demo/v1`, to be evaluated without any key of a provider. No part of the
 * public API. Calls cost nothing, so they are not counted.
 */
export const demoRoutes: readonly Route<DemoEndpoint>[] = [
  defineRoute(
    { address: "GET /demo/v1/models", scope: "models:read" },
    (demo: DemoEndpoint) =>
      ({ context }) =>
        context.json(demo.listModels()),
  ),

  defineRoute(
    { address: "POST /demo/v1/chat/completions", scope: "agent", uncounted: true },
    (demo: DemoEndpoint) => async (request) => {
      const answer = await demo.toCompletion(await request.sent(), { signal: request.signal });
      if (answer.kind === "stream") return streamChunks(request.context, answer.chunks);
      return request.context.json(answer.body, answer.status as ContentfulStatusCode);
    },
  ),
];

function streamChunks(context: Context, chunks: AsyncIterable<unknown>): Response {
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      controller.enqueue(encoder.encode(`data: ${done ? "[DONE]" : JSON.stringify(value)}\n\n`));
      if (done) controller.close();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
  return context.body(body, 200, { "content-type": "text/event-stream" });
}
