import { firstCharacters } from "../../base/text.ts";
import type { ChatRequest, ToolDefinition } from "../../contract/ports/chat-model.ts";

/** Of a tool, at servers that refuse longer ones: Azure, and OpenAI for older models. */
const longest = 1024;

/** The same request, with no more than the beginning of a long description. */
export function withShortDescriptions(request: ChatRequest): ChatRequest {
  return request.tools ? { ...request, tools: request.tools.map(shorten) } : request;
}

/** A tool that need not be changed stays the same one: its text is kept. */
function shorten(tool: ToolDefinition): ToolDefinition {
  const { description } = tool;
  return description.length <= longest ? tool : { ...tool, description: firstCharacters(description, longest - 1) };
}
