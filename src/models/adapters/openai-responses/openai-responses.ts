import { compact } from "../../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import {
  moveNameIntoText,
  type ChatMessage,
  type ChatRequest,
  type ToolCall,
  type ToolDefinition,
  type UserPart,
} from "../../../contract/ports/chat-model.ts";
import type { BodyOptions, ChatProtocol } from "../http-chat-model.ts";
import { messageMetadata } from "../opaque-metadata.ts";
import { explainOpenaiFailure } from "../openai-error.ts";
import { tokenLimit } from "../quirks.ts";
import { callAsText, resultAsText, toolExchanges } from "../request-messages.ts";
import { collectResponsesStream, parseResponsesReply } from "./reply.ts";

export const openaiResponses: ChatProtocol = {
  headers: {},
  afterParameter: "after",
  toBody: toResponsesBody,
  explainFailure: explainOpenaiFailure,
  parseReply: parseResponsesReply,
  collectStream: collectResponsesStream,
};

const ownKeys = new Set(["model", "input", "stream", "stream_options"]);

/**
 * The JSON body of a request to the responses API. `extra` may set any field except the model, the input and streaming. The
 * API refuses unknown fields such as `seed` and `stop`, so they are not sent.
 */
function toResponsesBody(request: ChatRequest, { modelId, stream, source, quirks }: BodyOptions): string {
  const { parameters = {} } = request;
  const { extra = {}, temperature, top_p } = parameters;
  const { text, include, ...allowed } = toResponsesFields(
    Object.fromEntries(Object.entries(extra).filter(([key]) => !ownKeys.has(key))),
  );
  const sealed = !quirks.has("no_reasoning_items");
  const messages = request.messages.map(moveNameIntoText);
  const instructions = messages.flatMap((message) => (message.role === "system" ? [message.content] : []));
  return JSON.stringify({
    temperature,
    top_p,
    max_output_tokens: tokenLimit(parameters),
    // The provider would store the conversation by default.
    store: false,
    instructions: instructions.length > 0 ? instructions.join("\n\n") : undefined,
    ...toolFields(request),
    ...includeField(include, { sealed: sealed && quirks.has("thinks") && Boolean(request.tools?.length) }),
    ...allowed,
    ...((request.format || text !== undefined) && { text: textField(request, text) }),
    model: modelId,
    input: toInput(messages, sealed ? source : null),
    ...(stream && { stream: true }),
  });
}

/** The `include` field. `sealed`: also requests the encrypted reasoning, which is sent back with the tool calls. */
function includeField(asked: unknown, { sealed }: { sealed: boolean }): JsonRecord {
  if (!sealed) return asked === undefined ? {} : { include: asked };
  return { include: [...new Set([...(Array.isArray(asked) ? asked : []), "reasoning.encrypted_content"])] };
}

function textField({ format }: ChatRequest, extra: unknown): unknown {
  if (!format) return extra;
  const asked = { type: "json_schema", name: format.name, schema: format.schema, strict: true };
  return { format: asked, ...(isRecord(extra) && extra) };
}

function toolFields({ tools, tool_choice, parameters }: ChatRequest) {
  if (!tools || tools.length === 0) return {};
  return compact({
    // Strict is the API's default and refuses schemas with optional fields.
    parallel_tool_calls: parameters?.parallel_tool_calls,
    tools: tools.map(toResponsesTool),
    tool_choice: tool_choice || undefined,
  });
}

function toResponsesTool({ name, description, parameters, strict = false }: ToolDefinition) {
  return { type: "function", name, description, parameters, strict };
}

/** `source`: the model that gets its reasoning items back. Null: none are sent. */
function toInput(messages: readonly ChatMessage[], source: string | null): readonly object[] {
  const paired = toolExchanges(messages);
  return messages.flatMap((message): readonly object[] => {
    if (message.role === "system") return [];
    if (message.role === "assistant") {
      const { content, tool_calls = [] } = message;
      return [...reasoningBefore(tool_calls, { paired, source }), ...assistantItems(content, tool_calls, paired)];
    }
    if (message.role === "user") return [{ role: "user", content: message.parts?.map(toInputPart) ?? message.content }];
    return paired.has(message)
      ? [{ type: "function_call_output", call_id: message.tool_call_id, output: message.content }]
      : [{ role: "user", content: resultAsText(message) }];
  });
}

/**
 * The reasoning items before these calls. None without a call: the API refuses reasoning that leads to nothing. Items come from
 * clients, so other types are dropped.
 */
function reasoningBefore(
  calls: readonly ToolCall[],
  { paired, source }: { paired: ReadonlySet<unknown>; source: string | null },
): readonly object[] {
  if (source === null || !calls.some((call) => paired.has(call))) return [];
  const { reasoning_items: items } = messageMetadata(calls, { source });
  return Array.isArray(items) ? items.filter((item) => isRecord(item) && item["type"] === "reasoning") : [];
}

function toInputPart(part: UserPart) {
  if (part.type === "text") return { type: "input_text", text: part.text };
  return { type: "input_image", image_url: part.url, detail: part.detail ?? "auto" };
}

function assistantItems(content: string, calls: readonly ToolCall[], paired: ReadonlySet<unknown>): readonly object[] {
  const alone = calls.filter((call) => !paired.has(call)).map(callAsText);
  const text = [content, ...alone].filter((part) => part !== "").join("\n");
  const made = calls.filter((call) => paired.has(call));
  return [
    ...(text !== "" || made.length === 0 ? [{ role: "assistant", content: text }] : []),
    ...made.map((call) => ({
      type: "function_call",
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
  ];
}

/** Fields of chat completions without a counterpart. The API refuses unknown fields. */
const unknownThere = new Set([
  "messages",
  "max_tokens",
  "max_completion_tokens",
  "n",
  "seed",
  "stop",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "functions",
  "function_call",
  "modalities",
  "audio",
  "prediction",
  "web_search_options",
]);

const withLogprobs = "message.output_text.logprobs";

/**
 * Translates fields of a chat completion where the responses API has a counterpart: callers of our chat endpoint and runs with
 * another protocol use `reasoning_effort`. Fields in the API's own terms take precedence.
 */
function toResponsesFields(fields: JsonRecord): JsonRecord {
  const { reasoning_effort, verbosity, response_format, logprobs, reasoning, text, include, ...rest } = fields;
  const known = Object.entries(rest).filter(([name]) => !unknownThere.has(name));
  return {
    ...Object.fromEntries(known),
    ...joinedInput("reasoning", { effort: reasoning_effort }, reasoning),
    ...joinedInput("text", { verbosity, format: toTextFormat(response_format) }, text),
    ...(logprobs === true ? { include: included(include) } : include !== undefined && { include }),
  };
}

/** A field merged from both spellings; absent without either. */
function joinedInput(name: string, translated: JsonRecord, own: unknown): JsonRecord {
  if (own !== undefined && !isRecord(own)) return { [name]: own };
  const said = Object.entries(translated).filter(([, value]) => value !== undefined && value !== null);
  return said.length === 0 && own === undefined ? {} : { [name]: { ...Object.fromEntries(said), ...own } };
}

/** Chat completions nest the schema of a format in `json_schema`; this API does not. */
function toTextFormat(format: unknown): unknown {
  if (!isRecord(format) || !isRecord(format["json_schema"])) return format;
  const { json_schema, ...rest } = format;
  return { ...rest, ...json_schema };
}

function included(include: unknown): readonly unknown[] {
  return [...new Set([...(Array.isArray(include) ? include : []), withLogprobs])];
}
