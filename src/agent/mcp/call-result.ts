import { compact } from "../../base/compact.ts";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import { isRecord } from "../../base/json.ts";
import type { NormalizeResult } from "./normalize-results.ts";

/** The result of a call. */
export interface CallResult {
  /** Written for the model. */
  readonly text: string;
  readonly isError: boolean;
}

/** Reduces a result to its text, so that the library accepts it whatever the server sent. */
export const toTextResult: NormalizeResult = (result) => {
  const { resultType } = result;
  // Other types of results carry no content; they ask for input.
  if (resultType !== undefined && resultType !== "complete") return result;
  return compact({
    resultType,
    content: [{ type: "text", text: resultToText(result) }],
    isError: result["isError"] === true,
  });
};

export function fromTextResult({ content, isError }: CallToolResult): CallResult {
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    isError: isError === true,
  };
}

const text = z.string().nullish();
const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.unknown() }),
  z.object({ type: z.enum(["image", "audio"]), mimeType: text, data: z.string() }),
  z.object({ type: z.literal("resource_link"), name: text, title: text, uri: text, description: text }),
  z.object({ type: z.literal("resource"), resource: z.object({ uri: text, mimeType: text, text, blob: text }) }),
]);

/**
 * The result of an MCP tool as text for the model. Pictures and sound become a placeholder line. The call has been carried out, so a
 * result that violates the protocol is shown as well as possible.
 */
export function resultToText(result: Readonly<Record<string, unknown>>): string {
  const { content, structuredContent, _meta, isError: _isError, resultType: _resultType, ...rest } = result;
  const parts = (Array.isArray(content) ? content : [content ?? []].flat()).map(toContentText);
  if (isPresent(structuredContent) && !isRepeatedText(structuredContent, parts)) {
    parts.push(toJson(structuredContent));
  }
  if (!isPresent(content) && !isPresent(structuredContent) && Object.keys(rest).length > 0) parts.push(toJson(rest));
  return parts.join("\n\n") || "The tool gave no content.";
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

function toContentText(value: unknown): string {
  return typeof value === "string" ? value : (blockToText(value) ?? unknownToText(value));
}

/** null for content of an unknown type. */
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
  if (isPresent(text)) return `[resource: ${uri}]\n${text}`;
  return placeholder("resource", mimeType ?? uri, blob ?? "");
}

function placeholder(kind: string, type: string | null | undefined, base64: string): string {
  const kilobytes = Math.max(1, Math.round((base64.length * 3) / 4 / 1024));
  return `[${[kind, type].filter(Boolean).join(": ")}, ${kilobytes} KB, not shown]`;
}

/** Short unknown content may be useful to a model; long content is probably binary. */
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

/** Property names without meaning: used by a library, and by the reference file server. */
const wrappers = new Set(["result", "content"]);

/**
 * True when the text already contains the structured content. Servers repeat it as text for older clients. It must be an object, so a
 * text or a list is wrapped into one, and a list may be repeated item by item. A plain value may need its property name to be
 * understood. Other servers repeat their content as structured content, with every byte of a picture.
 */
function isRepeatedText(structured: unknown, parts: readonly string[]): boolean {
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
