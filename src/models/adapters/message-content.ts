import { randomUUID } from "node:crypto";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ToolCall } from "../../contract/ports/chat-model.ts";
import { nonEmptyString, plainRecord } from "./json-values.ts";

/** The text of a message: a string, or blocks of which the text ones count. Null when there is none. */
export function contentText(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((block) => blockText(block) ?? []);
  return texts.length === 0 ? null : texts.join("");
}

/** What a model thought, where it stands among its content: Mistral's blocks, and Claude's. */
export function thinkingText(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .filter((block) => isRecord(block) && block["type"] === "thinking")
    .map(({ thinking }) => contentText(thinking) ?? "")
    .join("");
}

/** Whether Gemini says of a message, or a piece of one, that it is thought. */
export function isMarkedAsThought({ extra_content }: JsonRecord): boolean {
  const google = isRecord(extra_content) ? extra_content["google"] : null;
  return isRecord(google) && google["thought"] === true;
}

/** What the model declined with: the field of its own, or a block among the content. */
export function refusalText(message: JsonRecord): string | null {
  const own = nonEmptyString(message["refusal"]);
  if (own !== null || !Array.isArray(message["content"])) return own;
  const block = message["content"].find((candidate) => isRecord(candidate) && candidate["type"] === "refusal");
  return nonEmptyString(block?.["refusal"]);
}

/** The tools a message asks for, in today's or in the old spelling. Missing and repeated ids are replaced. */
export function messageToolCalls(message: JsonRecord): readonly ToolCall[] {
  const calls = callList(message["tool_calls"]);
  if (calls.length > 0) return withUniqueIds(calls.map(toToolCall));
  const legacy = legacyCall(message);
  return legacy ? withUniqueIds([toToolCall({ function: legacy })]) : [];
}

/** A call in the old spelling. Snowflake sends one without a name or arguments beside every reply: that is none. */
export function legacyCall({ function_call: call }: JsonRecord): JsonRecord | null {
  return isRecord(call) && (call["name"] || call["arguments"]) ? call : null;
}

/** The calls in a message or a piece of one. Old versions of TGI write a single one without the list around it. */
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

/** Nine letters and digits: Mistral takes no other id, and everybody else takes this one. */
function madeUpId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 9);
}

function toToolCall(call: JsonRecord): ToolCall {
  const asked = isRecord(call["function"]) ? call["function"] : call;
  return {
    id: nonEmptyString(call["id"]) ?? "",
    name: nonEmptyString(asked["name"]) ?? "",
    arguments: argumentText(asked["arguments"]),
    ...callEcho(call["extra_content"]),
  };
}

/** Where Gemini puts the signature that it wants to see again. */
export function callEcho(value: unknown): Pick<ToolCall, "echo"> {
  const extra_content = plainRecord(value);
  return extra_content ? { echo: { call: { extra_content } } } : {};
}

/**
 * Some servers send the arguments as an object already, or nothing for a tool without any. Gateways to Claude, Bedrock and Gemini put
 * the empty object with which those begin a call before the one that counts.
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
