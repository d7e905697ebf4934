import { compact } from "../../../base/compact.ts";
import { randomUUID } from "node:crypto";
import type { AgentEvent, AskedToolCall, SuccessfulOutcome, ToolRun } from "../../../agent/loop/agent-outcome.ts";
import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { pairToolMessages, type LooseMessage, type LooseToolCall } from "../../../agent/messages/history.ts";
import { toUserMessage } from "../../../agent/messages/user-message.ts";
import type { ServiceError } from "../../../contract/errors/errors.ts";
import type { ChatMessage, OpaqueMetadata, Reply, UserPart } from "../../../contract/ports/chat-model.ts";
import type { AgUiMessage, AgUiPart, AgUiRequest, AgUiToolCall } from "../../../contract/schemas/wires/ag-ui.ts";
import { ImageUrl } from "../../../contract/schemas/wires/openai-text.ts";
import type { EventWriter } from "../../http/responses/event-writer.ts";
import { toTurnError } from "../turns/turn-answer.ts";
import type { Turn } from "../turns/turn.ts";
import { fromApprovalId, toApprovalId, toDecision } from "./approvals.ts";
import { fieldError } from "./read-turn.ts";
import { signedCallFirst, decodeMetadata, pendingMetadata, encodeMetadata } from "./opaque-metadata.ts";

/** The messages of an AG-UI request as history for a model. */
export function fromAgUi({
  messages,
  context,
  tools,
}: Pick<AgUiRequest, "messages" | "context"> & Partial<Pick<AgUiRequest, "tools">>): readonly ChatMessage[] {
  const names = new Set((tools ?? []).map(({ name }) => name));
  return pairToolMessages(
    [
      ...toContext(context ?? []),
      ...messages.flatMap((message, index) => toLooseAgUiMessage(message, `/messages/${index}/content`)),
    ],
    { isClientTool: (name) => names.has(name) },
  );
}

function toContext(entries: NonNullable<AgUiRequest["context"]>): LooseMessage[] {
  if (entries.length === 0) return [];
  const lines = entries.map(({ description, value }) => `${description}: ${value}`);
  return [{ role: "system", content: `Context from the application:\n\n${lines.join("\n\n")}` }];
}

function toLooseAgUiMessage(message: AgUiMessage, place: string): LooseMessage[] {
  switch (message.role) {
    case "system":
    case "developer":
      return [{ role: "system", content: message.content }];
    case "user":
      return [{ ...toUserMessage(toUserParts(message.content, place)), ...(message.name && { name: message.name }) }];
    case "assistant":
      return toAgUiReply(message);
    case "tool":
      return [{ role: "tool", tool_call_id: message.toolCallId, content: contentTextOf(message.content, place) }];
    default:
      return [];
  }
}

function toAgUiReply({ content, toolCalls }: Extract<AgUiMessage, { role: "assistant" }>): LooseMessage[] {
  const calls = signedCallFirst((toolCalls ?? []).map(toAgUiCall));
  if (!content && calls.length === 0) return [];
  return [compact({ role: "assistant", content: content ?? "", tool_calls: calls.length > 0 ? calls : undefined })];
}

function toAgUiCall({ id, function: called, encryptedValue }: AgUiToolCall): LooseToolCall {
  const echo = decodeMetadata(encryptedValue)?.(id);
  return compact({ id, name: called.name, arguments: called.arguments, echo: echo ?? undefined });
}

type Content = string | readonly AgUiPart[];

function toUserParts(content: Content, place: string): UserPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part, index): UserPart => {
    if (part.type === "text") return { type: "text", text: part.text };
    const url = imageUrlOf(part);
    if (url !== null && ImageUrl.safeParse(url).success) return { type: "image", url };
    throw fieldError(
      `${place}/${index}`,
      "is not supported: send text, or an image as an http(s) URL or as base64 data",
    );
  });
}

/** The URL of an image, which may be a data URL. */
function imageUrlOf(part: AgUiPart): string | null {
  if (part.type === "image") {
    const { type, value, mimeType } = part.source;
    if (type === "url") return value;
    return type === "data" && mimeType ? dataUrl(mimeType, value) : null;
  }
  if (part.type !== "binary" || !part.mimeType.startsWith("image/")) return null;
  return part.url ?? (part.data ? dataUrl(part.mimeType, part.data) : null);
}

const dataUrl = (mimeType: string, data: string): string => `data:${mimeType};base64,${data}`;

function contentTextOf(content: Content, place: string): string {
  if (typeof content === "string") return content;
  return content
    .map((part, index) => {
      if (part.type === "text") return part.text;
      throw fieldError(`${place}/${index}`, "is not supported: the result of a tool is text");
    })
    .join("");
}

/** Decisions about the tool calls of one waiting run. */
export interface AgUiDecisions {
  readonly runId: string;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
}

/** The decisions in a request; null when it answers no interrupt. */
export function readResume({ resume }: Pick<AgUiRequest, "resume">): AgUiDecisions | null {
  if (!resume || resume.length === 0) return null;
  const answers = resume.map(({ interruptId, status, payload }, index) => {
    const named = fromApprovalId(interruptId);
    if (!named) throw fieldError(`/resume/${index}/interruptId`, "is not an interrupt of this service");
    if (status === "cancelled") return { ...named, decision: toDecision({ approved: false }) };
    if (!payload) throw fieldError(`/resume/${index}/payload`, 'is missing: {"approved": true} or {"approved": false}');
    return { ...named, decision: toDecision(payload) };
  });
  const [runId, ...others] = new Set(answers.map((answer) => answer.runId));
  if (runId === undefined || others.length > 0) throw fieldError("/resume", "answers interrupts of different runs");
  const decisions = new Map(answers.map(({ callId, decision }) => [callId, decision]));
  // Two answers may contradict each other, so neither is used.
  if (decisions.size < answers.length) throw fieldError("/resume", "answers an interrupt more than once");
  return { runId, decisions: Object.fromEntries(decisions) };
}

const protocolVersion = "1.0";

type SendAgUi = (event: { readonly type: string } & Readonly<Record<string, unknown>>) => void;

export interface AgUiRun {
  readonly threadId: string;
  readonly runId: string;
  /** Calls that the client already has, from the run that this one resumes. */
  readonly knownCalls: readonly string[];
  /** The message that contains those calls. */
  readonly parentMessageId: string | undefined;
}

/**
 * Sends a turn as AG-UI events: a message for the text of each model call, its tool calls with their results, and its reasoning.
 * Calls that need approval end the run with interrupts. Calls of client tools are left for the client to answer.
 */
export function sendAgUiEvents(
  stream: EventWriter,
  turn: Turn,
  { run, onCrash }: { run: AgUiRun; onCrash: (error: unknown) => ServiceError },
): void {
  const send: SendAgUi = (event) => stream.send(event);
  const messages = createMessages(send, run);
  const { threadId, runId } = run;
  const metadata = { run_id: turn.runId, model: turn.resolved };
  send({ type: "RUN_STARTED", threadId, runId, protocolVersion, metadata });
  turn.listen(messages.follow);
  void turn.outcome
    .then((outcome) => {
      if (!outcome.ok) throw toTurnError(turn, outcome.error);
      const { refusal, text } = outcome.reply;
      if (text === "" && refusal !== null) messages.addDelta("text", refusal);
      const opaque = pendingMetadata(outcome);
      for (const call of outcome.pending_tool_calls) messages.addCall(call, opaque.get(call.id), call.arguments);
      messages.close();
      send({ type: "RUN_FINISHED", threadId, runId, ...toAgUiEnd(turn, outcome) });
    })
    .then(
      () => stream.end(),
      (thrown: unknown) => {
        messages.close();
        sendAgUiError(stream, onCrash(thrown));
      },
    );
}

/** Ends a stream with an error, also before its run has started. */
export function sendAgUiError(stream: EventWriter, { message, code }: ServiceError): void {
  stream.send({ type: "RUN_ERROR", message, code });
  stream.end();
}

const messageKinds = {
  text: { event: "TEXT_MESSAGE", role: "assistant" },
  reasoning: { event: "REASONING_MESSAGE", role: "reasoning" },
} as const;

interface Messages {
  follow(event: AgentEvent): void;
  addDelta(kind: keyof typeof messageKinds, delta: string): void;
  /** `text`: the arguments as the model wrote them, if known. */
  addCall(call: AskedToolCall, echo: OpaqueMetadata | undefined, text?: string): void;
  close(): void;
}

/** Writes messages and calls; each is ended before the next one starts. */
function createMessages(send: SendAgUi, { knownCalls, parentMessageId }: AgUiRun): Messages {
  const known = new Set(knownCalls);
  const metadata = new Map<string, OpaqueMetadata>();
  /** The message that contains the next call. */
  let parent = parentMessageId;
  let open: { readonly kind: keyof typeof messageKinds; readonly messageId: string } | null = null;

  function close(): void {
    if (!open) return;
    const { kind, messageId } = open;
    send({ type: `${messageKinds[kind].event}_END`, messageId });
    if (kind === "reasoning") send({ type: "REASONING_END", messageId });
    open = null;
  }
  function begin(kind: keyof typeof messageKinds): string {
    close();
    const messageId = randomUUID();
    open = { kind, messageId };
    if (kind === "text") parent = messageId;
    else send({ type: "REASONING_START", messageId });
    send({ type: `${messageKinds[kind].event}_START`, messageId, role: messageKinds[kind].role });
    return messageId;
  }
  function addDelta(kind: keyof typeof messageKinds, delta: string): void {
    // Clients of earlier versions reject an empty delta.
    if (delta === "") return;
    const messageId = open?.kind === kind ? open.messageId : begin(kind);
    send({ type: `${messageKinds[kind].event}_CONTENT`, messageId, delta });
  }
  function addCall(
    { id: toolCallId, name, args }: AskedToolCall,
    echo = metadata.get(toolCallId),
    text = JSON.stringify(args),
  ): void {
    if (known.has(toolCallId)) return;
    known.add(toolCallId);
    close();
    parent ??= randomUUID();
    send({ type: "TOOL_CALL_START", toolCallId, toolCallName: name, parentMessageId: parent });
    send({ type: "TOOL_CALL_ARGS", toolCallId, delta: text });
    send({ type: "TOOL_CALL_END", toolCallId });
    const encryptedValue = echo ? encodeMetadata(new Map([[toolCallId, echo]])) : null;
    if (encryptedValue !== null) {
      send({ type: "REASONING_ENCRYPTED_VALUE", subtype: "tool-call", entityId: toolCallId, encryptedValue });
    }
  }
  function addResult({ id: toolCallId, result }: ToolRun): void {
    send({ type: "TOOL_CALL_RESULT", messageId: randomUUID(), toolCallId, content: result, role: "tool" });
  }
  /** For plug-ins: they run tools themselves, without passing the metadata on. */
  function rememberMetadata(reply: Reply | null): void {
    for (const { id, echo } of reply?.ok ? reply.tool_calls : []) if (echo) metadata.set(id, echo);
  }

  return {
    follow(event) {
      if (event.type === "text-delta") addDelta("text", event.text);
      else if (event.type === "reasoning-delta") addDelta("reasoning", event.text);
      else if (event.type === "model-start") {
        close();
        parent = undefined;
      } else if (event.type === "model-end") rememberMetadata(event.reply);
      else if (event.type === "tool-start") addCall(event.tool_call, event.echo);
      else if (event.type === "tool-end") addResult(event.tool_call);
      else if (event.type === "tool-skipped") {
        addCall(event.tool_call, event.echo);
        addResult(event.tool_call);
      }
    },
    addDelta,
    addCall,
    close,
  };
}

function toAgUiEnd(turn: Turn, outcome: SuccessfulOutcome) {
  const { finish_reason, cost, uncounted } = outcome;
  const interrupts = toInterrupts(turn, outcome);
  return compact({
    // No outcome means success. Clients before 1.0 reject an outcome for client tools, and all clients find those calls without it.
    outcome: interrupts.length > 0 ? { type: "interrupt", interrupts } : undefined,
    usage: !uncounted ? [toTokenUsage(turn, outcome)] : undefined,
    metadata: compact({ run_id: turn.runId, model: turn.resolved, finish_reason, cost: cost ?? undefined }),
  });
}

const answerSchema = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    reason: { type: "string", description: "The reason for a denial. The model reads it." },
  },
  required: ["approved"],
};

function toInterrupts({ runId }: Turn, { pending_run }: SuccessfulOutcome) {
  const waiting = (pending_run?.calls ?? []).filter(({ state }) => state === "approval");
  return waiting.map(({ id, name }) => ({
    id: toApprovalId(runId, id),
    reason: "tool_approval",
    message: `The agent asks to call ${name}.`,
    toolCallId: id,
    responseSchema: answerSchema,
  }));
}

function toTokenUsage({ resolved }: Turn, { usage }: SuccessfulOutcome) {
  const { input_tokens, output_tokens, total_tokens, cached_tokens, cache_write_tokens, reasoning_tokens } = usage;
  return compact({
    model: resolved,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    totalTokens: total_tokens,
    cachedInputTokens: cached_tokens,
    cacheWriteInputTokens: cache_write_tokens,
    reasoningTokens: reasoning_tokens,
  });
}
