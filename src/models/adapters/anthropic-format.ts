import type { ChatRequest } from "../../contract/model.ts";

/** A tool as the messages API takes it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** The tool through which a model is made to reply in a format: its input is the reply. Null when no format is asked for. */
export function formatTool({ format, tools = [] }: ChatRequest): AnthropicTool | null {
  if (!format) return null;
  const wanted = safeName(format.name);
  const taken = tools.some(({ name }) => name === wanted);
  return {
    name: taken ? `${wanted.slice(0, 58)}_reply` : wanted,
    description: "Gives your whole reply. Call it exactly once.",
    input_schema: { type: "object", ...format.schema },
  };
}

/** A name or an id in the characters this API takes. The same text always gives the same name. */
export function safeName(text: string): string {
  return text.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}
