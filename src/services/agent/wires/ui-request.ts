import { pairToolMessages, type LooseMessage, type LooseToolCall } from "../../../agent/messages/history.ts";
import { toUserMessage } from "../../../agent/messages/user-message.ts";
import { isDenial, type ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import type { UiMessage, UiPart, UiToolPart } from "../../../contract/schemas/ai-sdk.ts";
import type { CallEcho, ChatMessage, UserPart } from "../../../contract/ports/chat-model.ts";
import { ImageUrl } from "../../../contract/schemas/openai-text.ts";
import { fromApprovalId, toDecision } from "./approval-id.ts";
import { echoFirst } from "./echo-first.ts";
import { fieldError } from "./openai-request.ts";
import { openEchoes, sealEchoes } from "./sealed-echoes.ts";

/** A conversation as the AI SDK's chat keeps it, as history for a model. */
export function fromUiMessages(messages: readonly UiMessage[]): readonly ChatMessage[] {
  refuseFiles(messages);
  return pairToolMessages(messages.flatMap(toLooseMessages));
}

function refuseFiles(messages: readonly UiMessage[]): void {
  for (const [index, { role, parts }] of messages.entries()) {
    const place = parts.findIndex((part) => isFile(part) && (role !== "user" || !isPicture(part)));
    if (place === -1) continue;
    const message =
      "is a file: only text can be taken, and pictures of a user, as an http(s) address or a base64 data URL";
    throw fieldError(`/messages/${index}/parts/${place}`, message);
  }
}

type UiFilePart = Extract<UiPart, { type: "file" }>;

function isFile(part: UiPart): part is UiFilePart {
  return part.type === "file";
}

function isPicture({ mediaType, url }: UiFilePart): boolean {
  return /^image(?:\/|$)/i.test(mediaType) && ImageUrl.safeParse(url).success;
}

function toLooseMessages({ role, parts }: UiMessage): LooseMessage[] {
  if (role === "user") return [toUserMessage(parts.flatMap(toUserPart))];
  if (role !== "assistant") return [{ role, content: textOf(parts) }];
  return stepsOf(parts).flatMap((step) => {
    const tools = step.filter(isToolPart);
    const content = textOf(step);
    if (content === "" && tools.length === 0) return [];
    const calls = echoFirst(tools.map(toCall));
    return [{ role, content, ...(calls.length > 0 && { tool_calls: calls }) }, ...tools.flatMap(toResult)];
  });
}

/** One message of the chat holds every step of a turn; each is a message of its own to the model. */
function stepsOf(parts: readonly UiPart[]): UiPart[][] {
  const steps: UiPart[][] = [[]];
  for (const part of parts) {
    if (part.type === "step-start") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps;
}

function isToolPart(part: UiPart): part is UiToolPart {
  return "toolCallId" in part;
}

function textOf(parts: readonly UiPart[]): string {
  return parts.map((part) => ("text" in part && typeof part.text === "string" ? part.text : "")).join("");
}

function toUserPart(part: UiPart): UserPart[] {
  if (isFile(part)) return [{ type: "image", url: part.url }];
  const text = textOf([part]);
  return text === "" ? [] : [{ type: "text", text }];
}

function toCall({ toolCallId, input, callProviderMetadata, ...part }: UiToolPart): LooseToolCall {
  const echo = openEchoes(callProviderMetadata?.rehearsal?.echo)?.(toolCallId);
  return { id: toolCallId, name: nameOf(part), arguments: JSON.stringify(input ?? {}), ...(echo && { echo }) };
}

/** What the provider wants to see again beside a call, where the chat keeps it and sends it back. */
export function toProviderMetadata(callId: string, echo: CallEcho | undefined) {
  const sealed = echo ? sealEchoes(new Map([[callId, echo]])) : null;
  return sealed === null ? {} : { providerMetadata: { rehearsal: { echo: sealed } } };
}

function nameOf({ type, toolName }: Pick<UiToolPart, "type" | "toolName">): string {
  return type === "dynamic-tool" ? (toolName ?? "") : type.slice("tool-".length);
}

function toResult({ toolCallId, state, output, errorText, approval }: UiToolPart): LooseMessage[] {
  const result = { role: "tool", tool_call_id: toolCallId } as const;
  if (state === "output-available") {
    return [{ ...result, content: typeof output === "string" ? output : (JSON.stringify(output) ?? "") }];
  }
  if (state === "output-denied") {
    const reason = approval?.reason ? `, for this reason: ${approval.reason}` : ".";
    return [{ ...result, content: `The call was not run: it was not approved${reason}` }];
  }
  return state === "output-error" ? [{ ...result, content: errorText ?? "The tool failed." }] : [];
}

/** Decisions about the tool calls of one run that waits. */
interface UiDecisions {
  readonly runId: string;
  readonly messageId: string;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
  readonly denied: readonly string[];
}

/** What the person decided, when the conversation ends with decisions about calls that wait; else null. */
export function readDecisions(messages: readonly UiMessage[]): UiDecisions | null {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return null;
  const decided = last.parts.filter(isToolPart).filter(({ state }) => state === "approval-responded");
  const [first] = decided;
  const waiting = first?.approval && fromApprovalId(first.approval.id);
  if (!waiting) return null;
  const { runId } = waiting;
  const decisions = decided.flatMap(({ approval }): [string, ApprovalDecision][] => {
    if (!approval) return [];
    const named = fromApprovalId(approval.id);
    return named?.runId === runId ? [[named.callId, toDecision(approval)]] : [];
  });
  const denied = decisions.flatMap(([id, decision]) => (isDenial(decision) ? id : []));
  return { runId, messageId: last.id, decisions: Object.fromEntries(decisions), denied };
}
