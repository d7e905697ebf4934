import { isRecord } from "../../base/json.ts";
import type { CacheControl, ChatRequest, ReplyFormat } from "../../contract/ports/chat-model.ts";
import { nonEmptyString } from "./json-values.ts";

/** A tool as the messages API takes it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly cache_control?: CacheControl;
}

/** The tool through which a model is made to reply in a format: its input is the reply. Null when no format is asked for. */
export function formatTool(request: ChatRequest): AnthropicTool | null {
  const { tools = [] } = request;
  const format = request.format ?? toFormat(request.parameters?.extra?.["response_format"]);
  if (!format) return null;
  const wanted = safeName(format.name);
  const taken = tools.some(({ name }) => name === wanted);
  return {
    name: taken ? `${wanted.slice(0, 58)}_reply` : wanted,
    description: "Gives your whole reply. Call it exactly once.",
    input_schema: { type: "object", ...format.schema },
  };
}

/** What a client of our chat endpoint asks for in OpenAI's words, which this API does not know. */
function toFormat(asked: unknown): ReplyFormat | null {
  if (!isRecord(asked)) return null;
  if (asked["type"] === "json_object") return { name: "json_object", schema: {} };
  const { json_schema: described } = asked;
  if (asked["type"] !== "json_schema" || !isRecord(described)) return null;
  const { name, schema } = described;
  return { name: nonEmptyString(name) ?? "reply", schema: isRecord(schema) ? schema : {} };
}

/** A name or an id in the characters this API takes. The same text always gives the same name. */
export function safeName(text: string): string {
  return text.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}
