import { isRecord, type JsonRecord } from "../../contract/json-record.ts";
import type { ChatMessage, ToolCall, UserPart } from "../../contract/model.ts";
import { safeName } from "./anthropic-format.ts";
import { messageEcho } from "./call-echo.ts";
import { parseJson } from "./parse-json.ts";
import { callAsText, resultAsText, toolExchanges } from "./tool-exchanges.ts";

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly source: Readonly<Record<string, string>> }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonRecord }
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly content: string }
  | { readonly type: "thinking" | "redacted_thinking" };

export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

/**
 * A conversation as the messages API takes it: user and assistant take turns, the user begins, results of tools lead the
 * turn after their calls, and no text is empty.
 */
export function toTurns(messages: readonly ChatMessage[], source: string): readonly Turn[] {
  const paired = toolExchanges(messages);
  const turns: { role: Turn["role"]; content: Block[] }[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = toBlocks(message, { paired, source });
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) turns.push({ role, content: blocks });
  }
  const ordered = turns.map(({ role, content }) => ({ role, content: resultsFirst(content) }));
  return ordered[0]?.role === "user" ? ordered : [{ role: "user", content: [text(beginning)] }, ...ordered];
}

const beginning = "(The conversation begins.)";
const noText = "(empty message)";

function toBlocks(
  message: Exclude<ChatMessage, { role: "system" }>,
  { paired, source }: { paired: ReadonlySet<unknown>; source: string },
): Block[] {
  // The API refuses an empty text. What a user left empty must still be a turn, or two replies would run together.
  if (message.role === "user") {
    if (message.parts) return message.parts.flatMap(toUserBlock);
    return [text(message.content.trim() === "" ? noText : message.content)];
  }
  if (message.role === "tool") {
    const { tool_call_id, content } = message;
    if (!paired.has(message)) return [text(resultAsText(message))];
    return [{ type: "tool_result", tool_use_id: safeName(tool_call_id), content }];
  }
  const calls = (message.tool_calls ?? []).map((call): Block => {
    if (!paired.has(call)) return text(callAsText(call));
    const input = parseJson(call.arguments);
    return { type: "tool_use", id: safeName(call.id), name: safeName(call.name), input: isRecord(input) ? input : {} };
  });
  const said = message.content.trim() === "" ? [] : [text(message.content)];
  return [...thinkingBefore(message.tool_calls ?? [], { paired, source }), ...said, ...calls];
}

function toUserBlock(part: UserPart): Block[] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [text(part.text)];
  const [, media_type, data] = /^data:([^;,]*);base64,(.*)$/is.exec(part.url) ?? [];
  if (media_type === undefined || data === undefined) {
    return [{ type: "image", source: { type: "url", url: part.url } }];
  }
  return [{ type: "image", source: { type: "base64", media_type, data } }];
}

/** Thoughts lead the turn whose calls they led to. */
function thinkingBefore(
  calls: readonly ToolCall[],
  { paired, source }: { paired: ReadonlySet<unknown>; source: string },
): readonly Block[] {
  const { thinking } = messageEcho(calls, source);
  return Array.isArray(thinking) && calls.some((call) => paired.has(call)) ? (thinking as Block[]) : [];
}

function text(content: string): Block {
  return { type: "text", text: content };
}

function resultsFirst(blocks: readonly Block[]): readonly Block[] {
  const isResult = (block: Block) => block.type === "tool_result";
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}
