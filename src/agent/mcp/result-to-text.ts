import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";

/** What a tool of an MCP server gave, as text for the model. Pictures and sound become a line that says what was there. */
export function resultToText({
  content,
  structuredContent,
}: Pick<CallToolResult, "content" | "structuredContent">): string {
  const parts = content.map(toText);
  if (structuredContent !== undefined && !parts.some((part) => isSameJson(part, structuredContent))) {
    parts.push(JSON.stringify(structuredContent));
  }
  return parts.join("\n\n") || "The tool gave no content.";
}

function toText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return placeholder(block.type, block.mimeType, block.data);
    case "resource_link":
      return `[resource: ${[block.title ?? block.name, block.uri, block.description].filter(Boolean).join(", ")}]`;
    case "resource":
      if ("text" in block.resource) return `[resource: ${block.resource.uri}]\n${block.resource.text}`;
      return placeholder("resource", block.resource.mimeType ?? block.resource.uri, block.resource.blob);
    default:
      return "[content of an unknown kind, not shown]";
  }
}

function placeholder(kind: string, type: string, base64: string): string {
  const kilobytes = Math.max(1, Math.round((base64.length * 3) / 4 / 1024));
  return `[${kind}: ${type}, ${kilobytes} KB, not shown]`;
}

/** Servers repeat structured content as text for older clients. */
function isSameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
