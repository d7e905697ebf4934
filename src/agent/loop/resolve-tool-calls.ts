import { compact } from "../../base/compact.ts";
import { isRecord } from "../../base/json.ts";
import { truncateText } from "../../base/text.ts";
import type { SuccessfulReply, ToolCall } from "../../contract/ports/chat-model.ts";
import type { IssueId } from "../messages/tool-call-id.ts";
import { matchToolName, toToolName } from "../messages/tool-name.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import type { Tool, ToolArguments } from "../tools/tool.ts";

/** A tool call of the model and its resolution. `arguments` is valid JSON, for the history. */
export type ResolvedCall = RunnableCall | HandedOutCall | UnusableCall | DeclinedCall | RefusedCall;

/** A call the agent carries out. */
export interface RunnableCall extends ToolCall {
  readonly kind: "runnable";
  readonly args: ToolArguments;
  readonly tool: Tool;
}

/** A call of a client's tool, or of one that needs approval. */
export interface HandedOutCall extends ToolCall {
  readonly kind: "handed-out";
  readonly args: ToolArguments;
  readonly waitsFor: "client" | "approval";
}

/** A call of an unknown tool or with invalid arguments. `sent` is the beginning of the arguments the model wrote. */
interface UnusableCall extends ToolCall {
  readonly kind: "unusable";
  readonly sent: string;
  readonly error: string;
}

/** A call that will not be carried out. `reason` is written for the model. */
interface DeclinedCall extends ToolCall {
  readonly kind: "declined";
  readonly reason: string;
}

/** A call that the client has carried out. `content` is its result as the model reads it. */
interface RefusedCall extends ToolCall {
  readonly kind: "answered";
  readonly content: string;
}

/** Characters of unusable arguments that are shown to the model and in the outcome. */
export const shownArguments = 800;

/** Resolves the calls of a reply, in order. */
export function resolveToolCalls(
  reply: SuccessfulReply,
  { toolbox, issueId }: { toolbox: Toolbox; issueId: IssueId },
): readonly ResolvedCall[] {
  const cutOff = reply.finish_reason === "length";
  return reply.tool_calls.map((call) => resolveToolCall(call, { toolbox, id: issueId(call.id), cutOff }));
}

/** The call without its resolution. */
export function toToolCall({ id, name, arguments: text, echo }: ToolCall): ToolCall {
  return compact({ id, name, arguments: text, echo });
}

function resolveToolCall(
  call: ToolCall,
  { toolbox, id, cutOff }: { toolbox: Toolbox; id: string; cutOff: boolean },
): ResolvedCall {
  const name = matchToolName(call.name, (known) => toolbox.own.has(known) || toolbox.client.has(known));
  const unusable = (error: string): UnusableCall => ({
    kind: "unusable",
    ...toToolCall({ ...call, id, name: toToolName(name), arguments: "{}" }),
    sent: truncateText(call.arguments, shownArguments),
    error,
  });

  const tool = toolbox.own.get(name);
  if (!tool && !toolbox.client.has(name)) return unusable(describeUnknown(call.name, toolbox));
  const parsed = parseCalledArguments(call.arguments, cutOff);
  if (!parsed.ok) return unusable(parsed.error);
  const { args, text } = parsed;
  const asked = toToolCall({ ...call, id, name, arguments: text });
  // A client checks its own calls: a request must not make us compile its schemas.
  if (!tool) return { kind: "handed-out", ...asked, args, waitsFor: "client" };
  const problem = tool.check(args);
  if (problem) return unusable(problem);
  if (tool.needsApproval) return { kind: "handed-out", ...asked, args, waitsFor: "approval" };
  return { kind: "runnable", ...asked, args, tool };
}

function describeUnknown(name: string, { own, client }: Toolbox): string {
  const known = [...own.keys(), ...client];
  const choice = known.length === 0 ? "There are no tools." : `The tools are: ${known.join(", ")}.`;
  return `there is no tool named ${JSON.stringify(truncateText(name, 64))}. ${choice}`;
}

type ParsedArguments =
  | { readonly ok: true; readonly args: ToolArguments; readonly text: string }
  | { readonly ok: false; readonly error: string };

function parseCalledArguments(text: string, cutOff: boolean): ParsedArguments {
  // Endpoints send an empty text or null for a call without arguments.
  if (/^\s*(?:null\s*)?$/.test(text)) return { ok: true, args: {}, text: "{}" };
  try {
    const args: unknown = JSON.parse(text);
    if (isRecord(args)) return { ok: true, args, text };
    // Some servers encode the arguments as JSON twice.
    if (typeof args === "string" && args.trimStart().startsWith("{")) return parseCalledArguments(args, cutOff);
    return { ok: false, error: "the arguments are not a JSON object" };
  } catch (error) {
    const reason = cutOff ? "they were cut off by the reply's length limit" : describeParseError(error);
    return { ok: false, error: `the arguments are not valid JSON: ${reason}` };
  }
}

function describeParseError(error: unknown): string {
  return truncateText(error instanceof Error ? error.message : String(error), 200);
}
