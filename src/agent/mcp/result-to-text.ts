import { z } from "zod";
import { isRecord } from "../../base/json.ts";

const text = z.string().nullish();
const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.unknown() }),
  z.object({ type: z.enum(["image", "audio"]), mimeType: text, data: z.string() }),
  z.object({ type: z.literal("resource_link"), name: text, title: text, uri: text, description: text }),
  z.object({ type: z.literal("resource"), resource: z.object({ uri: text, mimeType: text, text, blob: text }) }),
]);

/**
 * What a tool of an MCP server gave, as text for the model. Pictures and sound become a line that says what was there. By now
 * the call is carried out, so a result that does not follow the protocol is shown as well as it can be.
 */
export function resultToText(result: Readonly<Record<string, unknown>>): string {
  const { content, structuredContent, _meta, isError: _isError, resultType: _resultType, ...rest } = result;
  const parts = (Array.isArray(content) ? content : [content ?? []].flat()).map(toText);
  if (isThere(structuredContent) && !isSaid(structuredContent, parts)) {
    parts.push(toJson(structuredContent));
  }
  if (!isThere(content) && !isThere(structuredContent) && Object.keys(rest).length > 0) parts.push(toJson(rest));
  return parts.join("\n\n") || "The tool gave no content.";
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

function toText(value: unknown): string {
  return typeof value === "string" ? value : (blockToText(value) ?? unknownToText(value));
}

/** null for what is none of the protocol's kinds of content. */
function blockToText(value: unknown): string | null {
  const { success, data: block } = Block.safeParse(value);
  if (!success) return null;
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? block.text : toJson(block.text);
    case "image":
    case "audio":
      return placeholder(block.type, block.mimeType, block.data);
    case "resource_link":
      return `[resource: ${[block.title ?? block.name, block.uri, block.description].filter(Boolean).join(", ")}]`;
    case "resource":
      return resourceToText(block.resource);
  }
}

function resourceToText({
  uri,
  mimeType,
  text,
  blob,
}: Extract<z.infer<typeof Block>, { type: "resource" }>["resource"]) {
  if (isThere(text)) return `[resource: ${uri}]\n${text}`;
  return placeholder("resource", mimeType ?? uri, blob ?? "");
}

function placeholder(kind: string, type: string | null | undefined, base64: string): string {
  const kilobytes = Math.max(1, Math.round((base64.length * 3) / 4 / 1024));
  return `[${[kind, type].filter(Boolean).join(": ")}, ${kilobytes} KB, not shown]`;
}

/** What is short can be of use to a model; what is long is most likely a picture of some kind. */
const longestUnknown = 2000;

function unknownToText(block: unknown): string {
  const json = toJson(block);
  return json.length <= longestUnknown
    ? `[content of an unknown kind]\n${json}`
    : `[content of an unknown kind, ${Math.ceil(json.length / 1024)} KB, not shown]`;
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "[nested too deep to be shown]";
  }
}

/** Names that say nothing of what they hold: a library's, and that of the protocol's own file server. */
const wrappers = new Set(["result", "content"]);

/**
 * Servers repeat structured content as text for older clients. It must be an object: what is none, such as a text or a list, is
 * wrapped into one, and of a list they may say each item by itself. A plain value may need its name to be understood. Others
 * repeat their content as structured content, with every byte of a picture.
 */
function isSaid(structured: unknown, parts: readonly string[]): boolean {
  if (parts.some((part) => isSame(part, structured))) return true;
  if (parts.length === 0 || !isRecord(structured)) return false;
  const [only, other] = Object.entries(structured);
  if (!only || other) return false;
  const [name, result] = only;
  if (!wrappers.has(name) && typeof result !== "object") return false;
  if (parts.some((part) => isSame(part, result))) return true;
  return Array.isArray(result) && result.length === parts.length && parts.every((part, at) => isSame(part, result[at]));
}

function isSame(text: string, value: unknown): boolean {
  if (typeof value === "string") return text === value;
  if (blockToText(value) === text) return true;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
