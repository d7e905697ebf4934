import { isRecord } from "../../base/json.ts";
import {
  nameInText,
  splitAtMarks,
  type ChatMessage,
  type ChatRequest,
  type ModelParameters,
  type ToolDefinition,
} from "../../contract/ports/chat-model.ts";
import { formatTool, type AnthropicTool } from "./anthropic-format.ts";
import { toTurns, type Turn } from "./anthropic-turns.ts";
import type { BodyOptions } from "./http-chat-model.ts";
import { tokenLimit } from "./token-limit.ts";

/**
 * The API insists on a limit. Every model takes the first; those since 3.7 take twice the second and more, which would be longer than
 * anybody waits for. With the first they would break off in the middle of a file that they write with a tool.
 */
const limits = { everyModel: 4096, longReplies: 16_000 };
const writesLongReplies = /claude-(?:3-7|[a-z]+-(?:[4-9]|\d\d)(?!\d))/;

/** What `extra` may set: the API's own fields, except which model is asked what, and whether it streams. */
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
 * The JSON body of a request to the messages API. It refuses every field it does not know, so `seed` and the fields of other
 * APIs, which a caller of our own OpenAI-compatible endpoint may well send, are left out.
 */
export function toAnthropicBody(
  request: ChatRequest,
  { modelId, stream, source, without }: Pick<BodyOptions, "modelId" | "stream" | "source" | "without">,
): string {
  const { parameters = {} } = request;
  const { extra = {}, temperature, top_p, stop = [] } = parameters;
  const spoken = request.messages.map(nameInText);
  const messages = toTurns(spoken, source);
  const leaveOut = without.has("cache_control") ? withoutMarks : undefined;
  const body = {
    max_tokens: tokenLimit(parameters) ?? defaultLimit(modelId, parameters),
    temperature,
    top_p,
    ...(stop.length > 0 && { stop_sequences: typeof stop === "string" ? [stop] : stop }),
    ...toolFields(request, { turns: messages, mayForce: !without.has("forced_choice") }),
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

/** What is thought counts as said: the limit must be above what may be thought. */
function defaultLimit(modelId: string, { extra = {} }: ModelParameters): number {
  const { thinking } = extra;
  const budget = isRecord(thinking) && typeof thinking["budget_tokens"] === "number" ? thinking["budget_tokens"] : 0;
  return (writesLongReplies.test(modelId) ? limits.longReplies : limits.everyModel) + budget;
}

function withoutMarks(name: string, value: unknown): unknown {
  return name === "cache_control" ? undefined : value;
}

/** What the system says: one text, or where it is marked, the texts that the marks make of it. */
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

/** OpenAI has a field of the same name with tiers of its own. */
function isKnown(key: string, value: unknown): boolean {
  return extraKeys.has(key) && (key !== "service_tier" || serviceTiers.has(value));
}

/**
 * A model that was told to think goes on with the results of its tools only when it sees what it thought before. Where nobody knows
 * that any more, it goes on without thinking, as the API itself lets it, and older ones behind gateways do not.
 */
function isTaken(key: string, value: unknown, turns: readonly Turn[]): boolean {
  if (key !== "thinking" || !isRecord(value) || value["type"] !== "enabled") return true;
  const [asked, answered] = turns.slice(-2);
  const isOpen = answered?.role === "user" && answered.content.some(({ type }) => type === "tool_result");
  return !isOpen || thinkingTypes.has(asked?.content[0]?.type);
}

const thinkingTypes = new Set<string | undefined>(["thinking", "redacted_thinking"]);

function toolFields(request: ChatRequest, { turns, mayForce }: { turns: readonly Turn[]; mayForce: boolean }) {
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
  // A model that thinks first refuses to be made to call anything: it finds the tool by its description.
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
  return {
    name,
    description,
    input_schema: { type: "object", ...parameters },
    ...(cache_control && { cache_control }),
  };
}

function mentionedTools(turns: readonly Turn[]): readonly AnthropicTool[] {
  const blocks = turns.flatMap(({ content }) => content);
  const names = new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])));
  return [...names].map((name) => ({ name, input_schema: { type: "object" } }));
}
