import { compact } from "../../base/compact.ts";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ChatMessage, ChatModel, ChatRequest } from "../../contract/ports/chat-model.ts";
import { canonicalUuid, isUuid } from "../routing/model-id.ts";
import {
  completionError,
  fromReplyError,
  startChunks,
  toCompletionBody,
  type CompletionBody,
  type CompletionChunk,
  type CompletionError,
} from "./completion.ts";
import type { Demo } from "./demo-models.ts";

interface DemoEndpointOptions {
  readonly signal: AbortSignal;
}

/** The answer to a request: a status with a JSON body, or a stream of chunks, one per `data:` line. */
type DemoAnswer =
  | { readonly kind: "error"; readonly status: number; readonly body: CompletionError["body"] }
  | { readonly kind: "completion"; readonly status: 200; readonly body: CompletionBody }
  | { readonly kind: "stream"; readonly status: 200; readonly chunks: AsyncIterable<CompletionChunk> };

/** The demo models behind `POST /v1/chat/completions` and `GET /v1/models`. The caller handles HTTP. */
export interface DemoEndpoint {
  /** Answers any parsed JSON body. Rejects only when the signal aborts. */
  toCompletion(body: unknown, options: DemoEndpointOptions): Promise<DemoAnswer>;
  listModels(): { object: "list"; data: { id: string; object: "model"; created: number; owned_by: string }[] };
}

/** @param now Seconds since 1970, for `created`. */
export function createDemoEndpoint(
  demo: Demo,
  { now = () => Math.floor(Date.now() / 1000) }: { now?: () => number } = {},
): DemoEndpoint {
  const models = new Map<string, ChatModel>(Object.entries({ ...demo.hub, ...demo.helpers }));
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

const Text = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal("text"), text: z.string() }))
    .transform((parts) => parts.map(({ text }) => text).join("")),
]);

const FunctionCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const Message = z.discriminatedUnion("role", [
  z.object({ role: z.enum(["system", "developer"]), content: Text }),
  z.object({ role: z.literal("user"), content: Text }),
  z.object({ role: z.literal("assistant"), content: Text.nullish(), tool_calls: z.array(FunctionCall).nullish() }),
  z.object({ role: z.literal("tool"), content: Text, tool_call_id: z.string(), name: z.string().optional() }),
]);

const Tool = z.object({
  type: z.literal("function"),
  function: z.object({
    name: z.string().min(1),
    description: z.string().default(""),
    parameters: z.record(z.string(), z.unknown()).default({}),
  }),
});

const Choice = z.enum(["auto", "none", "required"]);
const NamedChoice = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });

/** The fields of an OpenAI chat completion that a demo uses; others are ignored. */
const CompletionRequest = z.object({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).nullish(),
  tool_choice: z.union([Choice, NamedChoice]).nullish(),
  n: z.literal(1, "only one choice is possible").nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(10).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
});
type CompletionRequest = z.infer<typeof CompletionRequest>;

/** The request in the form of the `ChatModel` port. */
function toChatRequest(body: CompletionRequest): ChatRequest {
  const { tool_choice: choice, response_format: format } = body;
  // A named choice allows only that tool.
  const named = typeof choice === "object" && choice !== null ? choice.function.name : null;
  const tools = (body.tools ?? []).map((tool) => tool.function).filter(({ name }) => named === null || name === named);
  const tool_choice = typeof choice === "string" ? choice : named === null ? "auto" : "required";
  const isStructured = format && format.type !== "text";
  return compact({
    messages: body.messages.map(toChatMessage),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? tool_choice : undefined,
    format: isStructured ? { name: format.type, schema: {} } : undefined,
    parameters: {
      max_tokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
      seed: body.seed ?? undefined,
      stop: body.stop ?? undefined,
    },
  });
}

function toChatMessage(message: z.infer<typeof Message>): ChatMessage {
  if (message.role === "developer") return { ...message, role: "system" };
  if (message.role === "tool") {
    const { name, ...rest } = message;
    return name === undefined ? rest : { ...rest, name };
  }
  if (message.role !== "assistant") return { role: message.role, content: message.content };
  const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called }));
  return compact({
    role: "assistant",
    content: message.content ?? "",
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}
