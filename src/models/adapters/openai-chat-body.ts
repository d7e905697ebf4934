import type { ChatMessage, ChatRequest, ToolCall, ToolDefinition, UserPart } from "../../contract/model.ts";
import { echoFor, messageEcho } from "./call-echo.ts";
import type { BodyOptions } from "./http-chat-model.ts";
import { newerLimitName } from "./token-limit.ts";

const ownKeys = new Set(["model", "messages", "stream", "stream_options"]);

/** The JSON body of a chat completion. `extra` may set anything except which model is asked what, and whether it streams. */
export function toOpenaiBody(
  request: ChatRequest,
  { modelId, stream, streamUsage, newerLimit, source }: BodyOptions,
): string {
  const { extra = {}, parallel_tool_calls, max_tokens, ...sampling } = request.parameters ?? {};
  const allowed = Object.entries(extra).filter(([key]) => !ownKeys.has(key));
  // Providers refuse an empty list, and a choice without a list.
  const tools = request.tools && request.tools.length > 0 ? request.tools : null;
  const body = JSON.stringify({
    ...sampling,
    [newerLimit ? newerLimitName : "max_tokens"]: max_tokens,
    ...(tools && request.tool_choice && { tool_choice: request.tool_choice }),
    ...(tools && { parallel_tool_calls }),
    ...(request.format && {
      response_format: {
        type: "json_schema",
        json_schema: { name: request.format.name, schema: request.format.schema, strict: true },
      },
    }),
    ...Object.fromEntries(allowed),
    model: modelId,
    messages: request.messages.map((message) => toOpenaiMessage(message, source)),
    ...(stream && { stream: true, ...(streamUsage && { stream_options: { include_usage: true } }) }),
  });
  if (!tools || "tools" in extra) return body;
  return `${body.slice(0, -1)},"tools":[${tools.map(toolText).join(",")}]}`;
}

const toolTexts = new WeakMap<ToolDefinition, string>();

/** Kept, since an agent offers the same tools at every step of every turn, and they are most of a short request. */
function toolText(tool: ToolDefinition): string {
  const known = toolTexts.get(tool);
  if (known !== undefined) return known;
  const text = JSON.stringify({ type: "function", function: tool });
  toolTexts.set(tool, text);
  return text;
}

function toOpenaiMessage(message: ChatMessage, source: string) {
  if (message.role === "tool") {
    const { role, content, tool_call_id, name } = message;
    return { role, tool_call_id, content, ...(name !== undefined && { name }) };
  }
  const { role, content, name } = message;
  if (role === "assistant" && message.tool_calls && message.tool_calls.length > 0) {
    return {
      role,
      name,
      content: content || null,
      ...messageEcho(message.tool_calls, source),
      tool_calls: message.tool_calls.map((call) => toOpenaiToolCall(call, source)),
    };
  }
  return { role, name, content: role === "user" && message.parts ? message.parts.map(toOpenaiPart) : content };
}

function toOpenaiPart(part: UserPart) {
  if (part.type === "text") return part;
  const { url, detail } = part;
  return { type: "image_url", image_url: { url, ...(detail !== undefined && { detail }) } };
}

function toOpenaiToolCall(call: ToolCall, source: string) {
  const { id, name, arguments: text } = call;
  return { id, type: "function", function: { name, arguments: text }, ...echoFor(call, source)?.call };
}
