import { compact } from "../../../base/compact.ts";
import { createHash } from "node:crypto";
import type { JsonRecord } from "../../../base/json.ts";
import {
  splitAtMarks,
  type ChatMessage,
  type ChatRequest,
  type ToolCall,
  type ToolDefinition,
  type UserPart,
} from "../../../contract/ports/chat-model.ts";
import type { BodyOptions, ChatProtocol } from "../http-chat-model.ts";
import { callMetadata, messageMetadata, type MetadataTarget } from "../opaque-metadata.ts";
import { explainOpenaiFailure } from "../openai-error.ts";
import { newerLimitName } from "../quirks.ts";
import { parseOpenaiReply } from "./reply.ts";
import { collectOpenaiStream } from "./stream.ts";

export const openaiChat: ChatProtocol = {
  headers: {},
  afterParameter: "after",
  toBody: toOpenaiBody,
  explainFailure: explainOpenaiFailure,
  parseReply: parseOpenaiReply,
  collectStream: collectOpenaiStream,
};

const ownKeys = new Set(["model", "messages", "stream", "stream_options"]);

/** The JSON body of a chat completion. `extra` may set any field except the model, the messages and streaming. */
function toOpenaiBody(request: ChatRequest, { modelId, stream, source, quirks }: BodyOptions): string {
  const marked = !quirks.has("no_cache_control");
  const target = {
    source,
    ownOnly: quirks.has("no_foreign_metadata"),
    marked,
    reasoning: !quirks.has("no_reasoning"),
    shortIds: quirks.has("short_call_ids"),
    noReasoning: quirks.has("reasoning_required") ? { reasoning_content: "" } : {},
  };
  const { extra = {}, parallel_tool_calls, max_tokens, ...sampling } = request.parameters ?? {};
  const allowed = Object.entries(extra).filter(([key]) => !ownKeys.has(key));
  // Providers refuse an empty list, and a choice without a list.
  const tools = request.tools && request.tools.length > 0 ? request.tools : null;
  const body = JSON.stringify(
    compact({
      ...sampling,
      [quirks.has("newer_token_limit") ? newerLimitName : "max_tokens"]: max_tokens,
      tool_choice: tools && request.tool_choice ? request.tool_choice : undefined,
      parallel_tool_calls: tools ? parallel_tool_calls : undefined,
      response_format: request.format
        ? {
            type: "json_schema",
            json_schema: { name: request.format.name, schema: request.format.schema, strict: true },
          }
        : undefined,
      ...Object.fromEntries(allowed),
      model: modelId,
      messages: request.messages.map((message) => toOpenaiMessage(message, target)),
      ...(stream &&
        compact({
          stream: true,
          stream_options: !quirks.has("no_stream_usage") ? { include_usage: true } : undefined,
        })),
    }),
  );
  if (!tools || "tools" in extra) return body;
  return `${body.slice(0, -1)},"tools":[${tools.map((tool) => toolText(tool, { marked })).join(",")}]}`;
}

const toolTexts = new WeakMap<ToolDefinition, string>();

/** Cached: an agent offers the same tools at every step, and they are most of a short request. */
function toolText(tool: ToolDefinition, { marked }: { marked: boolean }): string {
  const known = toolTexts.get(tool);
  if (known !== undefined) return known;
  if (tool.cache_control) {
    const { cache_control, ...unmarked } = tool;
    return JSON.stringify(
      compact({ type: "function", function: unmarked, cache_control: marked ? cache_control : undefined }),
    );
  }
  const text = JSON.stringify({ type: "function", function: tool });
  toolTexts.set(tool, text);
  return text;
}

interface MessageTarget extends MetadataTarget {
  /** True when it accepts cache marks. */
  readonly marked: boolean;
  /** True when it accepts the field `reasoning`. */
  readonly reasoning: boolean;
  /** True when call ids must have the form that every server accepts. */
  readonly shortIds: boolean;
  /** The fields of a reply whose reasoning is unknown. */
  readonly noReasoning: JsonRecord;
}

function toOpenaiMessage(message: ChatMessage, target: MessageTarget) {
  const content = toContent(message, target);
  if (message.role === "tool") {
    const { role, name } = message;
    const tool_call_id = toCallId(message.tool_call_id, target);
    return compact({ role, tool_call_id, content, name });
  }
  const { role, name } = message;
  if (role === "assistant" && message.tool_calls && message.tool_calls.length > 0) {
    const { reasoning, think, ...echo } = messageMetadata(message.tool_calls, target);
    return {
      role,
      name,
      content: (typeof think === "string" ? withThought(think, message.content) : content) || null,
      ...target.noReasoning,
      ...echo,
      ...(target.reasoning && { reasoning }),
      tool_calls: message.tool_calls.map((call) => toOpenaiToolCall(call, target)),
    };
  }
  return { role, name, content, ...(role === "assistant" && target.noReasoning) };
}

/** The reasoning as the server wrote it: as part of the text. */
function withThought(think: string, said: string): string {
  return `<think>${think}</think>\n\n${said}`;
}

/** A text, or parts where there are pictures or cache marks. */
function toContent(message: ChatMessage, { marked }: MessageTarget) {
  if (message.role === "user" && message.parts) return message.parts.map((part) => toOpenaiPart(part, marked));
  const { content, cache_marks } = message;
  if (!marked || !cache_marks || content.trim() === "") return content;
  return splitAtMarks(content, cache_marks).map((part) => ({ type: "text", ...part }));
}

function toOpenaiPart(part: UserPart, marked: boolean) {
  const { cache_control } = part;
  const mark = marked && cache_control ? { cache_control } : {};
  if (part.type === "text") return { type: part.type, text: part.text, ...mark };
  const { url, detail } = part;
  return { type: "image_url", image_url: compact({ url, detail }), ...mark };
}

function toOpenaiToolCall(call: ToolCall, target: MessageTarget) {
  const { name, arguments: text } = call;
  return {
    id: toCallId(call.id, target),
    type: "function",
    function: { name, arguments: text },
    ...callMetadata(call, target)?.call,
  };
}

function toCallId(id: string, { shortIds }: MessageTarget): string {
  return shortIds ? shortId(id) : id;
}

/** Nine letters and digits, the only form that Mistral accepts. Equal ids stay equal; a fitting id is kept. */
function shortId(id: string): string {
  return /^[a-z\d]{9}$/i.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}
