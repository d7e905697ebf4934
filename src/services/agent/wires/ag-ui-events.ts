import { randomUUID } from "node:crypto";
import type { AgentEvent } from "../../../agent/loop/agent-outcome.ts";
import type { AskedToolCall, SuccessfulOutcome, ToolRun } from "../../../agent/loop/agent-outcome.ts";
import type { OpaqueMetadata, Reply } from "../../../contract/ports/chat-model.ts";
import type { ServiceError } from "../../../contract/errors.ts";
import type { EventWriter } from "../../http/responses/event-writer.ts";
import { pendingEchoes } from "../turns/pending-echoes.ts";
import type { Turn } from "../turns/turn.ts";
import { toTurnError } from "../turns/turn-headers.ts";
import { toApprovalId } from "./approval-id.ts";
import { sealEchoes } from "./sealed-echoes.ts";

/** The version of the protocol we speak. */
const protocolVersion = "1.0";

type Send = (event: { readonly type: string } & Readonly<Record<string, unknown>>) => void;

export interface AgUiRun {
  readonly threadId: string;
  readonly runId: string;
  /** Calls that the client was told before, in the run that this one goes on with. */
  readonly told: readonly string[];
  /** The message those calls are in. */
  readonly parentMessageId: string | undefined;
}

/**
 * A turn as events of AG-UI: a message for what each model call said, its tool calls with their results, and what was thought.
 * Calls that need approval end the run with interrupts; the client's own are left for it to answer.
 */
export function sendAgUiEvents(
  stream: EventWriter,
  turn: Turn,
  { run, onCrash }: { run: AgUiRun; onCrash: (error: unknown) => ServiceError },
): void {
  const send: Send = (event) => stream.send(event);
  const messages = createMessages(send, run);
  const { threadId, runId } = run;
  const metadata = { run_id: turn.runId, model: turn.resolved };
  send({ type: "RUN_STARTED", threadId, runId, protocolVersion, metadata });
  turn.listen(messages.follow);
  void turn.outcome
    .then((outcome) => {
      if (!outcome.ok) throw toTurnError(turn, outcome.error);
      const { refusal, text } = outcome.reply;
      if (text === "" && refusal !== null) messages.speak("text", refusal);
      const echoes = pendingEchoes(outcome);
      for (const call of outcome.pending_tool_calls) messages.use(call, echoes.get(call.id), call.arguments);
      messages.close();
      send({ type: "RUN_FINISHED", threadId, runId, ...toEnd(turn, outcome) });
    })
    .then(
      () => stream.end(),
      (thrown: unknown) => {
        messages.close();
        sendAgUiError(stream, onCrash(thrown));
      },
    );
}

/** The end of a stream that failed, also before its run began. */
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
  speak(kind: keyof typeof messageKinds, delta: string): void;
  /** `text`: the arguments as the model wrote them, where that is known. */
  use(call: AskedToolCall, echo: OpaqueMetadata | undefined, text?: string): void;
  close(): void;
}

/** What begins is ended before the next begins. */
function createMessages(send: Send, { told, parentMessageId }: AgUiRun): Messages {
  const known = new Set(told);
  const echoes = new Map<string, OpaqueMetadata>();
  /** The message that calls belong to. */
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
  function speak(kind: keyof typeof messageKinds, delta: string): void {
    // An empty piece says nothing, and clients of earlier versions refuse it.
    if (delta === "") return;
    const messageId = open?.kind === kind ? open.messageId : begin(kind);
    send({ type: `${messageKinds[kind].event}_CONTENT`, messageId, delta });
  }
  function use(
    { id: toolCallId, name, args }: AskedToolCall,
    echo = echoes.get(toolCallId),
    text = JSON.stringify(args),
  ): void {
    if (known.has(toolCallId)) return;
    known.add(toolCallId);
    close();
    parent ??= randomUUID();
    send({ type: "TOOL_CALL_START", toolCallId, toolCallName: name, parentMessageId: parent });
    send({ type: "TOOL_CALL_ARGS", toolCallId, delta: text });
    send({ type: "TOOL_CALL_END", toolCallId });
    const encryptedValue = echo ? sealEchoes(new Map([[toolCallId, echo]])) : null;
    if (encryptedValue !== null) {
      send({ type: "REASONING_ENCRYPTED_VALUE", subtype: "tool-call", entityId: toolCallId, encryptedValue });
    }
  }
  function used({ id: toolCallId, result }: ToolRun): void {
    send({ type: "TOOL_CALL_RESULT", messageId: randomUUID(), toolCallId, content: result, role: "tool" });
  }
  /** For a plug-in, which uses tools by itself. */
  function learn(reply: Reply | null): void {
    for (const { id, echo } of reply?.ok ? reply.tool_calls : []) if (echo) echoes.set(id, echo);
  }

  return {
    follow(event) {
      if (event.type === "text-delta") speak("text", event.text);
      else if (event.type === "reasoning-delta") speak("reasoning", event.text);
      else if (event.type === "model-start") {
        close();
        parent = undefined;
      } else if (event.type === "model-end") learn(event.reply);
      else if (event.type === "tool-start") use(event.tool_call, event.echo);
      else if (event.type === "tool-end") used(event.tool_call);
      else if (event.type === "tool-skipped") {
        use(event.tool_call, event.echo);
        used(event.tool_call);
      }
    },
    speak,
    use,
    close,
  };
}

function toEnd(turn: Turn, outcome: SuccessfulOutcome) {
  const { finish_reason, cost, uncounted } = outcome;
  const interrupts = toInterrupts(turn, outcome);
  return {
    // Without one the run was a success. Clients before 1.0 refuse one that names the calls left to them; all find those by themselves.
    ...(interrupts.length > 0 && { outcome: { type: "interrupt", interrupts } }),
    ...(!uncounted && { usage: [toTokenUsage(turn, outcome)] }),
    metadata: { run_id: turn.runId, model: turn.resolved, finish_reason, ...(cost !== null && { cost }) },
  };
}

const answerSchema = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    reason: { type: "string", description: "Why it is denied: the model reads it." },
  },
  required: ["approved"],
};

function toInterrupts({ runId }: Turn, { pending_run }: SuccessfulOutcome) {
  const waiting = (pending_run?.calls ?? []).filter(({ state }) => state === "approval");
  return waiting.map(({ id, name }) => ({
    id: toApprovalId(runId, id),
    reason: "tool_approval",
    message: `The agent asks to use ${name}.`,
    toolCallId: id,
    responseSchema: answerSchema,
  }));
}

function toTokenUsage({ resolved }: Turn, { usage }: SuccessfulOutcome) {
  const { input_tokens, output_tokens, total_tokens, cached_tokens, cache_write_tokens, reasoning_tokens } = usage;
  return {
    model: resolved,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    totalTokens: total_tokens,
    ...(cached_tokens !== undefined && { cachedInputTokens: cached_tokens }),
    ...(cache_write_tokens !== undefined && { cacheWriteInputTokens: cache_write_tokens }),
    ...(reasoning_tokens !== undefined && { reasoningTokens: reasoning_tokens }),
  };
}
