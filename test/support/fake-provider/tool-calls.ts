import type { Behaviour } from "./behaviour.ts";
import { message } from "./replies.ts";

interface FakeToolCall {
  readonly name: string;
  /** An object is written as JSON; a string is sent unchanged, broken or not. */
  readonly arguments: unknown;
  readonly id?: string;
}

/** The model asks for one or, in parallel, several tools. */
export function toolCalls(...calls: readonly FakeToolCall[]): Behaviour {
  const tool_calls = calls.map((call, index) => ({
    id: call.id ?? `call_fake_${index + 1}`,
    type: "function",
    function: { name: call.name, arguments: toText(call.arguments) },
  }));
  return message({ content: null, tool_calls });
}

export const badToolArguments = (name: string) => toolCalls({ name, arguments: '{"city": "Par' });

export const unknownTool = toolCalls({ name: "no_such_tool", arguments: {} });

/** The shape from before tool calls existed; some servers still send it. */
export const legacyFunctionCall = (call: FakeToolCall) =>
  message({ content: null, function_call: { name: call.name, arguments: toText(call.arguments) } });

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
