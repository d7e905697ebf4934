import { isRecord, type JsonRecord } from "../../base/json.ts";
import { parseIfJson } from "../documents/exact-json.ts";
import { anyField, listField } from "../documents/records.ts";
import { readMessage } from "../shared/read-messages.ts";
import { readToolCall } from "../shared/tool-calls.ts";

/** What a span says it got and gave. */
export interface SpanEnds {
  readonly input: unknown;
  readonly output: unknown;
}

/** The messages that a model was sent, and those it answered with, in the forms of their tools. */
export interface ModelMessages {
  readonly sent: readonly unknown[];
  readonly answered: readonly unknown[];
}

/** The messages of a model call: by the first convention with attributes for them, or in the input and output. */
export function modelMessages({ input, output }: SpanEnds, attributes: JsonRecord = {}): ModelMessages | undefined {
  const listed = (...names: readonly string[]): unknown[] | undefined => {
    for (const name of names) {
      const value = parseIfJson(attributes[name]);
      if (Array.isArray(value) && value.length > 0) return value;
    }
    return undefined;
  };
  const { "gen_ai.prompt": prompt, "gen_ai.completion": completion } = attributes;
  const sent =
    listed("gen_ai.input.messages", "ai.prompt.messages", "gen_ai.prompt") ??
    indexed(attributes, "llm.input_messages", "gen_ai.prompt") ??
    (typeof prompt === "string" && prompt !== "" ? [{ role: "user", content: prompt }] : undefined);
  if (sent) {
    const system = parseIfJson(attributes["gen_ai.system_instructions"]);
    const before = system === undefined || system === null ? [] : [{ role: "system", content: system }];
    const answered =
      listed("gen_ai.output.messages", "gen_ai.completion") ??
      indexed(attributes, "llm.output_messages", "gen_ai.completion") ??
      (typeof completion === "string" && completion !== "" ? [{ role: "assistant", content: completion }] : undefined);
    return { sent: [...before, ...sent], answered: answered ?? aiSdkReply(attributes) ?? replyIn(parseIfJson(output)) };
  }
  // Some tools hold the request and the response of the model's API.
  const request = parseIfJson(input);
  const asked = Array.isArray(request) ? request : anyField(request, "messages", "input", "contents", "prompt");
  if (!Array.isArray(asked) && typeof asked !== "string") return undefined;
  const system = anyField(request, "system", "instructions");
  return {
    sent: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...(Array.isArray(asked) ? asked.flat() : [{ role: "user", content: asked }]),
    ],
    answered: replyIn(parseIfJson(output)),
  };
}

/** The reply in the response of a model: OpenAI, Anthropic, the Responses API, or a bare message. */
function replyIn(output: unknown): unknown[] {
  if (Array.isArray(output)) {
    const isOnlyCalls =
      output.length > 0 && output.every((part) => readMessage(part) === undefined && readToolCall(part));
    return isOnlyCalls ? [{ role: "assistant", content: "", tool_calls: output }] : output;
  }
  if (typeof output === "string") return output === "" ? [] : [{ role: "assistant", content: output }];
  const [choice] = listField(output, "choices", "candidates", "generations") ?? [];
  const [first] = Array.isArray(choice) ? choice : [choice];
  const message = anyField(first, "message", "content") ?? anyField(output, "message");
  if (message !== undefined)
    return [isRecord(message) && !("role" in message) ? { role: "assistant", ...message } : message];
  const listed = listField(output, "output", "messages");
  if (listed) return [...listed];
  if (!isRecord(output)) return [];
  return "role" in output || "tool_calls" in output || "content" in output ? [{ role: "assistant", ...output }] : [];
}

function aiSdkReply(attributes: JsonRecord): unknown[] | undefined {
  const text = attributes["ai.response.text"];
  const calls = parseIfJson(attributes["ai.response.toolCalls"]);
  if (text === undefined && !Array.isArray(calls)) return undefined;
  return [{ role: "assistant", content: text ?? "", ...(Array.isArray(calls) && { tool_calls: calls }) }];
}

/** Rebuilds a list from keys such as `llm.input_messages.0.message.role`. */
function indexed(attributes: JsonRecord, ...prefixes: readonly string[]): unknown[] | undefined {
  for (const prefix of prefixes) {
    const list = nestedAttributes(attributes, prefix);
    if (Array.isArray(list) && list.length > 0) return list.map(withoutPrefixes);
  }
  return undefined;
}

/** Rebuilds an object or a list from the attributes below a prefix. */
export function nestedAttributes(attributes: JsonRecord, prefix: string): unknown {
  const root: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(`${prefix}.`)) continue;
    const steps = key.slice(prefix.length + 1).split(".");
    let at = root;
    for (const step of steps.slice(0, -1))
      at = (isRecord(at[step]) ? at[step] : (at[step] = {})) as Record<string, unknown>;
    at[steps.at(-1) ?? ""] = value;
  }
  return toLists(root);
}

/** Objects whose keys are indexes become lists. */
function toLists(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, toLists(inner)] as const);
  const isList = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key));
  return isList
    ? entries.toSorted(([left], [right]) => Number(left) - Number(right)).map(([, inner]) => inner)
    : Object.fromEntries(entries);
}

/** OpenInference repeats the name of the object in its keys: `message.role`, `tool_call.function.name`. */
function withoutPrefixes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrefixes);
  if (!isRecord(value)) return value;
  const inner = ["message", "tool_call", "message_content"].find(
    (name) => isRecord(value[name]) && Object.keys(value).length === 1,
  );
  if (inner !== undefined) return withoutPrefixes(value[inner]);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key === "contents" ? "content" : key, withoutPrefixes(each)]),
  );
}
