import { isRecord } from "../../base/json.ts";
import type { ToolCall } from "../../contract/ports/chat-model.ts";

/** `{"tool": …, "args": …}` under any of the names models use. Null: it names no tool. */
export function toCall(value: unknown): ToolCall | null {
  if (!isRecord(value)) return null;
  const inner = isRecord(value["function"]) ? value["function"] : value;
  const name = inner["tool"] ?? inner["name"] ?? inner["action"] ?? inner["function"];
  const args =
    inner["args"] ?? inner["arguments"] ?? inner["parameters"] ?? inner["input"] ?? inner["action_input"] ?? {};
  if (typeof name !== "string") return null;
  return { id: "", name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}

/** A call that is no JSON, such as Python's `{'tool': …}`. It keeps what it says of its name, for the repair. */
export function toBrokenCall(raw: string): ToolCall {
  const name = /["'](?:tool|name|action|function)["']\s*:\s*(?:"([^"]+)"|'([^']+)')/.exec(raw);
  const args = /["'](?:args|arguments|parameters|input|action_input)["']\s*:\s*/.exec(raw);
  return {
    id: "",
    name: name?.[1] ?? name?.[2] ?? "",
    arguments: args ? raw.slice(args.index + args[0].length) : raw,
  };
}
