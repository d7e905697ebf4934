import { compact } from "../../../base/compact.ts";
import type { AgentEvent, AskedToolCall, SuccessfulOutcome, ToolRun } from "../../../agent/loop/agent-outcome.ts";
import { isDenial, type ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { pairToolMessages, type LooseMessage, type LooseToolCall } from "../../../agent/messages/history.ts";
import { toUserMessage } from "../../../agent/messages/user-message.ts";
import type { ServiceError } from "../../../contract/errors/errors.ts";
import type { ChatMessage, OpaqueMetadata, Reply, UserPart } from "../../../contract/ports/chat-model.ts";
import type { UiMessage, UiPart, UiToolPart } from "../../../contract/schemas/wires/ai-sdk.ts";
import { ImageUrl } from "../../../contract/schemas/wires/openai-text.ts";
import type { EventWriter } from "../../http/responses/event-writer.ts";
import { endedAtLimit, toTurnError } from "../turns/turn-answer.ts";
import type { Turn } from "../turns/turn.ts";
import { fromApprovalId, toApprovalId, toDecision } from "./approvals.ts";
import { fieldError } from "./read-turn.ts";
import { signedCallFirst, decodeMetadata, pendingMetadata, encodeMetadata } from "./opaque-metadata.ts";

/** A conversation of the AI SDK's `useChat` as history for a model. */
export function fromUiMessages(messages: readonly UiMessage[]): readonly ChatMessage[] {
  refuseFiles(messages);
  return pairToolMessages(messages.flatMap(toLooseMessages));
}

function refuseFiles(messages: readonly UiMessage[]): void {
  for (const [index, { role, parts }] of messages.entries()) {
    const at = parts.findIndex((part) => isFilePart(part) && (role !== "user" || !isImage(part)));
    if (at === -1) continue;
    const message =
      "is a file: only text is supported, and images in user messages, as an http(s) URL or a base64 data URL";
    throw fieldError(`/messages/${index}/parts/${at}`, message);
  }
}

type UiFilePart = Extract<UiPart, { type: "file" }>;

function isFilePart(part: UiPart): part is UiFilePart {
  return part.type === "file";
}

function isImage({ mediaType, url }: UiFilePart): boolean {
  return /^image(?:\/|$)/i.test(mediaType) && ImageUrl.safeParse(url).success;
}

function toLooseMessages({ role, parts }: UiMessage): LooseMessage[] {
  if (role === "user") return [toUserMessage(parts.flatMap(toUserPart))];
  if (role !== "assistant") return [{ role, content: partText(parts) }];
  return stepsOf(parts).flatMap((step) => {
    const tools = step.filter(isToolPart);
    const content = partText(step);
    if (content === "" && tools.length === 0) return [];
    const calls = signedCallFirst(tools.map(toUiCall));
    return [compact({ role, content, tool_calls: calls.length > 0 ? calls : undefined }), ...tools.flatMap(toUiResult)];
  });
}

/** Splits a message, which contains all steps of a turn, into one part per step: the model gets a message for each. */
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

function partText(parts: readonly UiPart[]): string {
  return parts.map((part) => ("text" in part && typeof part.text === "string" ? part.text : "")).join("");
}

function toUserPart(part: UiPart): UserPart[] {
  if (isFilePart(part)) return [{ type: "image", url: part.url }];
  const text = partText([part]);
  return text === "" ? [] : [{ type: "text", text }];
}

function toUiCall({ toolCallId, input, callProviderMetadata, ...part }: UiToolPart): LooseToolCall {
  const echo = decodeMetadata(callProviderMetadata?.rehearsal?.echo)?.(toolCallId);
  return compact({
    id: toolCallId,
    name: toolPartName(part),
    arguments: JSON.stringify(input ?? {}),
    echo: echo ?? undefined,
  });
}

/** Opaque metadata of a call in the field that `useChat` keeps and sends back. */
function toProviderMetadata(callId: string, echo: OpaqueMetadata | undefined) {
  const encoded = echo ? encodeMetadata(new Map([[callId, echo]])) : null;
  return encoded === null ? {} : { providerMetadata: { rehearsal: { echo: encoded } } };
}

function toolPartName({ type, toolName }: Pick<UiToolPart, "type" | "toolName">): string {
  return type === "dynamic-tool" ? (toolName ?? "") : type.slice("tool-".length);
}

function toUiResult({ toolCallId, state, output, errorText, approval }: UiToolPart): LooseMessage[] {
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

/** Decisions about the tool calls of one waiting run. */
interface UiDecisions {
  readonly runId: string;
  readonly messageId: string;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
  readonly denied: readonly string[];
}

/** The decisions at the end of the conversation; null when it does not end with any. */
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

/** Identifies the protocol and its version to the AI SDK. */
export const uiStreamHeaders = { "x-vercel-ai-ui-message-stream": "v1" };

type Send = (chunk: { readonly type: string } & Readonly<Record<string, unknown>>) => void;

/**
 * Sends a turn as the AI SDK's UI message stream, version 1: one message whose steps are the model calls, with their text, tool
 * calls and results. Calls that need approval ask for it.
 */
export function sendUiMessage(
  stream: EventWriter,
  turn: Turn,
  {
    messageId,
    denied = [],
    onCrash,
  }: {
    messageId: string;
    /** Calls of that message which the user has just denied. */
    denied?: readonly string[];
    onCrash: (error: unknown) => ServiceError;
  },
): void {
  const send: Send = (chunk) => stream.send(chunk);
  const steps = createSteps(send, new Set(denied));
  send({ type: "start", messageId, messageMetadata: { run_id: turn.runId, model: turn.resolved } });
  for (const toolCallId of denied) send({ type: "tool-output-denied", toolCallId });
  turn.listen(steps.follow);
  void turn.outcome
    .then((outcome) => {
      if (!outcome.ok) throw toTurnError(turn, outcome.error);
      const { refusal, text } = outcome.reply;
      if (text === "" && refusal !== null) steps.addDelta(outcome.model_calls, refusal);
      const waiting = new Set(outcome.pending_run?.calls.flatMap(({ id, state }) => (state === "approval" ? id : [])));
      const opaque = pendingMetadata(outcome);
      for (const call of outcome.pending_tool_calls) {
        const approvalId = waiting.has(call.id) ? toApprovalId(turn.runId, call.id) : null;
        steps.handOut(call, { approvalId, echo: opaque.get(call.id) });
      }
      steps.end();
      send({ type: "finish", finishReason: toFinishReason(outcome), messageMetadata: toMetadata(turn, outcome) });
    })
    .then(
      () => endStream(stream),
      (thrown: unknown) => sendUiError(stream, onCrash(thrown)),
    );
}

/** Ends a stream with an error, also before its message has started. */
export function sendUiError(stream: EventWriter, { message }: ServiceError): void {
  stream.send({ type: "error", errorText: message });
  endStream(stream);
}

function endStream(stream: EventWriter): void {
  stream.write("data: [DONE]\n\n");
  stream.end();
}

interface Steps {
  follow(event: AgentEvent): void;
  addDelta(call: number, text: string): void;
  handOut(call: AskedToolCall, options: { approvalId: string | null; echo: OpaqueMetadata | undefined }): void;
  end(): void;
}

/** Writes text and tool calls in order; each part is ended before the next one starts. */
function createSteps(send: Send, denied: ReadonlySet<string>): Steps {
  const metadata = new Map<string, OpaqueMetadata>();
  let inStep = false;
  let open: { readonly kind: "text" | "reasoning"; readonly id: string } | null = null;

  function endText(): void {
    if (open !== null) send({ type: `${open.kind}-end`, id: open.id });
    open = null;
  }
  function end(): void {
    endText();
    if (inStep) send({ type: "finish-step" });
    inStep = false;
  }
  function begin(): void {
    end();
    send({ type: "start-step" });
    inStep = true;
  }
  function addDelta(call: number, delta: string, kind: "text" | "reasoning" = "text"): void {
    if (!inStep) begin();
    if (open?.kind !== kind) {
      endText();
      open = { kind, id: `${kind}-${call}` };
      send({ type: `${kind}-start`, id: open.id });
    }
    send({ type: `${kind}-delta`, id: open.id, delta });
  }
  function addCall({ id, name, args }: AskedToolCall, echo = metadata.get(id)): void {
    endText();
    const call = { toolCallId: id, toolName: name, input: args, dynamic: true };
    send({ type: "tool-input-available", ...call, ...toProviderMetadata(id, echo) });
  }
  /** For plug-ins: they run tools themselves, without passing the metadata on. */
  function rememberMetadata(reply: Reply | null): void {
    for (const { id, echo } of reply?.ok ? reply.tool_calls : []) if (echo) metadata.set(id, echo);
  }
  function addResult({ id, ok, result }: ToolRun): void {
    if (ok) send({ type: "tool-output-available", toolCallId: id, output: result, dynamic: true });
    else send({ type: "tool-output-error", toolCallId: id, errorText: result, dynamic: true });
  }

  return {
    follow(event) {
      if (event.type === "text-delta") addDelta(event.call, event.text);
      else if (event.type === "reasoning-delta") addDelta(event.call, event.text, "reasoning");
      else if (event.type === "model-start") begin();
      else if (event.type === "model-end") rememberMetadata(event.reply);
      else if (event.type === "tool-start") addCall(event.tool_call, event.echo);
      else if (event.type === "tool-end") addResult(event.tool_call);
      // Denied calls were reported with `tool-output-denied` at the start of the stream.
      else if (event.type === "tool-skipped" && !denied.has(event.tool_call.id)) {
        addCall(event.tool_call, event.echo);
        addResult(event.tool_call);
      }
    },
    addDelta,
    handOut(call, { approvalId, echo }) {
      addCall(call, echo);
      if (approvalId !== null) send({ type: "tool-approval-request", approvalId, toolCallId: call.id });
    },
    end,
  };
}

function toFinishReason({ finish_reason: reason }: SuccessfulOutcome): string {
  if (reason === "tool_calls") return "tool-calls";
  if (reason === "content_filter") return "content-filter";
  if (endedAtLimit(reason)) return "length";
  return reason === "stop" ? "stop" : "other";
}

function toMetadata(turn: Turn, { finish_reason, usage, uncounted, cost }: SuccessfulOutcome) {
  const known = compact({ usage: !uncounted ? usage : undefined, cost: cost ?? undefined });
  return { run_id: turn.runId, model: turn.resolved, finish_reason, ...known };
}
