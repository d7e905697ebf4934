import { pairToolMessages, type LooseMessage, type LooseToolCall } from "../../../agent/messages/history.ts";
import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { toUserMessage } from "../../../agent/messages/user-message.ts";
import type { AgUiMessage, AgUiPart, AgUiRequest, AgUiToolCall } from "../../../contract/schemas/ag-ui.ts";
import type { ChatMessage, UserPart } from "../../../contract/ports/chat-model.ts";
import { ImageUrl } from "../../../contract/schemas/openai-text.ts";
import { fromApprovalId, toDecision } from "./approval-id.ts";
import { echoFirst } from "./echo-first.ts";
import { fieldError } from "./openai-request.ts";
import { openEchoes } from "./sealed-echoes.ts";

/** What a client of AG-UI sends as history for a model. */
export function fromAgUi({ messages, context }: Pick<AgUiRequest, "messages" | "context">): readonly ChatMessage[] {
  return pairToolMessages([
    ...toContext(context ?? []),
    ...messages.flatMap((message, index) => toLooseMessage(message, `/messages/${index}/content`)),
  ]);
}

function toContext(entries: NonNullable<AgUiRequest["context"]>): LooseMessage[] {
  if (entries.length === 0) return [];
  const lines = entries.map(({ description, value }) => `${description}: ${value}`);
  return [{ role: "system", content: `What the application says of this moment:\n\n${lines.join("\n\n")}` }];
}

function toLooseMessage(message: AgUiMessage, place: string): LooseMessage[] {
  switch (message.role) {
    case "system":
    case "developer":
      return [{ role: "system", content: message.content }];
    case "user":
      return [{ ...toUserMessage(toUserParts(message.content, place)), ...(message.name && { name: message.name }) }];
    case "assistant":
      return toReply(message);
    case "tool":
      return [{ role: "tool", tool_call_id: message.toolCallId, content: textOf(message.content, place) }];
    default:
      return [];
  }
}

function toReply({ content, toolCalls }: Extract<AgUiMessage, { role: "assistant" }>): LooseMessage[] {
  const calls = echoFirst((toolCalls ?? []).map(toCall));
  if (!content && calls.length === 0) return [];
  return [{ role: "assistant", content: content ?? "", ...(calls.length > 0 && { tool_calls: calls }) }];
}

function toCall({ id, function: called, encryptedValue }: AgUiToolCall): LooseToolCall {
  const echo = openEchoes(encryptedValue)?.(id);
  return { id, name: called.name, arguments: called.arguments, ...(echo && { echo }) };
}

type Content = string | readonly AgUiPart[];

function toUserParts(content: Content, place: string): UserPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part, index): UserPart => {
    if (part.type === "text") return { type: "text", text: part.text };
    const url = pictureOf(part);
    if (url !== null && ImageUrl.safeParse(url).success) return { type: "image", url };
    throw fieldError(
      `${place}/${index}`,
      "cannot be taken: send text, or a picture as an http(s) address or as base64 data",
    );
  });
}

/** The address of a picture, or the picture as one. */
function pictureOf(part: AgUiPart): string | null {
  if (part.type === "image") {
    const { type, value, mimeType } = part.source;
    if (type === "url") return value;
    return type === "data" && mimeType ? dataUrl(mimeType, value) : null;
  }
  if (part.type !== "binary" || !part.mimeType.startsWith("image/")) return null;
  return part.url ?? (part.data ? dataUrl(part.mimeType, part.data) : null);
}

const dataUrl = (mimeType: string, data: string): string => `data:${mimeType};base64,${data}`;

function textOf(content: Content, place: string): string {
  if (typeof content === "string") return content;
  return content
    .map((part, index) => {
      if (part.type === "text") return part.text;
      throw fieldError(`${place}/${index}`, "cannot be taken: the result of a tool is text");
    })
    .join("");
}

/** Decisions about the tool calls of one run that waits. */
export interface AgUiDecisions {
  readonly runId: string;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
}

/** Null where the client answers no interrupt. */
export function readResume({ resume }: Pick<AgUiRequest, "resume">): AgUiDecisions | null {
  if (!resume || resume.length === 0) return null;
  const answers = resume.map(({ interruptId, status, payload }, index) => {
    const named = fromApprovalId(interruptId);
    if (!named) throw fieldError(`/resume/${index}/interruptId`, "is no interrupt of this service");
    if (status === "cancelled") return { ...named, decision: toDecision({ approved: false }) };
    if (!payload) throw fieldError(`/resume/${index}/payload`, 'is missing: {"approved": true} or {"approved": false}');
    return { ...named, decision: toDecision(payload) };
  });
  const [runId, ...others] = new Set(answers.map((answer) => answer.runId));
  if (runId === undefined || others.length > 0) throw fieldError("/resume", "answers interrupts of different runs");
  const decisions = new Map(answers.map(({ callId, decision }) => [callId, decision]));
  // Which of two answers counts is not for us to guess: one may approve what the other denies.
  if (decisions.size < answers.length) throw fieldError("/resume", "answers an interrupt more than once");
  return { runId, decisions: Object.fromEntries(decisions) };
}
