import { isRecord } from "../base/json.ts";
import type { AgentRun } from "./agent-run.ts";
import type { ReadCall } from "./read-tool-call.ts";
import type { ToolArguments } from "./tool.ts";

/** Tells of a call that is not carried out, so that whoever follows the run hears of everything the model asked for. */
export function skipCall(
  run: AgentRun,
  call: Pick<ReadCall, "id" | "name" | "echo"> & { args: ToolArguments },
  reason: string,
) {
  const { id, name, args, echo } = call;
  const result = `The call was not run: ${reason}`;
  const tool_call = { id, name, args, ok: false, result, duration_ms: 0 };
  run.emit({ type: "tool-skipped", tool_call, ...(echo && { echo }) });
}

/** What the model wrote as arguments, where it is an object. */
export function argumentsIn(text: string): ToolArguments {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
