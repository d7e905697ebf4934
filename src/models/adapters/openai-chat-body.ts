import type { ChatMessage, ChatRequest, ToolCall } from "../../contract/model.ts";

const ownKeys = new Set(["model", "messages", "stream", "stream_options"]);

/** The JSON body of a chat completion. `extra` may set anything except which model is asked what, and whether it streams. */
export function toOpenaiBody(request: ChatRequest, { modelId, stream }: { modelId: string; stream: boolean }): string {
  const { extra = {}, ...sampling } = request.parameters ?? {};
  const allowed = Object.entries(extra).filter(([key]) => !ownKeys.has(key));
  return JSON.stringify({
    ...sampling,
    ...toolFields(request),
    ...(request.format && {
      response_format: {
        type: "json_schema",
        json_schema: { name: request.format.name, schema: request.format.schema, strict: true },
      },
    }),
    ...Object.fromEntries(allowed),
    model: modelId,
    messages: request.messages.map(toOpenaiMessage),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  });
}

function toolFields({ tools, tool_choice }: ChatRequest) {
  // Providers refuse an empty list, and a choice without a list.
  if (!tools || tools.length === 0) return {};
  return { tools: tools.map((tool) => ({ type: "function", function: tool })), ...(tool_choice && { tool_choice }) };
}

function toOpenaiMessage(message: ChatMessage) {
  if (message.role === "tool") {
    const { role, content, tool_call_id, name } = message;
    return { role, tool_call_id, content, ...(name !== undefined && { name }) };
  }
  if (message.role === "assistant" && message.tool_calls && message.tool_calls.length > 0) {
    return {
      role: "assistant",
      content: message.content || null,
      tool_calls: message.tool_calls.map(toOpenaiToolCall),
    };
  }
  return { role: message.role, content: message.content };
}

function toOpenaiToolCall(call: ToolCall) {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}
