import type { ChatRequest, ToolCall } from "../../contract/ports/chat-model.ts";
import { userTexts } from "./conversation.ts";
import type { Draft, Respond } from "./demo-model.ts";
import { fillIn, findLine } from "./find-line.ts";
import { planToolCalls } from "./plan-tool-calls.ts";
import type { ScriptLine } from "./support-script.ts";
import { lastToolResults, toolRounds, type ToolResult } from "./tool-results.ts";

/** What the script says to do next. */
export type Cue =
  | { readonly kind: "tools"; readonly calls: readonly Omit<ToolCall, "id">[] }
  | { readonly kind: "line"; readonly line: ScriptLine }
  | { readonly kind: "text"; readonly text: string };

export const offScript =
  "I am a scripted demo and have no line for that. Ask me about a return, a late parcel or an order, for the time, or for a sum.";

const mostRounds = 2;

/** Reads the script at the point the conversation has reached. */
export function readScript(request: ChatRequest): Cue {
  const { messages } = request;
  const said = userTexts(messages).at(-1) ?? "";
  const plan = planToolCalls(said, request);

  const results = lastToolResults(messages);
  const mayRetry = results.some(({ failed }) => failed) && toolRounds(messages) < mostRounds;
  if (results.length > 0 && !mayRetry) return { kind: "text", text: results.map(describe).join(" ") };
  if (plan.calls.length > 0) return { kind: "tools", calls: plan.calls };
  if (results.length > 0) return { kind: "text", text: results.map(describe).join(" ") };
  if (plan.missing.length > 0) return { kind: "text", text: `I have no ${plan.missing.join(" and no ")} here.` };

  const line = findLine(messages);
  return line ? { kind: "line", line } : { kind: "text", text: offScript };
}

/** Says and does what the script says. */
export function perform(cue: Cue, { messages }: ChatRequest): Draft {
  if (cue.kind === "tools") return { text: "", tool_calls: cue.calls };
  return { text: cue.kind === "line" ? fillIn(cue.line.reply, messages) : cue.text };
}

/** demo/scripted: the script's own answers, and real calls of the tools it is offered. */
export const respondFromScript: Respond = (request) => perform(readScript(request), request);

function describe({ name, input, output, failed }: ToolResult): string {
  if (failed) return `I could not find that out: the ${name} tool reported a problem.`;
  if (name === "current_time") return `It is ${output}.`;
  if (name === "calculator") return input === "" ? `The result is ${output}.` : `${input} is ${output}.`;
  return `The ${name} tool says: ${output}`;
}
