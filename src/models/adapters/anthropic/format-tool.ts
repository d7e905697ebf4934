import { isRecord } from "../../../base/json.ts";
import type { CacheControl, ChatRequest, ReplyFormat } from "../../../contract/ports/chat-model.ts";
import { nonEmptyString } from "../reply/json-values.ts";

/** A tool of the messages API. */
export interface AnthropicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly cache_control?: CacheControl;
}

/** The tool whose input is the reply in the requested format. Null when no format is requested. */
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

/** The format that a client of our chat endpoint requests in OpenAI's field. */
function toFormat(asked: unknown): ReplyFormat | null {
  if (!isRecord(asked)) return null;
  if (asked["type"] === "json_object") return { name: "json_object", schema: {} };
  const { json_schema: described } = asked;
  if (asked["type"] !== "json_schema" || !isRecord(described)) return null;
  const { name, schema } = described;
  return { name: nonEmptyString(name) ?? "reply", schema: isRecord(schema) ? schema : {} };
}

/** A name or an id in the characters that this API accepts. Equal texts give equal names. */
export function safeName(text: string): string {
  return text.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}
