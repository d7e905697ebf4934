import { randomUUID } from "node:crypto";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { ToolCall } from "../../../contract/ports/chat-model.ts";
import { nonEmptyString, plainRecord } from "./json-values.ts";

/** The text of a message: a string, or its text blocks. Null when there is none. */
export function contentText(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((block) => blockText(block) ?? []);
  return texts.length === 0 ? null : texts.join("");
}

/** The text of the thinking blocks of Mistral and Claude. */
export function thinkingText(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .filter((block) => isRecord(block) && block["type"] === "thinking")
    .map(({ thinking }) => contentText(thinking) ?? "")
    .join("");
}

/** True for a message, or a chunk of one, that Gemini marks as reasoning. */
export function isMarkedAsThought({ extra_content }: JsonRecord): boolean {
  const google = isRecord(extra_content) ? extra_content["google"] : null;
  return isRecord(google) && google["thought"] === true;
}

/** The text of a refusal: its own field, or a block of the content. */
export function refusalText(message: JsonRecord): string | null {
  const own = nonEmptyString(message["refusal"]);
  if (own !== null || !Array.isArray(message["content"])) return own;
  const block = message["content"].find((candidate) => isRecord(candidate) && candidate["type"] === "refusal");
  return nonEmptyString(block?.["refusal"]);
}

/** The tool calls of a message, in the current or the legacy field. Missing and repeated ids are replaced. */
export function messageToolCalls(message: JsonRecord): readonly ToolCall[] {
  const calls = callList(message["tool_calls"]);
  if (calls.length > 0) return withUniqueIds(calls.map(toListedCall));
  const legacy = legacyCall(message);
  return legacy ? withUniqueIds([toListedCall({ function: legacy })]) : [];
}

/** A call in the legacy field. Snowflake sends an empty one with every reply, which is ignored. */
export function legacyCall({ function_call: call }: JsonRecord): JsonRecord | null {
  return isRecord(call) && (call["name"] || call["arguments"]) ? call : null;
}

/** The calls in a message or a chunk of one. Old versions of TGI send a single call without a list. */
export function callList(value: unknown): readonly JsonRecord[] {
  if (isRecord(value)) return [value];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function withUniqueIds(calls: readonly ToolCall[]): readonly ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call) => {
    const id = call.id === "" || seen.has(call.id) ? madeUpId() : call.id;
    seen.add(id);
    return { ...call, id };
  });
}

/** Nine letters and digits: the only form that Mistral accepts, and all other servers accept it too. */
function madeUpId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 9);
}

function toListedCall(call: JsonRecord): ToolCall {
  const asked = isRecord(call["function"]) ? call["function"] : call;
  return {
    id: nonEmptyString(call["id"]) ?? "",
    name: nonEmptyString(asked["name"]) ?? "",
    arguments: argumentText(asked["arguments"]),
    ...toOpaqueMetadata(call["extra_content"]),
  };
}

/** The field in which Gemini sends the signature that it wants back. */
export function toOpaqueMetadata(value: unknown): Pick<ToolCall, "echo"> {
  const extra_content = plainRecord(value);
  return extra_content ? { echo: { call: { extra_content } } } : {};
}

/**
 * The arguments as JSON text. Some servers send an object, or nothing for a tool without arguments. Gateways to Claude,
 * Bedrock and Gemini put an empty object before the real one.
 */
export function argumentText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value ?? {});
  return value.trim() === "" ? "{}" : value.replace(/^\s*\{\s*\}\s*(?=\{)/, "");
}

function blockText(block: unknown): string | null {
  if (typeof block === "string") return block;
  if (!isRecord(block)) return null;
  const isText = block["type"] === undefined || block["type"] === "text" || block["type"] === "output_text";
  return isText && typeof block["text"] === "string" ? block["text"] : null;
}

/**
 * The separator between two texts of a reply with a search, a call or reasoning between them. Without it, the last word of the
 * first and the first word of the second would run together.
 */
export function separatorAfter(before: string): string {
  return before === "" || /\s$/.test(before) ? "" : "\n\n";
}
