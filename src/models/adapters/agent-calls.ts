import { compact } from "../../base/compact.ts";
import { canonicalJson, isRecord, type JsonRecord } from "../../base/json.ts";
import type { ReportedToolCall, ToolCall } from "../../contract/ports/chat-model.ts";
import { argumentText, callList, withUniqueIds } from "./reply/message-content.ts";
import { nonEmptyString } from "./reply/json-values.ts";

/** Calls in an agent's message: those that wait for an answer, and those that it could not use. */
export function messageCalls({ tool_calls, invalid_tool_calls }: JsonRecord): {
  readonly pending: readonly ToolCall[];
  readonly invalid: readonly ReportedToolCall[];
} {
  const invalid = callList(invalid_tool_calls).map((call) => ({
    ...toReportedCall(call),
    error: nonEmptyString(call["error"]) ?? "The agent could not use this call.",
  }));
  return { pending: withUniqueIds(callList(tool_calls).map(toReportedCall)), invalid };
}

/**
 * The tool calls in the log of a run of our agent backend (`GET /agent/runs/{run_id}`), in the order in which the model asked for
 * them. Calls that were not carried out have no result.
 */
export function loggedCalls(log: unknown): readonly ReportedToolCall[] {
  const calls: ReportedToolCall[] = [];
  const open = new Set<number>();
  const add = (call: ReportedToolCall): number => calls.push(call) - 1;
  for (const entry of callList(log)) {
    if (entry["type"] === "model-call" && isRecord(entry["reply"])) {
      for (const call of callList(entry["reply"]["tool_calls"])) open.add(add(toReportedCall(call)));
    } else if (entry["type"] === "tool-call") {
      const done = { ...toReportedCall(entry), ...toCallsEnd(entry) };
      const place = open.values().find((index) => isSameCall(calls[index], done)) ?? add(done);
      open.delete(place);
      calls[place] = done;
    }
  }
  return calls;
}

/** An id that was used twice is replaced by the agent. */
function isSameCall(asked: ReportedToolCall | undefined, done: ReportedToolCall): boolean {
  if (!asked || asked.name !== done.name) return false;
  return asked.id === done.id || valueOf(asked.arguments) === valueOf(done.arguments);
}

function valueOf(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Collects the calls in the events `tool-start` and `tool-end` of an agent's stream. */
export class StreamedCalls {
  readonly #calls = new Map<string, ReportedToolCall>();

  /** False for an event of another kind. */
  add(type: string, data: JsonRecord): boolean {
    if (type !== "tool-start" && type !== "tool-end") return false;
    const call = toReportedCall(data);
    this.#calls.set(call.id, type === "tool-end" ? { ...call, ...toCallsEnd(data) } : call);
    return true;
  }

  list(): readonly ReportedToolCall[] {
    return [...this.#calls.values()];
  }
}

function toReportedCall(call: JsonRecord): ReportedToolCall {
  return {
    id: nonEmptyString(call["id"]) ?? "",
    name: nonEmptyString(call["name"]) ?? "",
    arguments: argumentText(call["args"] ?? call["arguments"]),
  };
}

function toCallsEnd({ ok, result, duration_ms }: JsonRecord): Pick<ReportedToolCall, "result" | "error" | "ms"> {
  const ms = typeof duration_ms === "number" && duration_ms >= 0 ? { ms: duration_ms } : {};
  if (ok !== false) return compact({ result, ...ms });
  return { error: nonEmptyString(result) ?? "The tool failed.", ...ms };
}
