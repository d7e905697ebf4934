import { compact } from "../../../base/compact.ts";
import {
  context,
  propagation,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import type { AgentOutcome, ToolRun } from "../../../agent/loop/agent-outcome.ts";
import type { ChatMessage, Reply, SuccessfulReply, ToolCall } from "../../../contract/ports/chat-model.ts";
import type { TurnEnd, AgentTurnFacts, TurnObserver, TurnWatcher } from "../turns/turn.ts";

interface TraceTurnsOptions {
  /** Default: the tracer registered with OpenTelemetry, if any. */
  readonly tracer?: Tracer;
  /** Adds messages to the spans. Off by default, because conversations are private. */
  readonly captureContent?: boolean;
}

/**
 * Traces every turn by OpenTelemetry's conventions for generative AI: a span `invoke_agent`, with `chat` for each model call and
 * `execute_tool` for each tool call. The `traceparent` of the request becomes the parent.
 */
export function traceTurns({ tracer, captureContent = false }: TraceTurnsOptions = {}): TurnObserver {
  const observe = traceWith(tracer ?? trace.getTracer("rehearsal"), captureContent);
  return tracer ? observe : (facts) => (isTracerRegistered() ? observe(facts) : noWatcher);
}

const noWatcher: TurnWatcher = { onEvent() {}, onEnd() {} };
const noProvider = new ProxyTracerProvider().getDelegate();

/** Checked for each turn: a tracer may be registered after the service was created. */
function isTracerRegistered(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noProvider;
}

function traceWith(tracer: Tracer, captureContent: boolean): TurnObserver {
  return (facts) => {
    const tools = new Map<string, Span>();
    const chats = new Map<number, Span>();
    let agent: Span | null = null;
    let inside = context.active();

    function startAgent(): void {
      const attributes = agentAttributes(facts, captureContent);
      agent = tracer.startSpan("invoke_agent rehearsal", { kind: SpanKind.INTERNAL, attributes }, parentOf(facts));
      inside = trace.setSpan(context.active(), agent);
    }

    return {
      onEvent(event) {
        if (event.type === "run-start") startAgent();
        else if (event.type === "model-start") chats.set(event.call, startChat(tracer, facts, inside));
        else if (event.type === "model-end") {
          const span = chats.get(event.call);
          if (span) endChat(span, facts, event.reply, captureContent);
          chats.delete(event.call);
        } else if (event.type === "tool-start") {
          const { id, name } = event.tool_call;
          tools.set(id, startTool(tracer, { id, name }, inside));
        } else if (event.type === "tool-end") {
          const span = tools.get(event.tool_call.id);
          if (span) endTool(span, event.tool_call, captureContent);
          tools.delete(event.tool_call.id);
        }
      },
      onEnd(end) {
        // A cancelled run has open spans; a refused run has none.
        for (const span of [...chats.values(), ...tools.values()]) fail(span, "cancelled").end();
        if (agent) endAgent(agent, facts, end, captureContent);
      },
    };
  };
}

function parentOf({ trace: headers }: AgentTurnFacts): Context {
  return headers ? propagation.extract(context.active(), headers) : context.active();
}

function agentAttributes(facts: AgentTurnFacts, captureContent: boolean): Attributes {
  return compact({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "rehearsal",
    "gen_ai.provider.name": facts.provider(),
    "gen_ai.request.model": facts.resolved(),
    "rehearsal.run.id": facts.runId,
    "rehearsal.wire": facts.wire,
    "gen_ai.conversation.id": facts.thread ? facts.thread.id : undefined,
    "gen_ai.input.messages": captureContent ? inputMessages(facts.messages) : undefined,
  });
}

function startChat(tracer: Tracer, facts: AgentTurnFacts, inside: Context): Span {
  const model = facts.resolved();
  const attributes: Attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": facts.provider(),
    "gen_ai.request.model": model,
  };
  return tracer.startSpan(`chat ${model}`, { kind: SpanKind.CLIENT, attributes }, inside);
}

function endChat(span: Span, facts: AgentTurnFacts, reply: Reply | null, captureContent: boolean): void {
  // A fallback may have taken over since the span began.
  span.setAttributes({ "gen_ai.provider.name": facts.provider(), "gen_ai.request.model": facts.resolved() });
  if (reply?.ok) {
    span.setAttributes(
      compact({
        "gen_ai.response.model": reply.model,
        "gen_ai.response.id": reply.completion_id,
        "gen_ai.response.finish_reasons": [reply.finish_reason],
        "gen_ai.usage.input_tokens": reply.usage ? reply.usage.prompt_tokens : undefined,
        "gen_ai.usage.output_tokens": reply.usage ? reply.usage.completion_tokens : undefined,
        "gen_ai.output.messages": captureContent ? outputMessages(reply) : undefined,
      }),
    );
  } else fail(span, reply ? reply.error.code : "deadline");
  span.end();
}

function startTool(tracer: Tracer, { id, name }: { id: string; name: string }, inside: Context): Span {
  const attributes: Attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.id": id,
    "gen_ai.tool.type": "function",
  };
  return tracer.startSpan(`execute_tool ${name}`, { kind: SpanKind.INTERNAL, attributes }, inside);
}

function endTool(span: Span, { ok, args, result }: ToolRun, captureContent: boolean): void {
  if (captureContent) {
    span.setAttributes({
      "gen_ai.tool.call.arguments": JSON.stringify(args),
      "gen_ai.tool.call.result": result,
    });
  }
  if (!ok) fail(span, "tool_failed");
  span.end();
}

function endAgent(span: Span, facts: AgentTurnFacts, end: TurnEnd, captureContent: boolean): void {
  if (end.kind === "outcome") describeOutcome(span, facts, end.outcome, captureContent);
  else fail(span, end.kind === "crashed" ? "internal_error" : "cancelled");
  span.end();
}

function describeOutcome(span: Span, facts: AgentTurnFacts, outcome: AgentOutcome, captureContent: boolean): void {
  span.setAttributes(
    compact({
      // A fallback may have taken over since the span began.
      "gen_ai.provider.name": facts.provider(),
      "gen_ai.response.model": facts.resolved(),
      // A resumed run has one span per part, each with its own usage.
      "gen_ai.usage.input_tokens": !outcome.uncounted
        ? outcome.usage.input_tokens - (facts.earlier?.usage.input_tokens ?? 0)
        : undefined,
      "gen_ai.usage.output_tokens": !outcome.uncounted
        ? outcome.usage.output_tokens - (facts.earlier?.usage.output_tokens ?? 0)
        : undefined,
    }),
  );
  if (!outcome.ok) return void fail(span, outcome.error.code);
  span.setAttribute("gen_ai.response.finish_reasons", [outcome.finish_reason]);
  if (!captureContent) return;
  const { reply, finish_reason } = outcome;
  span.setAttribute("gen_ai.output.messages", outputMessages({ ...reply, finish_reason }));
}

function fail(span: Span, type: string): Span {
  return span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
}

/** A conversation as the JSON text of `gen_ai.input.messages`. */
export function inputMessages(messages: readonly ChatMessage[]): string {
  return JSON.stringify(messages.map((message) => ({ role: message.role, parts: tracedParts(message) })));
}

/** A reply as the JSON text of `gen_ai.output.messages`. */
export function outputMessages({
  text,
  tool_calls,
  finish_reason,
}: Pick<SuccessfulReply, "text" | "tool_calls" | "finish_reason">): string {
  return JSON.stringify([{ role: "assistant", parts: tracedMessageParts(text, tool_calls), finish_reason }]);
}

function tracedParts(message: ChatMessage): readonly object[] {
  if (message.role === "tool") {
    return [{ type: "tool_call_response", id: message.tool_call_id, response: message.content }];
  }
  return tracedMessageParts(message.content, message.role === "assistant" ? message.tool_calls : undefined);
}

function tracedMessageParts(content: string, calls: readonly ToolCall[] = []): readonly object[] {
  return [
    ...(content === "" ? [] : [{ type: "text", content }]),
    ...calls.map(({ id, name, arguments: text }) => ({ type: "tool_call", id, name, arguments: text })),
  ];
}
