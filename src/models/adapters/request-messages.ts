import { truncateText } from "../../base/text.ts";
import type { ChatMessage, ChatRequest, ToolCall, ToolDefinition } from "../../contract/ports/chat-model.ts";

type ToolMessage = Extract<ChatMessage, { role: "tool" }>;

/**
 * The tool calls that are answered right after the message that made them, with those answers. Stricter providers refuse a
 * conversation with an unanswered call or a result without a call; those are sent to them as text.
 */
export function toolExchanges(messages: readonly ChatMessage[]): ReadonlySet<ToolCall | ChatMessage> {
  const paired = new Set<ToolCall | ChatMessage>();
  let open = new Map<string, ToolCall>();
  for (const message of messages) {
    if (message.role === "assistant") open = new Map(message.tool_calls?.map((call) => [call.id, call]));
    else if (message.role !== "tool") open = new Map();
    else {
      const call = open.get(message.tool_call_id);
      if (!call) continue;
      paired.add(call).add(message);
      open.delete(message.tool_call_id);
    }
  }
  return paired;
}

export function callAsText({ name, arguments: text }: ToolCall): string {
  return `[Called the tool ${name} with ${text}]`;
}

export function resultAsText({ name, content }: ToolMessage): string {
  return `[The tool${name === undefined ? "" : ` ${name}`} answered: ${content}]`;
}

/** Replaces an empty text: without it, two messages of the same role would follow each other. */
export const emptyMessageText = "(empty message)";

/** The same request without empty messages. */
export function withFilledMessages(request: ChatRequest): ChatRequest {
  return { ...request, messages: request.messages.map(fill) };
}

function fill(message: ChatMessage): ChatMessage {
  if (message.role !== "user" && message.role !== "assistant") return message;
  const hasText = message.content.trim() !== "";
  const hasMore = message.role === "user" ? message.parts : message.tool_calls?.length;
  return hasText || hasMore ? message : { ...message, content: emptyMessageText };
}

/** The same request with an assistant message between a tool's result and the next user or system message. */
export function withClosedTurns(request: ChatRequest): ChatRequest {
  return { ...request, messages: request.messages.flatMap((message, at, all) => closeMessage(message, all[at + 1])) };
}

function closeMessage(message: ChatMessage, next: ChatMessage | undefined): readonly ChatMessage[] {
  const isOpen = message.role === "tool" && (next?.role === "user" || next?.role === "system");
  return isOpen ? [message, { role: "assistant", content: emptyMessageText }] : [message];
}

/** The limit of Azure, and of OpenAI for older models. */
const longestDescription = 1024;

/** The same request with long tool descriptions cut. */
export function withShortDescriptions(request: ChatRequest): ChatRequest {
  return request.tools ? { ...request, tools: request.tools.map(shortenName) } : request;
}

/** An unchanged tool stays the same object, because its JSON text is cached by object. */
function shortenName(tool: ToolDefinition): ToolDefinition {
  const { description } = tool;
  if (description.length <= longestDescription) return tool;
  return { ...tool, description: truncateText(description, longestDescription - 1) };
}
