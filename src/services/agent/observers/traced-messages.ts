import type { ChatMessage, SuccessfulReply, ToolCall } from "../../../contract/ports/chat-model.ts";

/** A conversation as the text of `gen_ai.input.messages`, in the form OpenTelemetry's conventions ask for. */
export function inputMessages(messages: readonly ChatMessage[]): string {
  return JSON.stringify(messages.map((message) => ({ role: message.role, parts: partsOf(message) })));
}

/** What a model said, as the text of `gen_ai.output.messages`. */
export function outputMessages({
  text,
  tool_calls,
  finish_reason,
}: Pick<SuccessfulReply, "text" | "tool_calls" | "finish_reason">): string {
  return JSON.stringify([{ role: "assistant", parts: saidParts(text, tool_calls), finish_reason }]);
}

function partsOf(message: ChatMessage): readonly object[] {
  if (message.role === "tool") {
    return [{ type: "tool_call_response", id: message.tool_call_id, response: message.content }];
  }
  return saidParts(message.content, message.role === "assistant" ? message.tool_calls : undefined);
}

function saidParts(content: string, calls: readonly ToolCall[] = []): readonly object[] {
  return [
    ...(content === "" ? [] : [{ type: "text", content }]),
    ...calls.map(({ id, name, arguments: text }) => ({ type: "tool_call", id, name, arguments: text })),
  ];
}
