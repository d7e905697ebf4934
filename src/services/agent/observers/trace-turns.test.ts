import type { Attributes, Context, Span, SpanOptions, Tracer } from "@opentelemetry/api";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../agent/loop/agent-outcome.ts";
import { plainReply } from "../../../agent/testing/scripted-model.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";
import type { TurnEnd, AgentTurnFacts } from "../turns/turn.ts";
import { inputMessages, outputMessages, traceTurns } from "./trace-turns.ts";

interface SeenSpan {
  readonly name: string;
  readonly attributes: Attributes;
  ended: boolean;
  failed: boolean;
}

/** A tracer that records its spans. */
function fakeTracer() {
  const spans: SeenSpan[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, _context?: Context): Span => {
    const seen: SeenSpan = { name, attributes: { ...options.attributes }, ended: false, failed: false };
    spans.push(seen);
    const span: Partial<Span> = {
      setAttribute: (key, value) => ((seen.attributes[key] = value), span as Span),
      setAttributes: (attributes) => (Object.assign(seen.attributes, attributes), span as Span),
      setStatus: () => ((seen.failed = true), span as Span),
      end: () => void (seen.ended = true),
      spanContext: () => ({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 }),
    };
    return span as Span;
  };
  return { spans, tracer: { startSpan } as Tracer };
}

const facts = {
  runId: "run-1",
  wire: "agent",
  messages: [{ role: "user", content: "a secret" }],
  thread: { id: "thread-1", messages: [] },
  resolved: () => "hub/model",
  provider: () => "hub",
} as unknown as AgentTurnFacts;

const call = { id: "call_1", name: "calculator", args: { expression: "a secret" } };
const events: AgentEvent[] = [
  { type: "run-start" },
  { type: "model-start", call: 1 },
  { type: "model-end", call: 1, reply: { ...plainReply, text: "a secret" } },
  { type: "tool-start", tool_call: call },
  { type: "tool-end", tool_call: { ...call, ok: false, result: "a secret", duration_ms: 1 } },
];
const end: TurnEnd = {
  kind: "outcome",
  outcome: {
    ok: true,
    reply: { ...plainReply, text: "a secret" },
    finish_reason: "stop",
    pending_tool_calls: [],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    cost: null,
    steps: 1,
    model_calls: 1,
    tool_calls: [],
    invalid_tool_calls: [],
    repairs: 0,
    duration_ms: 1,
  },
};

function follow(how: TurnEnd, told = events, options = {}): SeenSpan[] {
  const { spans, tracer } = fakeTracer();
  const watcher = traceTurns({ tracer, ...options })(facts);
  for (const event of told) watcher.onEvent(event);
  watcher.onEnd(how);
  return spans;
}

test("puts chat and tool spans into an agent span, without message content", () => {
  const spans = follow(end);
  expect(spans.map(({ name }) => name)).toEqual([
    "invoke_agent rehearsal",
    "chat hub/model",
    "execute_tool calculator",
  ]);
  expect(spans[0]?.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.conversation.id": "thread-1",
    "gen_ai.usage.input_tokens": 10,
    "gen_ai.response.finish_reasons": ["stop"],
  });
  expect(spans[1]?.attributes).toMatchObject({ "gen_ai.response.model": "scripted", "gen_ai.usage.output_tokens": 5 });
  expect(spans[2]?.attributes).toMatchObject({ "gen_ai.tool.call.id": "call_1", "error.type": "tool_failed" });
  expect(spans.every(({ ended }) => ended)).toBe(true);
  expect(JSON.stringify(spans)).not.toContain("secret");
});

test("reports only the usage since the resumption in the span of a resumed run", () => {
  const usage = { input_tokens: 4, output_tokens: 1, total_tokens: 5 };
  const { spans, tracer } = fakeTracer();
  const watcher = traceTurns({ tracer })({ ...facts, earlier: { usage } } as AgentTurnFacts);
  watcher.onEvent({ type: "run-start" });
  watcher.onEnd(end);
  expect(spans[0]?.attributes).toMatchObject({ "gen_ai.usage.input_tokens": 6, "gen_ai.usage.output_tokens": 4 });
});

test("adds message content when it is configured", () => {
  const spans = follow(end, events, { captureContent: true });
  expect(spans.every(({ attributes }) => JSON.stringify(attributes).includes("secret"))).toBe(true);
  const said = { role: "assistant", parts: [{ type: "text", content: "a secret" }], finish_reason: "stop" };
  expect(spans[0]?.attributes).toMatchObject({
    "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: "a secret" }] }]),
    "gen_ai.output.messages": JSON.stringify([said]),
  });
  expect(spans[1]?.attributes["gen_ai.output.messages"]).toBe(JSON.stringify([said]));
});

test("represents tool calls and their results as message parts", () => {
  const call = { id: "c1", name: "calculator", arguments: '{"expression":"1+1"}' };
  const asked = { type: "tool_call", ...call };
  const messages: ChatMessage[] = [
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", content: "2", tool_call_id: "c1" },
  ];
  expect(JSON.parse(inputMessages(messages))).toEqual([
    { role: "assistant", parts: [asked] },
    { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "2" }] },
  ]);
  expect(JSON.parse(outputMessages({ text: "So:", tool_calls: [call], finish_reason: "tool_calls" }))).toEqual([
    { role: "assistant", parts: [{ type: "text", content: "So:" }, asked], finish_reason: "tool_calls" },
  ]);
});

test("gives each of a plug-in's parallel calls a span", () => {
  const spans = follow(end, [
    { type: "run-start" },
    { type: "model-start", call: 1 },
    { type: "model-start", call: 2 },
    { type: "model-end", call: 1, reply: { ...plainReply, completion_id: "one" } },
    { type: "model-end", call: 2, reply: { ...plainReply, completion_id: "two" } },
  ]);
  expect(spans.map(({ attributes, ended }) => [attributes["gen_ai.response.id"], ended]).slice(1)).toEqual([
    ["one", true],
    ["two", true],
  ]);
});

test("names the fallback in the span of the call it answered", () => {
  const { spans, tracer } = fakeTracer();
  let [provider, model] = ["hub", "hub/model"];
  const watcher = traceTurns({ tracer })({ ...facts, provider: () => provider, resolved: () => model });
  for (const event of events.slice(0, 2)) watcher.onEvent(event);
  [provider, model] = ["fine-tuned", "other"];
  watcher.onEvent({ type: "model-end", call: 1, reply: plainReply });
  expect(spans[1]?.attributes).toMatchObject({
    "gen_ai.provider.name": "fine-tuned",
    "gen_ai.request.model": "other",
  });
});

test("ends every span of a cancelled run as failed", () => {
  const spans = follow({ kind: "cancelled" }, [{ type: "run-start" }, { type: "model-start", call: 1 }]);
  expect(spans.map(({ ended, failed }) => ended && failed)).toEqual([true, true]);
});
