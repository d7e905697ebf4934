import { isRecord, type JsonRecord } from "../../base/json.ts";
import {
  splitAtMarks,
  type CacheControl,
  type ChatMessage,
  type ToolCall,
  type UserPart,
} from "../../contract/ports/chat-model.ts";
import { safeName } from "./anthropic-format.ts";
import { blocksText } from "./anthropic-text.ts";
import { messageEcho } from "./call-echo.ts";
import { noText } from "./filled-messages.ts";
import { parseJson } from "./parse-json.ts";
import { pauseAfter } from "./pause-after.ts";
import { callAsText, resultAsText, toolExchanges } from "./tool-exchanges.ts";

interface Marked {
  readonly cache_control?: CacheControl;
}

type Block =
  | ({ readonly type: "text"; readonly text: string } & Marked)
  | ({ readonly type: "image"; readonly source: Readonly<Record<string, string>> } & Marked)
  | ({ readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonRecord } & Marked)
  | ({ readonly type: "tool_result"; readonly tool_use_id: string; readonly content: string } & Marked)
  | ({ readonly type: "thinking" | "redacted_thinking" } & Marked);

export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

/**
 * A conversation as the messages API takes it: user and assistant take turns, the user begins, results of tools lead the
 * turn after their calls, no text is empty, and what the assistant is to go on with does not end in white space.
 */
export function toTurns(messages: readonly ChatMessage[], source: string): readonly Turn[] {
  const paired = toolExchanges(messages);
  const turns: { role: Turn["role"]; content: Block[] }[] = [];
  const end = messages.findLastIndex(({ role }) => role !== "system");
  for (const [index, message] of messages.entries()) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = toBlocks(index === end ? withoutLastSpace(message) : message, { paired, source });
    const last = turns.at(-1);
    if (last?.role === role) for (const block of blocks) last.content.push(block);
    else if (blocks.length > 0) turns.push({ role, content: blocks });
  }
  const ordered = turns.map(({ role, content }) => ({ role, content: resultsFirst(content) }));
  return ordered[0]?.role === "user" ? ordered : [{ role: "user", content: [text(beginning)] }, ...ordered];
}

const beginning = "(The conversation begins.)";

/** Of what the assistant said; what the API paused itself goes back as it came. */
function withoutLastSpace<Message extends ChatMessage>(message: Message): Message {
  return message.role === "assistant" && !message.paused ? { ...message, content: message.content.trimEnd() } : message;
}

function toBlocks(
  message: Exclude<ChatMessage, { role: "system" }>,
  { paired, source }: { paired: ReadonlySet<unknown>; source: string },
): Block[] {
  // The API refuses an empty text. What a user left empty must still be a turn, or two replies would run together.
  if (message.role === "user") {
    if (message.parts) return message.parts.flatMap(toUserBlock);
    return message.content.trim() === "" ? [text(noText)] : texts(message);
  }
  if (message.role === "tool") {
    const { tool_call_id, content } = message;
    if (!paired.has(message)) return [text(resultAsText(message))];
    const control = message.cache_marks?.at(-1)?.control;
    const mark = control ? { cache_control: control } : {};
    return [{ type: "tool_result", tool_use_id: safeName(tool_call_id), content, ...mark }];
  }
  if (message.paused) return [...message.paused] as Block[];
  const calls = (message.tool_calls ?? []).map((call): Block => {
    if (!paired.has(call)) return text(callAsText(call));
    const input = parseJson(call.arguments);
    return { type: "tool_use", id: safeName(call.id), name: safeName(call.name), input: isRecord(input) ? input : {} };
  });
  const thoughts = thinkingBefore(message.tool_calls ?? [], { paired, source });
  const between = blocksText(thoughts) ?? "";
  // A client may have changed what was said: then it is said once, after all thoughts.
  const isSame = between !== "" && !message.cache_marks && message.content.startsWith(between);
  const said = texts(isSame ? { ...message, content: textAfter(between, message.content) } : message);
  const lead = isSame ? thoughts : thoughts.filter(({ type }) => type !== "text");
  const blocks = [...lead, ...said, ...calls];
  // A turn of calls alone has its mark at its end.
  const mark = said.length === 0 ? message.cache_marks?.at(-1) : undefined;
  const last = calls.at(-1);
  return mark && last ? [...blocks.slice(0, -1), { ...last, cache_control: mark.control }] : blocks;
}

/** What the whole text has beyond its beginning, without the pause between them. */
function textAfter(start: string, whole: string): string {
  const pause = pauseAfter(start);
  const rest = whole.slice(start.length);
  return rest.startsWith(pause) ? rest.slice(pause.length) : rest;
}

/** None where there is no text: the API refuses an empty one. */
function texts({ content, cache_marks }: ChatMessage): Block[] {
  return splitAtMarks(content, cache_marks).map((part) => ({ type: "text", ...part }));
}

function toUserBlock(part: UserPart): Block[] {
  const { cache_control } = part;
  const mark = cache_control ? { cache_control } : {};
  if (part.type === "text") return part.text.trim() === "" ? [] : [{ ...text(part.text), ...mark }];
  const [, media_type, data] = /^data:([^;,]*);base64,(.*)$/is.exec(part.url) ?? [];
  if (media_type === undefined || data === undefined) {
    return [{ type: "image", source: { type: "url", url: part.url }, ...mark }];
  }
  return [{ type: "image", source: { type: "base64", media_type, data }, ...mark }];
}

/**
 * Thoughts lead the turn whose calls they led to, with what was said between them. A client that brings them may bring anything:
 * nothing else is taken for one.
 */
function thinkingBefore(
  calls: readonly ToolCall[],
  { paired, source }: { paired: ReadonlySet<unknown>; source: string },
): readonly Block[] {
  const { thinking } = messageEcho(calls, { source });
  return Array.isArray(thinking) && calls.some((call) => paired.has(call)) ? thinking.filter(isThought) : [];
}

function isThought(block: unknown): block is Block {
  if (!isRecord(block)) return false;
  if (block["type"] === "text") return typeof block["text"] === "string" && block["text"].trim() !== "";
  return block["type"] === "thinking" || block["type"] === "redacted_thinking";
}

function text(content: string): Block {
  return { type: "text", text: content };
}

function resultsFirst(blocks: readonly Block[]): readonly Block[] {
  const isResult = (block: Block) => block.type === "tool_result";
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}
