import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { field, listField, locationBelow, scalarText, textField } from "../../documents/records.ts";
import type { SourceLocation } from "../../documents/format-error.ts";
import { readToolCall } from "../../shared/tool-calls.ts";
import type { Span } from "../../shared/imported-scenario.ts";

/** True for a run of our own agent with its log, as `GET /agent/runs/{run_id}` answers it. */
export const isAgentRun = (value: unknown): value is JsonRecord =>
  listField(value, "log")?.some((entry) => field(entry, "type") === "run-start") ?? false;

/** A run of our own agent as a trace: its model calls and tool calls. Runs of one thread are one conversation. */
export function agentRunSpans(run: JsonRecord, place: SourceLocation): readonly Span[] {
  const log = (listField(run, "log") ?? []).filter(isRecord);
  const start = log.find(({ type }) => type === "run-start") ?? {};
  const end = log.findLast(({ type }) => type === "run-end") ?? {};
  const trace = textField(run, "id") ?? textField(start, "request_id") ?? "";
  const common = { trace, session: textField(run, "thread_id") ?? textField(start, "thread_id") };
  const sent = listField(start, "messages") ?? [];
  const tools = listField(start, "client_tools") ?? [];
  const text = textField(end, "text") ?? textField(run, "text");
  const answered = text === undefined || text === "" ? [] : [{ role: "assistant", content: text }];
  const root: Span = {
    ...common,
    id: trace,
    parent: undefined,
    name: "agent run",
    kind: "model",
    start: Number(start["at"] ?? 0),
    input: undefined,
    output: undefined,
    messages: { sent, answered },
    model: textField(end, "model_resolved") ?? textField(start, "model_resolved"),
    failed: isRecord(end["error"]) || textField(end, "state") === "failed",
    ...(tools.length > 0 && { tools }),
    place,
  };
  const calls = log.flatMap((entry, index): Span[] => {
    if (entry["type"] !== "tool-call") return [];
    const { id, name, args, result, ok } = entry;
    const failed = ok === false;
    return [
      {
        ...common,
        id: `${trace} ${index}`,
        parent: trace,
        name: scalarText(name) ?? "",
        kind: "tool",
        start: Number(entry["at"] ?? 0),
        input: args,
        output: result,
        failed,
        call: readToolCall({
          id,
          name,
          arguments: args ?? {},
          ...(failed ? { error: result ?? "failed" } : { result }),
        }),
        place: locationBelow(place, "log", index),
      },
    ];
  });
  return [root, ...calls];
}
