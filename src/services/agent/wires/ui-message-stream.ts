import type { AgentEvent } from "../../../agent/loop/agent-outcome.ts";
import type { AskedToolCall, SuccessfulOutcome, ToolRun } from "../../../agent/loop/agent-outcome.ts";
import type { OpaqueMetadata, Reply } from "../../../contract/ports/chat-model.ts";
import type { ServiceError } from "../../../contract/errors.ts";
import type { EventWriter } from "../../http/responses/event-writer.ts";
import { pendingEchoes } from "../turns/pending-echoes.ts";
import type { Turn } from "../turns/turn.ts";
import { toTurnError } from "../turns/turn-headers.ts";
import { toApprovalId } from "./approval-id.ts";
import { isCutShort } from "./is-cut-short.ts";
import { toProviderMetadata } from "./ui-request.ts";

/** What the AI SDK knows the protocol by. */
export const uiStreamHeaders = { "x-vercel-ai-ui-message-stream": "v1" };

type Send = (chunk: { readonly type: string } & Readonly<Record<string, unknown>>) => void;

/**
 * A turn as the AI SDK's UI message stream, version 1: one message whose steps are the model calls, with their words, the
 * tools they used and what the tools said. Calls that need approval ask for it.
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
    /** Calls of that message which the person has just refused. */
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
      if (text === "" && refusal !== null) steps.speak(outcome.model_calls, refusal);
      const waiting = new Set(outcome.pending_run?.calls.flatMap(({ id, state }) => (state === "approval" ? id : [])));
      const echoes = pendingEchoes(outcome);
      for (const call of outcome.pending_tool_calls) {
        const approvalId = waiting.has(call.id) ? toApprovalId(turn.runId, call.id) : null;
        steps.handOut(call, { approvalId, echo: echoes.get(call.id) });
      }
      steps.end();
      send({ type: "finish", finishReason: toFinishReason(outcome), messageMetadata: toMetadata(turn, outcome) });
    })
    .then(
      () => endStream(stream),
      (thrown: unknown) => sendUiError(stream, onCrash(thrown)),
    );
}

/** The end of a stream that failed, also before its message began. */
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
  speak(call: number, text: string): void;
  handOut(call: AskedToolCall, options: { approvalId: string | null; echo: OpaqueMetadata | undefined }): void;
  end(): void;
}

/** Text and tools in the order they came; what begins is ended before the next begins. */
function createSteps(send: Send, denied: ReadonlySet<string>): Steps {
  const echoes = new Map<string, OpaqueMetadata>();
  let inStep = false;
  let speaking: { readonly kind: "text" | "reasoning"; readonly id: string } | null = null;

  function endText(): void {
    if (speaking !== null) send({ type: `${speaking.kind}-end`, id: speaking.id });
    speaking = null;
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
  function speak(call: number, delta: string, kind: "text" | "reasoning" = "text"): void {
    if (!inStep) begin();
    if (speaking?.kind !== kind) {
      endText();
      speaking = { kind, id: `${kind}-${call}` };
      send({ type: `${kind}-start`, id: speaking.id });
    }
    send({ type: `${kind}-delta`, id: speaking.id, delta });
  }
  function use({ id, name, args }: AskedToolCall, echo = echoes.get(id)): void {
    endText();
    const call = { toolCallId: id, toolName: name, input: args, dynamic: true };
    send({ type: "tool-input-available", ...call, ...toProviderMetadata(id, echo) });
  }
  /** For a plug-in, which uses tools by itself. Our own loop gives a call that repeats an id another one. */
  function learn(reply: Reply | null): void {
    for (const { id, echo } of reply?.ok ? reply.tool_calls : []) if (echo) echoes.set(id, echo);
  }
  function used({ id, ok, result }: ToolRun): void {
    if (ok) send({ type: "tool-output-available", toolCallId: id, output: result, dynamic: true });
    else send({ type: "tool-output-error", toolCallId: id, errorText: result, dynamic: true });
  }

  return {
    follow(event) {
      if (event.type === "text-delta") speak(event.call, event.text);
      else if (event.type === "reasoning-delta") speak(event.call, event.text, "reasoning");
      else if (event.type === "model-start") begin();
      else if (event.type === "model-end") learn(event.reply);
      else if (event.type === "tool-start") use(event.tool_call, event.echo);
      else if (event.type === "tool-end") used(event.tool_call);
      // The protocol has a word of its own for what was refused, and it has been said.
      else if (event.type === "tool-skipped" && !denied.has(event.tool_call.id)) {
        use(event.tool_call, event.echo);
        used(event.tool_call);
      }
    },
    speak,
    handOut(call, { approvalId, echo }) {
      use(call, echo);
      if (approvalId !== null) send({ type: "tool-approval-request", approvalId, toolCallId: call.id });
    },
    end,
  };
}

function toFinishReason({ finish_reason: reason }: SuccessfulOutcome): string {
  if (reason === "tool_calls") return "tool-calls";
  if (reason === "content_filter") return "content-filter";
  if (isCutShort(reason)) return "length";
  return reason === "stop" ? "stop" : "other";
}

function toMetadata(turn: Turn, { finish_reason, usage, uncounted, cost }: SuccessfulOutcome) {
  const known = { ...(!uncounted && { usage }), ...(cost !== null && { cost }) };
  return { run_id: turn.runId, model: turn.resolved, finish_reason, ...known };
}
