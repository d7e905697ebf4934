import { firstCharacters } from "../base/text.ts";
import { isRecord } from "../base/json.ts";
import type { SuccessfulReply, ToolCall } from "../contract/ports/chat-model.ts";
import { toMeantName } from "./meant-name.ts";
import type { IssueId } from "./tool-call-id.ts";
import { toToolName } from "./tool-name.ts";
import type { Tool, ToolArguments } from "./tool.ts";
import type { Toolbox } from "./toolbox.ts";

interface CallIdentity extends ToolCall {
  /** Valid JSON for the history. */
  readonly arguments: string;
}

/** A call we carry out. */
export interface RunnableCall extends CallIdentity {
  readonly kind: "runnable";
  readonly args: ToolArguments;
  readonly tool: Tool;
}

/** A call for somebody else: a client's tool, or one that needs approval. */
export interface HandedOutCall extends CallIdentity {
  readonly kind: "handed-out";
  readonly args: ToolArguments;
  /** Who decides: the client whose tool it is, or whoever may approve a call of ours. */
  readonly waitsFor: "client" | "approval";
}

/** A call nobody can carry out. `sent` is the beginning of what the model wrote. */
export interface UnusableCall extends CallIdentity {
  readonly kind: "unusable";
  readonly sent: string;
  readonly error: string;
}

/** A call that will not be carried out. `reason` is what the model reads. */
interface DeclinedCall extends CallIdentity {
  readonly kind: "declined";
  readonly reason: string;
}

/** A call of the client's that it has carried out. `content` is what the model reads. */
interface AnsweredCall extends CallIdentity {
  readonly kind: "answered";
  readonly content: string;
}

export type ReadCall = RunnableCall | HandedOutCall | UnusableCall | DeclinedCall | AnsweredCall;

/** So many characters are told of what a model wrote and nobody can use. */
export const shownArguments = 800;

/** What the calls of a reply ask for, in order. */
export function readToolCalls(
  reply: SuccessfulReply,
  { toolbox, issueId }: { toolbox: Toolbox; issueId: IssueId },
): readonly ReadCall[] {
  const cutOff = reply.finish_reason === "length";
  return reply.tool_calls.map((call) => readToolCall(call, { toolbox, id: issueId(call.id), cutOff }));
}

function readToolCall(
  call: ToolCall,
  { toolbox, id, cutOff }: { toolbox: Toolbox; id: string; cutOff: boolean },
): ReadCall {
  const identity = { id, ...(call.echo && { echo: call.echo }) };
  const name = toMeantName(call.name, (known) => toolbox.own.has(known) || toolbox.client.has(known));
  const unusable = (error: string): UnusableCall => ({
    kind: "unusable",
    ...identity,
    name: toToolName(name),
    arguments: "{}",
    sent: firstCharacters(call.arguments, shownArguments),
    error,
  });

  const tool = toolbox.own.get(name);
  if (!tool && !toolbox.client.has(name)) return unusable(describeUnknown(call.name, toolbox));
  const parsed = parseArguments(call.arguments, cutOff);
  if (!parsed.ok) return unusable(parsed.error);
  const { args, text } = parsed;
  // A client's schema is not compiled: it is the client who checks, and a request must not make us build validators.
  if (!tool) return { kind: "handed-out", ...identity, name, arguments: text, args, waitsFor: "client" };
  const problem = tool.check(args);
  if (problem) return unusable(problem);
  if (tool.needsApproval) {
    return { kind: "handed-out", ...identity, name, arguments: text, args, waitsFor: "approval" };
  }
  return { kind: "runnable", ...identity, name, arguments: text, args, tool };
}

function describeUnknown(name: string, { own, client }: Toolbox): string {
  const known = [...own.keys(), ...client];
  const choice = known.length === 0 ? "There are no tools." : `The tools are: ${known.join(", ")}.`;
  return `there is no tool named ${JSON.stringify(firstCharacters(name, 64))}. ${choice}`;
}

type ParsedArguments =
  | { readonly ok: true; readonly args: ToolArguments; readonly text: string }
  | { readonly ok: false; readonly error: string };

function parseArguments(text: string, cutOff: boolean): ParsedArguments {
  // Endpoints send an empty text or null for a call without arguments.
  if (/^\s*(?:null\s*)?$/.test(text)) return { ok: true, args: {}, text: "{}" };
  try {
    const args: unknown = JSON.parse(text);
    if (isRecord(args)) return { ok: true, args, text };
    // Some servers write them as JSON twice.
    if (typeof args === "string" && args.trimStart().startsWith("{")) return parseArguments(args, cutOff);
    return { ok: false, error: "the arguments are not a JSON object" };
  } catch (error) {
    const reason = cutOff ? "they were cut off by the reply's length limit" : describeParseError(error);
    return { ok: false, error: `the arguments are not valid JSON: ${reason}` };
  }
}

function describeParseError(error: unknown): string {
  return firstCharacters(error instanceof Error ? error.message : String(error), 200);
}
