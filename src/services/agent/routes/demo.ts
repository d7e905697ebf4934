import { Hono, type Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { DemoEndpoint } from "../../../models/demo/demo-endpoint.ts";
import { requireScope } from "../../http/auth/auth.ts";
import { readJson, type ReadJsonLimits } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";

/**
 * The demo models as an OpenAI-compatible endpoint at `/demo/v1`, to be evaluated without any key of a provider. These routes are
 * not part of the contract, so the gate knows no scope for them and they check it themselves.
 */
export function demoRoutes({
  demo,
  bodyLimits,
}: {
  demo: DemoEndpoint;
  bodyLimits: ReadJsonLimits;
}): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>()
    .get("/demo/v1/models", requireScope("models:read"), (context) => context.json(demo.listModels()))
    .post("/demo/v1/chat/completions", requireScope("agent"), async (context) => {
      const body = await readJson(context, bodyLimits);
      const answer = await demo.toCompletion(body, { signal: context.req.raw.signal });
      if (answer.kind === "stream") return streamChunks(context, answer.chunks);
      return context.json(answer.body, answer.status as ContentfulStatusCode);
    });
}

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
