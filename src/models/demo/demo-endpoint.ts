import { randomUUID } from "node:crypto";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { canonicalUuid, isUuid } from "../studio/uuid.ts";
import {
  completionError,
  fromReplyError,
  toCompletionBody,
  type CompletionBody,
  type CompletionError,
} from "./completion-body.ts";
import { startChunks, type CompletionChunk } from "./completion-chunks.ts";
import { CompletionRequest, toChatRequest } from "./completion-request.ts";
import type { Demo } from "./demo-models.ts";

interface DemoEndpointOptions {
  readonly signal: AbortSignal;
}

/** How a request is answered: a status with a JSON body, or a stream of chunks, each of which is one `data:` line. */
type DemoAnswer =
  | { readonly kind: "error"; readonly status: number; readonly body: CompletionError["body"] }
  | { readonly kind: "completion"; readonly status: 200; readonly body: CompletionBody }
  | { readonly kind: "stream"; readonly status: 200; readonly chunks: AsyncIterable<CompletionChunk> };

/** The demo models behind the body of `POST /v1/chat/completions` and `GET /v1/models`. HTTP itself is the caller's. */
export interface DemoEndpoint {
  /** Takes the parsed JSON body, whatever it holds. Rejects only when the signal aborts. */
  toCompletion(body: unknown, options: DemoEndpointOptions): Promise<DemoAnswer>;
  listModels(): { object: "list"; data: { id: string; object: "model"; created: number; owned_by: string }[] };
}

/** @param now Seconds since 1970, for `created`. */
export function createDemoEndpoint(
  demo: Demo,
  { now = () => Math.floor(Date.now() / 1000) }: { now?: () => number } = {},
): DemoEndpoint {
  const models = new Map<string, ChatModel>(Object.entries(demo.hub));
  for (const [name, { id, model }] of Object.entries(demo.studio)) {
    models.set(name, model);
    models.set(canonicalUuid(id), model);
  }

  return {
    async toCompletion(body, { signal }) {
      const parsed = CompletionRequest.safeParse(body);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const param = issue?.path.join(".") ?? "";
        return asError(completionError(400, `${param || "body"}: ${issue?.message}`, { param: param || null }));
      }
      const { model: id, stream, stream_options } = parsed.data;
      const model = models.get(isUuid(id) ? canonicalUuid(id) : id);
      if (!model) {
        const message = `There is no demo model "${id.slice(0, 100)}"; there are ${demo.ids.join(", ")}`;
        return asError(completionError(404, message, { param: "model", code: "model_not_found" }));
      }

      const request = toChatRequest(parsed.data);
      if (stream) {
        const head = { id: `chatcmpl-demo-${randomUUID()}`, model: id, created: now() };
        const includeUsage = stream_options?.include_usage === true;
        const started = await startChunks((onText) => model(request, { signal, onText }), { ...head, includeUsage });
        if (!started.ok) return asError(fromReplyError(started.error));
        return { kind: "stream", status: 200, chunks: started.chunks };
      }
      const reply = await model(request, { signal });
      if (!reply.ok) return asError(fromReplyError(reply.error));
      return { kind: "completion", status: 200, body: toCompletionBody(reply, now()) };
    },
    listModels() {
      const data = demo.ids.map((id) => ({ id, object: "model" as const, created: 0, owned_by: "rehearsal-demo" }));
      return { object: "list", data };
    },
  };
}

function asError({ status, body }: CompletionError): DemoAnswer {
  return { kind: "error", status, body };
}
