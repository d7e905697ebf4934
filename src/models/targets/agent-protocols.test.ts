import { expect, test } from "vitest";
import type { ChatMessage, ChatSession } from "../../contract/ports/chat-model.ts";
import type { Target } from "../../contract/schemas/acting/target.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import type { Outbound, OutboundRequest } from "../outbound/outbound.ts";

interface Sent {
  readonly method: string;
  readonly params: { readonly id?: string; readonly message?: unknown };
}

/** Asks a target whose answers are given in order, and returns what was sent. */
async function ask(
  target: Target,
  answers: readonly unknown[],
  session: ChatSession = { id: "s-1" },
  messages: readonly ChatMessage[] = [{ role: "user", content: "Hi" }],
) {
  const sent: { url: string; headers: OutboundRequest["headers"]; body: Sent }[] = [];
  const outbound = {
    maxEventBytes: 10_000,
    request: async ({ url, headers, body }: OutboundRequest) => {
      const answer =
        answers[sent.push({ url, headers, body: body === undefined ? null : JSON.parse(String(body)) }) - 1];
      const text = typeof answer === "string" ? answer : JSON.stringify(answer);
      return { ok: true, kind: "body", status: 200, headers: {}, body: text, tries: 1, startedAt: 0 };
    },
  } as unknown as Outbound;
  const { protocol = "http", url } = target;
  const model = createChatModel({ outbound, protocol, endpoint: url, modelId: "m", target });
  return { reply: await model({ messages }, { signal: new AbortController().signal, session }), sent };
}

const a2a: Target = { url: "http://agent.test/rpc", protocol: "a2a" };
const task = (state: string, more: object = {}) => ({
  jsonrpc: "2.0",
  result: { task: { id: "task-1", contextId: "c-1", status: { state }, ...more } },
});

test("A2A: a task is polled until it is completed", async () => {
  const artifacts = [{ parts: [{ text: "One" }, { text: "." }] }, { parts: [{ data: { two: 2 } }] }];
  const { reply, sent } = await ask(a2a, [
    task("TASK_STATE_SUBMITTED"),
    task("TASK_STATE_WORKING"),
    task("TASK_STATE_COMPLETED", { artifacts }),
  ]);
  expect(sent.map(({ body }) => [body.method, body.params.id])).toEqual([
    ["SendMessage", undefined],
    ["GetTask", "task-1"],
    ["GetTask", "task-1"],
  ]);
  expect(reply).toMatchObject({ ok: true, text: 'One.\n\n{"two":2}', session_id: "c-1" });
});

test("A2A: a task that requires input is answered by the next turn", async () => {
  const message = { role: "ROLE_AGENT", parts: [{ text: "Which one?" }] };
  const asked = task("TASK_STATE_INPUT_REQUIRED", { status: { state: "TASK_STATE_INPUT_REQUIRED", message } });
  const { reply } = await ask(a2a, [asked]);
  expect(reply).toMatchObject({ ok: true, text: "Which one?", session_id: "c-1#task-1" });
  const { sent } = await ask(a2a, [task("TASK_STATE_COMPLETED")], { id: "s-1", issued: "c-1#task-1" });
  expect(sent[0]?.body.params.message).toMatchObject({ contextId: "c-1", taskId: "task-1" });
});

test.for([
  ["TASK_STATE_FAILED", "upstream_error"],
  ["rejected", "upstream_error"],
  ["auth-required", "upstream_auth"],
] as const)("A2A: a task that ends as %s is a failure", async ([state, code]) => {
  expect((await ask(a2a, [task(state)])).reply).toMatchObject({ ok: false, error: { code } });
});

test("A2A: an agent card names the interface, and headers stay at the origin of the card", async () => {
  const card = {
    supportedInterfaces: [{ url: "http://other.test/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  };
  const target = { ...a2a, url: "http://agent.test/.well-known/agent-card.json", headers: { "x-tenant": "t" } };
  const answer = { jsonrpc: "2.0", result: { message: { contextId: "c", parts: [{ text: "Hello" }] } } };
  const { reply, sent } = await ask(target, [card, answer]);
  expect(reply).toMatchObject({ ok: true, text: "Hello" });
  expect(sent.map(({ url, headers }) => [url, headers])).toEqual([
    [target.url, { "a2a-version": "1.0", "x-tenant": "t" }],
    ["http://other.test/rpc", { "a2a-version": "1.0" }],
  ]);
  const old = { url: "http://agent.test/v0", preferredTransport: "JSONRPC", protocolVersion: "0.3.0" };
  const second = await ask(target, [
    old,
    { jsonrpc: "2.0", result: { kind: "message", parts: [{ kind: "text", text: "Old" }] } },
  ]);
  expect(second.reply).toMatchObject({ ok: true, text: "Old" });
  expect(second.sent[1]?.body.method).toBe("message/send");
});

const events = (...list: object[]): string => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const agUi: Target = { url: "http://agent.test/", protocol: "ag-ui" };

test("AG-UI: several messages are one reply, and tool calls have their results", async () => {
  const { reply, sent } = await ask(agUi, [
    events(
      { type: "RUN_STARTED" },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "a", role: "assistant", delta: "Let me see." },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "find" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"id":' },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "7}" },
      { type: "TOOL_CALL_RESULT", toolCallId: "c", content: '{"found":true}' },
      { type: "REASONING_MESSAGE_CONTENT", delta: "thinking" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "b", delta: "Found." },
      { type: "RUN_FINISHED" },
    ),
  ]);
  expect(reply).toMatchObject({
    ok: true,
    text: "Let me see.\n\nFound.",
    reported_calls: [{ id: "c", name: "find", arguments: '{"id":7}', result: { found: true } }],
  });
  expect(sent[0]?.body).toMatchObject({ threadId: "s-1", messages: [{ role: "user", content: "Hi" }], tools: [] });
});

test("AG-UI: errors, approvals and streams that end early are failures", async () => {
  const code = async (...list: object[]) => {
    const { reply } = await ask(agUi, [events({ type: "RUN_STARTED" }, ...list)]);
    return reply.ok ? reply.text : reply.error.code;
  };
  expect(await code({ type: "RUN_ERROR", message: "secret words" })).toBe("upstream_error");
  expect(await code({ type: "RUN_FINISHED", outcome: { type: "interrupt" } })).toBe("upstream_rejected");
  expect(await code({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "Half" })).toBe("upstream_invalid_reply");
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "From the snapshot" },
  ];
  expect(await code({ type: "MESSAGES_SNAPSHOT", messages }, { type: "RUN_FINISHED" })).toBe("From the snapshot");
});

const dataPart = (type: string, data: object) => ({ kind: "data", data, metadata: { adk_type: type } });

test("A2A: calls that an ADK agent sends as data are reported with their results", async () => {
  const asked = dataPart("function_call", { id: "adk-1", name: "get_order", args: { id: "1042" } });
  const answered = dataPart("function_response", { id: "adk-1", name: "get_order", response: { sent: false } });
  const history = [asked, answered].map((part) => ({ role: "agent", parts: [part] }));
  const artifacts = [{ parts: [asked, { kind: "text", text: "It is still here." }] }];
  const { reply } = await ask(a2a, [task("TASK_STATE_COMPLETED", { history, artifacts })]);
  expect(reply).toMatchObject({
    text: "It is still here.",
    reported_calls: [{ id: "adk-1", name: "get_order", arguments: '{"id":"1042"}', result: { sent: false } }],
  });
});

test("A2A: results that a LangGraph server sends are calls whose arguments are not known", async () => {
  const tool_results = [
    { toolCallId: "c1", name: "get_order", content: '{"sent":true}', status: "success" },
    { toolCallId: "c2", name: "cancel_order", content: "too late", status: "error" },
  ];
  const history = [{ role: "agent", parts: [{ kind: "data", data: { tool_results } }] }];
  const artifacts = [{ parts: [{ kind: "text", text: "Too late." }] }];
  const { reply } = await ask(a2a, [task("completed", { history, artifacts })]);
  expect(reply).toMatchObject({
    text: "Too late.",
    reported_calls: [
      { id: "c1", name: "get_order", arguments_unknown: true, result: { sent: true } },
      { id: "c2", name: "cancel_order", arguments_unknown: true, error: "too late" },
    ],
  });
});

test("A2A: an answer without calls does not report that there were none", async () => {
  const { reply } = await ask(a2a, [task("completed", { artifacts: [{ parts: [{ text: "Hi" }] }] })]);
  expect(reply).not.toHaveProperty("reported_calls");
});

test("AG-UI: calls, arguments and results that only a snapshot has are taken from the last one", async () => {
  const earlier = { role: "assistant", toolCalls: [{ id: "old", function: { name: "greet", arguments: "{}" } }] };
  const calls = [
    { id: "c1", type: "function", function: { name: "find", arguments: '{"id":7}' } },
    { id: "c2", type: "function", function: { name: "stop", arguments: '{"id":8}' } },
  ];
  const messages = [
    { role: "user", content: "Hello" },
    earlier,
    { role: "user", content: "Hi" },
    { role: "assistant", toolCalls: calls },
    { role: "tool", toolCallId: "c1", content: '{"found":true}' },
    { role: "assistant", content: "Found." },
  ];
  const events = [
    { type: "RUN_STARTED" },
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "find" },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
    { type: "MESSAGES_SNAPSHOT", messages: messages.slice(0, 4) },
    { type: "MESSAGES_SNAPSHOT", messages },
    { type: "RUN_FINISHED" },
  ];
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const { reply } = await ask({ url: "http://agent.test/", protocol: "ag-ui" }, [stream]);
  expect(reply).toMatchObject({
    text: "Found.",
    reported_calls: [
      { id: "c1", name: "find", arguments: '{"id":7}', result: { found: true } },
      { id: "c2", name: "stop", arguments: '{"id":8}' },
    ],
  });
});

const route: Target = { url: "http://agent.test/api/chat", protocol: "ui-messages" };
const chunks = (...list: object[]): string => `${events(...list)}data: [DONE]\n\n`;
const orderCall = { id: "c", name: "find", arguments: '{"id":7}', result: { found: true } };

test("UI messages: the history has parts with pictures and with the calls of earlier turns and their results", async () => {
  const history: readonly ChatMessage[] = [
    { role: "system", content: "You help." },
    { role: "user", content: "Find this", parts: [{ type: "image", url: "https://a.test/p.jpg" }] },
    {
      role: "assistant",
      content: "Found.",
      answered_calls: [orderCall, { ...orderCall, id: "d", result: undefined, error: "gone" }],
    },
    { role: "user", content: "Thanks" },
  ];
  const said = chunks({ type: "text-delta", id: "0", delta: "Bye." }, { type: "finish" });
  const target = { ...route, body: { model: "{{model}}" } };
  const { reply, sent } = await ask(target, [said], { id: "s-1" }, history);
  expect(reply).toMatchObject({ ok: true, text: "Bye.", reported_calls: [] });
  const step = { type: "step-start" };
  const part = {
    type: "tool-find",
    toolCallId: "c",
    input: { id: 7 },
    state: "output-available",
    output: { found: true },
  };
  expect(sent[0]?.body).toEqual({
    id: "s-1",
    trigger: "submit-message",
    model: "m",
    messages: [
      { id: "s-1-0", role: "user", parts: [{ type: "file", mediaType: "image/jpeg", url: "https://a.test/p.jpg" }] },
      {
        id: "s-1-1",
        role: "assistant",
        parts: [
          step,
          part,
          { type: "tool-find", toolCallId: "d", input: { id: 7 }, state: "output-error", errorText: "gone" },
          step,
          { type: "text", text: "Found.", state: "done" },
        ],
      },
      { id: "s-1-2", role: "user", parts: [{ type: "text", text: "Thanks" }] },
    ],
  });
});

test("UI messages: each call is reported once, with its result, and the usage of the whole message", async () => {
  const { reply } = await ask(route, [
    chunks(
      { type: "start" },
      { type: "start-step" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Let me see." },
      { type: "tool-input-start", toolCallId: "c", toolName: "find" },
      { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '{"id":' },
      { type: "tool-input-available", toolCallId: "c", toolName: "find", input: { id: 7 } },
      { type: "tool-output-available", toolCallId: "c", output: "half", preliminary: true },
      { type: "tool-output-available", toolCallId: "c", output: { found: true } },
      { type: "message-metadata", messageMetadata: { usage: { inputTokens: 10, outputTokens: 1, totalTokens: 11 } } },
      { type: "start-step" },
      { type: "data-progress", data: { text: "not said" } },
      { type: "tool-input-available", toolCallId: "c", toolName: "find", input: { id: 8 } },
      { type: "tool-output-error", toolCallId: "c", errorText: "gone" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Thrown away." },
      { type: "reset-step" },
      { type: "start-step" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Found." },
      { type: "finish", messageMetadata: { totalUsage: { inputTokens: 20, outputTokens: 3, totalTokens: 23 } } },
    ),
  ]);
  expect(reply).toMatchObject({
    text: "Let me see.\n\nFound.",
    reported_calls: [orderCall],
    usage: { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23 },
  });
});

test("UI messages: errors, approvals and streams that end early are failures", async () => {
  const code = async (answer: string) => {
    const { reply } = await ask(route, [answer]);
    return reply.ok ? reply.text : reply.error.code;
  };
  expect(await code(chunks({ type: "error", errorText: "secret words" }))).toBe("upstream_error");
  expect(await code(chunks({ type: "abort" }))).toBe("upstream_error");
  const asks = [
    { type: "tool-input-available", toolCallId: "c", toolName: "pay", input: {} },
    { type: "tool-approval-request", toolCallId: "c" },
  ];
  expect(await code(chunks(...asks, { type: "finish" }))).toBe("upstream_rejected");
  expect(await code(events({ type: "text-delta", id: "0", delta: "Half" }))).toBe("upstream_invalid_reply");
  expect(await code('{"text":"not a stream"}')).toBe("upstream_invalid_reply");
});

test("LangGraph: a thread gets the last message, and only what follows it is of the turn", async () => {
  const call = (id: string) => ({ type: "ai", content: "", tool_calls: [{ id, name: "find", args: { id: 7 } }] });
  const usage_metadata = { input_tokens: 10, output_tokens: 1, total_tokens: 11 };
  const state = {
    messages: [
      { type: "human", content: "Hi", id: "s-1-0-0" },
      call("call_0"),
      { type: "tool", tool_call_id: "call_0", content: "earlier" },
      { type: "ai", content: "Earlier.", usage_metadata },
      { type: "human", content: "Hi", id: "s-1-2-0" },
      { ...call("call_0"), usage_metadata },
      { type: "tool", tool_call_id: "call_0", content: '{"found":true}' },
      { type: "ai", content: [{ type: "text", text: "Found." }], usage_metadata },
    ],
  };
  const target: Target = { url: "http://agent.test/", protocol: "langgraph", assistant: "desk" };
  const history: readonly ChatMessage[] = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Earlier.", answered_calls: [orderCall] },
    { role: "user", content: "Hi" },
  ];
  const { reply, sent } = await ask(target, [state], { id: "s-1" }, history);
  expect(sent[0]?.url).toMatch(/^http:\/\/agent\.test\/threads\/[0-9a-f-]{36}\/runs\/wait$/);
  expect(sent[0]?.body).toMatchObject({
    assistant_id: "desk",
    if_not_exists: "create",
    input: { messages: { length: 1 } },
  });
  expect(reply).toMatchObject({
    text: "Found.",
    reported_calls: [{ ...orderCall, id: "call_0" }],
    usage: { prompt_tokens: 20, total_tokens: 22 },
  });

  const stateless = await ask({ ...target, stateless: true }, [state], { id: "s-1" }, history);
  expect(stateless.reply).toMatchObject({ text: "Found.", reported_calls: [{ id: "call_0" }] });
  expect(stateless.sent[0]).toMatchObject({
    url: "http://agent.test/runs/wait",
    body: {
      input: {
        messages: [
          { role: "user" },
          { tool_calls: [{ id: "c" }] },
          { role: "tool" },
          { content: "Earlier." },
          { role: "user" },
        ],
      },
    },
  });
});

test("LangGraph: a run that failed or waits is a failure", async () => {
  const target: Target = { url: "http://agent.test", protocol: "langgraph", assistant: "desk" };
  const code = async (state: object) => {
    const { reply } = await ask(target, [state]);
    return reply.ok ? reply.text : reply.error.code;
  };
  expect(await code({ __error__: { error: "ValueError", message: "x" } })).toBe("upstream_error");
  expect(await code({ messages: [], __interrupt__: [{ value: "Pay?" }] })).toBe("upstream_rejected");
  expect(await code({ question: "x" })).toBe("upstream_invalid_reply");
});
