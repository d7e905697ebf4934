import { z } from "zod";
import { ModelId, ThreadId } from "../shared/request-headers.ts";
import { OpenAiReplyText, OpenAiText, OpenAiUserContent } from "./openai-text.ts";

const isMessage = z.literal("message").optional();
const InputMessage = z.discriminatedUnion("role", [
  z.object({ type: isMessage, role: z.literal("user"), content: OpenAiUserContent }),
  z.object({ type: isMessage, role: z.enum(["assistant", "system", "developer"]), content: OpenAiReplyText }),
]);

/** One item of a conversation; items of `output` are accepted as well. Reasoning is sent only to the model it came from. */
export const ResponseInputItem = z
  .discriminatedUnion("type", [
    InputMessage,
    z.object({ type: z.literal("function_call"), call_id: z.string(), name: z.string(), arguments: z.string() }),
    z.object({ type: z.literal("function_call_output"), call_id: z.string(), output: OpenAiText }),
    z.object({ type: z.literal("reasoning"), encrypted_content: z.string().nullish() }),
    z
      .object({ type: z.literal("item_reference"), id: z.string().max(300) })
      .describe("An item of the output of a stored response."),
  ])
  .meta({ id: "ResponseInputItem" });
export type ResponseInputItem = z.infer<typeof ResponseInputItem>;

export const ResponseTool = z
  .object({
    type: z.literal("function", 'must be "function": other kinds of tools are not supported'),
    name: z.string().regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, _ and -"),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  })
  .meta({ id: "ResponseTool" });
export type ResponseTool = z.infer<typeof ResponseTool>;

const NamedTool = z.object({ type: z.literal("function"), name: z.string() });
const ResponseToolChoice = z.union([
  z.enum(["auto", "none", "required"]),
  z.discriminatedUnion("type", [
    NamedTool,
    z.object({
      type: z.literal("allowed_tools"),
      mode: z.enum(["auto", "required"]),
      tools: z.array(NamedTool).min(1),
    }),
  ]),
]);

/** The format of the reply. `format` may be a JSON Schema. */
const ResponseText = z.looseObject({
  format: z.looseObject({ type: z.string() }).nullish(),
  verbosity: z.string().nullish(),
});

/** Fields with the same name and meaning in chat completions. */
export const fieldsSharedWithChat = {
  service_tier: z.string().nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
};

/** Body of POST /v1/responses. Other fields are ignored. */
export const ResponseRequest = z
  .object({
    model: ModelId.optional().describe("The model, as in x-model-id. Default: the header's."),
    input: z.union([z.string(), z.array(ResponseInputItem).min(1)]),
    instructions: z.string().nullish(),
    stream: z.boolean().nullish(),
    tools: z.array(ResponseTool).nullish(),
    tool_choice: ResponseToolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish().describe("Forwarded to the provider when the request has tools."),
    temperature: z.number().nullish(),
    top_p: z.number().nullish(),
    max_output_tokens: z.int().min(1).nullish(),
    text: ResponseText.nullish().describe("Forwarded to the provider."),
    reasoning: z
      .looseObject({ effort: z.string().nullish() })
      .nullish()
      .describe("`effort` is forwarded to the provider."),
    include: z.array(z.string()).nullish().describe("`message.output_text.logprobs` requests log probabilities."),
    top_logprobs: z.int().nullish(),
    ...fieldsSharedWithChat,
    metadata: z.record(z.string(), z.string()).nullish(),
    max_tool_calls: z.null("is not supported: list the allowed tools in x-agent-tools instead").optional(),
    conversation: z
      .union([ThreadId, z.object({ id: ThreadId })])
      .nullish()
      .describe("A thread, as in x-thread-id: `input` then contains only the new items."),
    prompt: z.null("is not supported: send its text as instructions").optional(),
    previous_response_id: z
      .string()
      .max(300)
      .nullish()
      .describe("The stored response that this one continues: `input` then contains only the new items."),
    background: z
      .boolean()
      .nullish()
      .describe("`true` answers at once; read the response with GET /v1/responses/{response_id}."),
    store: z
      .boolean()
      .nullish()
      .describe("`false` stores nothing. Default: the response can be continued, read and deleted by its id."),
  })
  .meta({ id: "ResponseRequest" });
export type ResponseRequest = z.infer<typeof ResponseRequest>;

const OutputText = z.object({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()),
});
const Refusal = z.object({ type: z.literal("refusal"), refusal: z.string() });

export const ResponseOutputItem = z
  .discriminatedUnion("type", [
    z
      .object({
        type: z.literal("reasoning"),
        id: z.string(),
        summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
        encrypted_content: z
          .string()
          .exactOptional()
          .describe("Opaque data of the provider. Send it back unchanged with the calls that follow."),
        status: z.enum(["in_progress", "completed"]),
      })
      .describe("The model's reasoning, if its provider reports it."),
    z.object({
      type: z.literal("message"),
      id: z.string(),
      role: z.literal("assistant"),
      status: z.enum(["in_progress", "completed"]),
      content: z.array(z.union([OutputText, Refusal])),
    }),
    z.object({
      type: z.literal("function_call"),
      id: z.string(),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
      status: z.enum(["in_progress", "completed"]),
    }),
  ])
  .meta({ id: "ResponseOutputItem" });
export type ResponseOutputItem = z.infer<typeof ResponseOutputItem>;

export const ResponseBody = z
  .object({
    id: z.string(),
    object: z.literal("response"),
    created_at: z.int(),
    status: z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.string() }).nullable(),
    instructions: z.string().nullable(),
    max_output_tokens: z.int().nullable(),
    metadata: z.record(z.string(), z.string()),
    model: z.string(),
    output: z.array(ResponseOutputItem),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.string().nullable(),
    conversation: z.object({ id: z.string() }).nullable(),
    background: z.boolean(),
    store: z.boolean(),
    temperature: z.number().nullable(),
    tool_choice: z.unknown(),
    tools: z.array(z.unknown()),
    top_p: z.number().nullable(),
    usage: z
      .object({
        input_tokens: z.int(),
        input_tokens_details: z.object({ cached_tokens: z.int() }),
        output_tokens: z.int(),
        output_tokens_details: z.object({ reasoning_tokens: z.int() }),
        total_tokens: z.int(),
      })
      .nullable(),
  })
  .meta({ id: "ResponseBody" });
export type ResponseBody = z.infer<typeof ResponseBody>;

/** The answer to DELETE /v1/responses/{response_id}. */
export const DeletedResponse = z
  .object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) })
  .meta({ id: "DeletedResponse" });
