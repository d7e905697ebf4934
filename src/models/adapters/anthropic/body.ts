import { compact } from "../../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import {
  moveNameIntoText,
  splitAtMarks,
  type CacheControl,
  type ChatMessage,
  type ChatRequest,
  type ModelParameters,
  type ToolCall,
  type ToolDefinition,
  type UserPart,
} from "../../../contract/ports/chat-model.ts";
import { blocksText } from "./reply.ts";
import type { BodyOptions } from "../http-chat-model.ts";
import { messageMetadata } from "../opaque-metadata.ts";
import { parseJson } from "../reply/json-values.ts";
import { separatorAfter } from "../reply/message-content.ts";
import { callAsText, emptyMessageText, resultAsText, toolExchanges } from "../request-messages.ts";
import { tokenLimit } from "../quirks.ts";
import { formatTool, safeName, type AnthropicTool } from "./format-tool.ts";

/**
 * The API requires a limit. Every model accepts the first; models since 3.7 accept more than twice the second, and with the
 * first they would break off in the middle of a file that they write with a tool.
 */
const limits = { everyModel: 4096, longReplies: 16_000 };
const writesLongReplies = /claude-(?:3-7|[a-z]+-(?:[4-9]|\d\d)(?!\d))/;

/** The fields that `extra` may set: all of the API except the model, the messages and streaming. */
const extraKeys = new Set([
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "output_format",
  "metadata",
  "service_tier",
  "cache_control",
  "container",
  "context_management",
  "inference_geo",
  "mcp_servers",
  "speed",
]);
const serviceTiers = new Set<unknown>(["auto", "standard_only"]);

/**
 * The JSON body of a request to the messages API. It refuses unknown fields, so `seed` and the fields of other APIs, which
 * callers of our OpenAI-compatible endpoint may send, are left out.
 */
export function toAnthropicBody(request: ChatRequest, { modelId, stream, source, quirks }: BodyOptions): string {
  const { parameters = {} } = request;
  const { extra = {}, temperature, top_p, stop = [] } = parameters;
  const spoken = request.messages.map(moveNameIntoText);
  const messages = toAnthropicTurns(spoken, source);
  const leaveOut = quirks.has("no_cache_control") ? withoutMarks : undefined;
  const body = {
    max_tokens: tokenLimit(parameters) ?? defaultLimit(modelId, parameters),
    temperature,
    top_p,
    stop_sequences: stop.length > 0 ? [stop].flat() : undefined,
    ...toolFields(request, { turns: messages, mayForce: !quirks.has("no_forced_choice") }),
    ...Object.fromEntries(
      Object.entries(extra).filter(([key, value]) => isKnown(key, value) && isTaken(key, value, messages)),
    ),
    model: modelId,
    ...systemField(spoken),
    messages,
    ...(stream && { stream: true }),
  };
  return JSON.stringify(body, leaveOut);
}

/** Reasoning counts as output, so its budget is added to the limit. */
function defaultLimit(modelId: string, { extra = {} }: ModelParameters): number {
  const { thinking } = extra;
  const budget = isRecord(thinking) && typeof thinking["budget_tokens"] === "number" ? thinking["budget_tokens"] : 0;
  return (writesLongReplies.test(modelId) ? limits.longReplies : limits.everyModel) + budget;
}

function withoutMarks(name: string, value: unknown): unknown {
  return name === "cache_control" ? undefined : value;
}

/** The system text: one string, or blocks where there are cache marks. */
function systemField(messages: readonly ChatMessage[]) {
  const said = messages.filter(({ role, content }) => role === "system" && content.trim() !== "");
  if (said.length === 0) return {};
  if (!said.some(({ cache_marks }) => cache_marks)) return { system: said.map(({ content }) => content).join("\n\n") };
  return {
    system: said.flatMap(({ content, cache_marks }, index) =>
      splitAtMarks(content, cache_marks).map(({ text, ...mark }, place) => ({
        type: "text",
        text: index > 0 && place === 0 ? `\n\n${text}` : text,
        ...mark,
      })),
    ),
  };
}

/** OpenAI has a field of the same name with other tiers. */
function isKnown(key: string, value: unknown): boolean {
  return extraKeys.has(key) && (key !== "service_tier" || serviceTiers.has(value));
}

/**
 * With `thinking` enabled, a model continues after tool results only if its earlier thinking is sent back. Where that is lost,
 * `thinking` is left out: the API would accept the request, but older models behind gateways do not.
 */
function isTaken(key: string, value: unknown, turns: readonly AnthropicTurn[]): boolean {
  if (key !== "thinking" || !isRecord(value) || value["type"] !== "enabled") return true;
  const [asked, answered] = turns.slice(-2);
  const isOpen = answered?.role === "user" && answered.content.some(({ type }) => type === "tool_result");
  return !isOpen || thinkingTypes.has(asked?.content[0]?.type);
}

const thinkingTypes = new Set<string | undefined>(["thinking", "redacted_thinking"]);

function toolFields(request: ChatRequest, { turns, mayForce }: { turns: readonly AnthropicTurn[]; mayForce: boolean }) {
  const offered = (request.tools ?? []).map(toAnthropicTool);
  const format = formatTool(request);
  // Tools in the history must be declared even when none may be called now.
  const declared = offered.length > 0 ? offered : mentionedTools(turns);
  const tools = format ? [...declared, format] : declared;
  if (tools.length === 0) return {};
  return { tools, ...toolChoice(request, { offered: offered.length > 0, format, mayForce }) };
}

function toolChoice(
  { tool_choice, parameters = {} }: ChatRequest,
  { offered, format, mayForce }: { offered: boolean; format: AnthropicTool | null; mayForce: boolean },
) {
  const single = parameters.parallel_tool_calls === false && { disable_parallel_tool_use: true };
  const mayChoose = offered && tool_choice !== "none";
  // A thinking model refuses a forced call; it finds the tool by its description.
  if (format && (!mayForce || thinks(parameters))) return { tool_choice: { type: "auto", ...single } };
  if (format && mayChoose) return { tool_choice: { type: "any", ...single } };
  if (format) return { tool_choice: { type: "tool", name: format.name, disable_parallel_tool_use: true } };
  if (!mayChoose) return { tool_choice: { type: "none" } };
  if (!tool_choice && !single) return {};
  return { tool_choice: { type: tool_choice === "required" ? "any" : "auto", ...single } };
}

function thinks({ extra = {} }: ModelParameters): boolean {
  const { thinking } = extra;
  return isRecord(thinking) && thinking["type"] !== "disabled";
}

function toAnthropicTool({ name, description, parameters, cache_control }: ToolDefinition): AnthropicTool {
  return compact({
    name,
    description,
    input_schema: { type: "object", ...parameters },
    cache_control,
  });
}

function mentionedTools(turns: readonly AnthropicTurn[]): readonly AnthropicTool[] {
  const blocks = turns.flatMap(({ content }) => content);
  const names = new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])));
  return [...names].map((name) => ({ name, input_schema: { type: "object" } }));
}

interface Marked {
  readonly cache_control?: CacheControl;
}

type Block =
  | ({ readonly type: "text"; readonly text: string } & Marked)
  | ({ readonly type: "image"; readonly source: Readonly<Record<string, string>> } & Marked)
  | ({ readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonRecord } & Marked)
  | ({ readonly type: "tool_result"; readonly tool_use_id: string; readonly content: string } & Marked)
  | ({ readonly type: "thinking" | "redacted_thinking" } & Marked);

interface AnthropicTurn {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

/**
 * A conversation in the form that the messages API requires: user and assistant alternate, the user begins, tool results come
 * first in the turn after their calls, no text is empty, and a final assistant text does not end in white space.
 */
function toAnthropicTurns(messages: readonly ChatMessage[], source: string): readonly AnthropicTurn[] {
  const paired = toolExchanges(messages);
  const turns: { role: AnthropicTurn["role"]; content: Block[] }[] = [];
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

/** Trims an assistant's text. Blocks of a paused turn are sent back unchanged. */
function withoutLastSpace<Message extends ChatMessage>(message: Message): Message {
  return message.role === "assistant" && !message.paused ? { ...message, content: message.content.trimEnd() } : message;
}

function toBlocks(
  message: Exclude<ChatMessage, { role: "system" }>,
  { paired, source }: { paired: ReadonlySet<unknown>; source: string },
): Block[] {
  // The API refuses an empty text, but the turn must remain, or two replies would follow each other.
  if (message.role === "user") {
    if (message.parts) return message.parts.flatMap(toUserBlock);
    return message.content.trim() === "" ? [text(emptyMessageText)] : texts(message);
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
  // A client may have changed the text: then it is sent once, after the thinking blocks.
  const isSame = between !== "" && !message.cache_marks && message.content.startsWith(between);
  const said = texts(isSame ? { ...message, content: textAfter(between, message.content) } : message);
  const lead = isSame ? thoughts : thoughts.filter(({ type }) => type !== "text");
  const blocks = [...lead, ...said, ...calls];
  // A turn without text carries its cache mark on the last call.
  const mark = said.length === 0 ? message.cache_marks?.at(-1) : undefined;
  const last = calls.at(-1);
  return mark && last ? [...blocks.slice(0, -1), { ...last, cache_control: mark.control }] : blocks;
}

/** The rest of `whole` after `start`, without the separator between them. */
function textAfter(start: string, whole: string): string {
  const pause = separatorAfter(start);
  const rest = whole.slice(start.length);
  return rest.startsWith(pause) ? rest.slice(pause.length) : rest;
}

/** No block for an empty text, which the API refuses. */
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
 * The thinking blocks before these calls, with the texts between them. Blocks come from clients, so other types are dropped.
 */
function thinkingBefore(
  calls: readonly ToolCall[],
  { paired, source }: { paired: ReadonlySet<unknown>; source: string },
): readonly Block[] {
  const { thinking } = messageMetadata(calls, { source });
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
