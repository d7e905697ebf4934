import { z } from "zod";
import { ModelId } from "../shared/request-headers.ts";
import { cache_control, OpenAiReplyText, OpenAiText, OpenAiUserContent } from "./openai-text.ts";

/** Opaque data that providers expect back with the tool calls they made. Passed through unchanged in both directions. */
export const opaqueFields = {
  reasoning_content: z.string().nullish(),
  reasoning_details: z.array(z.unknown()).nullish(),
  thinking: z.array(z.unknown()).nullish(),
};

const OpenAiToolCall = z
  .object({
    id: z.string(),
    type: z.literal("function"),
    function: z.object({ name: z.string(), arguments: z.string() }),
    extra_content: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe("Opaque data of the provider. Send it back unchanged with the call."),
  })
  .meta({ id: "OpenAiToolCall" });

const name = z.string().nullish().describe("Distinguishes speakers of one role.");

export const OpenAiMessage = z
  .discriminatedUnion("role", [
    z.object({ role: z.enum(["system", "developer"]), content: OpenAiText, name, cache_control }),
    z.object({ role: z.literal("user"), content: OpenAiUserContent, name, cache_control }),
    z.object({
      role: z.literal("assistant"),
      name,
      content: OpenAiReplyText.nullish(),
      refusal: z.string().nullish(),
      tool_calls: z.array(OpenAiToolCall).nullish(),
      ...opaqueFields,
      cache_control,
    }),
    z.object({ role: z.literal("tool"), content: OpenAiText, tool_call_id: z.string(), cache_control }),
  ])
  .meta({ id: "OpenAiMessage" });
export type OpenAiMessage = z.infer<typeof OpenAiMessage>;

const OpenAiTool = z
  .object({
    type: z.literal("function", 'must be "function": other kinds of tools are not supported'),
    function: z.object({
      name: z.string().regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, _ and -"),
      description: z.string().nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
      cache_control,
    }),
    cache_control,
  })
  .meta({ id: "OpenAiTool" });

const NamedTool = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });

/** Applies to the first model call only, or a run could never end. `allowed_tools` applies to all calls. */
const OpenAiToolChoice = z.union([
  z.enum(["auto", "none", "required"]),
  z.discriminatedUnion("type", [
    NamedTool,
    z.object({
      type: z.literal("allowed_tools"),
      allowed_tools: z.object({ mode: z.enum(["auto", "required"]), tools: z.array(NamedTool).min(1) }),
    }),
  ]),
]);

/** Body of POST /v1/chat/completions. Other fields are forwarded to the model's provider, except `store` and `metadata`. */
export const ChatCompletionRequest = z
  .looseObject({
    model: ModelId.optional().describe("The model, as in x-model-id. Default: the header's."),
    messages: z.array(OpenAiMessage).min(1),
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    tools: z.array(OpenAiTool).nullish().describe("The client's own tools. Calls to them are returned to the client."),
    tool_choice: OpenAiToolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish().describe("Forwarded to the provider when the request has tools."),
    n: z.literal(1, "must be 1: the agent gives one answer").nullish(),
    temperature: z.number().nullish(),
    top_p: z.number().nullish(),
    max_tokens: z.int().min(1).nullish(),
    seed: z.int().nullish(),
    stop: z.union([z.string(), z.array(z.string())]).nullish(),
    functions: z.null("is no longer supported: send tools instead").optional(),
  })
  .meta({ id: "ChatCompletionRequest" });
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;

export const CompletionUsage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z
      .object({ cached_tokens: z.int().exactOptional(), cache_write_tokens: z.int().exactOptional() })
      .optional()
      .describe("Present when the provider reports them."),
    completion_tokens_details: z
      .object({ reasoning_tokens: z.int() })
      .optional()
      .describe("Present when the provider reports them."),
  })
  .meta({ id: "CompletionUsage" });
export type CompletionUsage = z.infer<typeof CompletionUsage>;

export const ChatCompletion = z
  .object({
    id: z.string(),
    object: z.literal("chat.completion"),
    created: z.int(),
    model: z.string().describe("The model that answered, as in x-model-resolved."),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({
          role: z.literal("assistant"),
          content: z.string().nullable(),
          refusal: z.string().nullable(),
          tool_calls: z.array(OpenAiToolCall).optional(),
          ...opaqueFields,
          reasoning_content: z.string().optional().describe("The model's reasoning, if its provider reports it."),
        }),
        logprobs: z.record(z.string(), z.unknown()).nullable(),
        finish_reason: z.enum(["stop", "length", "tool_calls", "content_filter"]),
      }),
    ),
    usage: CompletionUsage.optional().describe(
      "Sum over all model calls of the run; absent when a provider did not report the tokens of one.",
    ),
    system_fingerprint: z.string().nullable(),
    metadata: z.record(z.string(), z.json()).optional().describe("Labels that the model attached to its reply."),
  })
  .meta({ id: "ChatCompletion" });
export type ChatCompletion = z.infer<typeof ChatCompletion>;
