import { expect, test } from "vitest";
import type { ReceivedSpan } from "../../contract/ports/spans.ts";
import { readTurn } from "./read-turn.ts";
import { spansOfTurns } from "./turn-spans.ts";

const order = { order_id: "1042" };
const paid = { status: "paid" };
const text = JSON.stringify;

let made = 0;
const span = (name: string, attributes: Record<string, unknown>, more: Partial<ReceivedSpan> = {}): ReceivedSpan => {
  made += 1;
  return { id: `s${made}`, parent: "root", name, start: made, end: made + 1, attributes, ...more };
};

const message = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });

/** One tool call and one model call, as each convention writes them. */
const written: Readonly<Record<string, readonly ReceivedSpan[]>> = {
  "OpenTelemetry GenAI": [
    span("execute_tool get_order", {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get_order",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.call.arguments": text(order),
      "gen_ai.tool.call.result": text(paid),
    }),
    span("chat m", {
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": "m",
      "gen_ai.output.messages": text([message("assistant", "It is paid.")]),
      "gen_ai.usage.input_tokens": 7,
      "gen_ai.usage.output_tokens": 3,
    }),
  ],
  "OpenTelemetry GenAI, structured": [
    span("execute_tool get_order", {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get_order",
      "gen_ai.tool.call.arguments": order,
      "gen_ai.tool.call.result": paid,
    }),
    span("chat m", {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      "gen_ai.output.messages": [message("assistant", "It is paid.")],
      "gen_ai.usage.prompt_tokens": 7,
      "gen_ai.usage.completion_tokens": 3,
    }),
  ],
  "OpenTelemetry GenAI before 2025, by events": [
    span(
      "chat m",
      { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 1 },
      {
        events: [
          { name: "gen_ai.user.message", attributes: {}, body: { content: "Where is it?" } },
          {
            name: "gen_ai.choice",
            attributes: {},
            body: {
              finish_reason: "tool_calls",
              message: {
                role: "assistant",
                tool_calls: [{ id: "c1", type: "function", function: { name: "get_order", arguments: text(order) } }],
              },
            },
          },
        ],
      },
    ),
    span(
      "chat m",
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": 4,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.response.model": "m",
      },
      {
        events: [
          { name: "gen_ai.tool.message", attributes: {}, body: { id: "c1", content: text(paid) } },
          {
            name: "gen_ai.choice",
            attributes: {},
            body: { finish_reason: "stop", message: { content: "It is paid." } },
          },
        ],
      },
    ),
  ],
  OpenInference: [
    span("get_order", {
      "openinference.span.kind": "TOOL",
      "tool.name": "get_order",
      "input.value": "{'order_id': '1042'}",
      "output.value": text({ content: text(paid), tool_call_id: "c1", type: "tool", name: "get_order" }),
    }),
    span("ChatOpenAI", {
      "openinference.span.kind": "LLM",
      "llm.model_name": "m",
      "llm.token_count.prompt": 7,
      "llm.token_count.completion": 3,
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.content": "It is paid.",
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.content": "Where is it?",
    }),
  ],
  OpenLLMetry: [
    span("get_order.tool", {
      "traceloop.span.kind": "tool",
      "traceloop.entity.name": "get_order",
      "traceloop.entity.input": text({ args: [], kwargs: order }),
      "traceloop.entity.output": text(paid),
    }),
    span("openai.chat", {
      "llm.request.type": "chat",
      "gen_ai.response.model": "m",
      "gen_ai.usage.prompt_tokens": 7,
      "gen_ai.usage.completion_tokens": 3,
      "gen_ai.prompt.0.role": "user",
      "gen_ai.prompt.0.content": "Where is it?",
      "gen_ai.completion.0.role": "assistant",
      "gen_ai.completion.0.content": "It is paid.",
    }),
  ],
  "Vercel AI SDK": [
    span("ai.toolCall", {
      "ai.operationId": "ai.toolCall",
      "ai.toolCall.name": "get_order",
      "ai.toolCall.id": "c1",
      "ai.toolCall.args": text(order),
      "ai.toolCall.result": text(paid),
    }),
    span("ai.generateText.doGenerate", {
      "ai.operationId": "ai.generateText.doGenerate",
      "ai.model.id": "m",
      "ai.prompt.messages": text([{ role: "user", content: "Where is it?" }]),
      "ai.response.text": "It is paid.",
      "ai.usage.promptTokens": 7,
      "ai.usage.completionTokens": 3,
    }),
  ],
  "Pydantic AI": [
    span("running tools", { tools: ["get_order"], "logfire.msg": "running 1 tool" }),
    span("running tool", {
      "gen_ai.tool.name": "get_order",
      "gen_ai.tool.call.id": "c1",
      tool_arguments: text(order),
      tool_response: text(paid),
    }),
    span("chat m", {
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": "m",
      "gen_ai.usage.input_tokens": 7,
      "gen_ai.usage.output_tokens": 3,
      events: text([
        { "event.name": "gen_ai.user.message", role: "user", content: "Where is it?" },
        { "event.name": "gen_ai.choice", index: 0, message: { role: "assistant", content: "It is paid." } },
      ]),
    }),
  ],
  LangSmith: [
    span("get_order", {
      "langsmith.span.kind": "tool",
      "gen_ai.prompt": text({ input: "{'order_id': '1042'}" }),
      "gen_ai.completion": text({ output: { content: text(paid), tool_call_id: "c1", type: "tool" } }),
    }),
    span("ChatOpenAI", {
      "langsmith.span.kind": "llm",
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      "gen_ai.usage.input_tokens": 7,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.response.finish_reasons": ["stop"],
    }),
  ],
  MLflow: [
    span("get_order", {
      "mlflow.spanType": '"TOOL"',
      "mlflow.spanInputs": text(order),
      "mlflow.spanOutputs": text(paid),
    }),
    span("Completions", {
      "mlflow.spanType": '"CHAT_MODEL"',
      "mlflow.spanInputs": text({ model: "m", messages: [{ role: "user", content: "Where is it?" }] }),
      "mlflow.spanOutputs": text({ choices: [{ message: { role: "assistant", content: "It is paid." } }] }),
      "mlflow.chat.tokenUsage": text({ input_tokens: 7, output_tokens: 3, total_tokens: 10 }),
    }),
  ],
};

test.each(Object.entries(written))("reads a call and its cost as %s writes them", (_, spans) => {
  const turn = readTurn([...spans], { priceOf: ({ usage }) => usage.total_tokens / 10 });
  expect(turn.calls.map(({ call }) => call)).toMatchObject([{ name: "get_order", arguments: order, result: paid }]);
  expect(turn).toMatchObject({ tokens: { input: 7, output: 3 }, cost: 1, tellsCalls: true });
});

test("a call that a model asked for, a framework, a client and a server show is one call", () => {
  const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_order" };
  const outer = span("execute_tool get_order", tool);
  const client = span(
    "tools/call get_order",
    { ...tool, "gen_ai.tool.call.arguments": text(order) },
    { parent: outer.id },
  );
  const server = span(
    "tools/call get_order",
    { ...tool, "gen_ai.tool.call.result": text(paid) },
    { parent: client.id },
  );
  const asking = span("chat", {
    "gen_ai.operation.name": "chat",
    "gen_ai.output.messages": text([
      { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "get_order", arguments: order }] },
    ]),
  });
  const { calls } = readTurn([asking, outer, client, server]);
  expect(calls).toMatchObject([{ step: outer.id, call: { id: "c1", name: "get_order", arguments: order } }]);
});

test("of nested spans of one model call, the inner one counts, and errors are told", () => {
  const outer = span("ai.generateText.doGenerate", {
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.usage.inputTokens": 7,
    "ai.usage.outputTokens": 3,
  });
  const inner = span(
    "chat",
    { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3 },
    { parent: outer.id },
  );
  const failing = span("execute_tool refund", { "gen_ai.tool.name": "refund" }, { failed: "no such order" });
  expect(readTurn([outer, inner, failing])).toMatchObject({
    tokens: { input: 7, output: 3 },
    modelCalls: 1,
    calls: [{ call: { name: "refund", arguments: null, arguments_unknown: true, error: "no such order" } }],
  });
});

test("model calls that tell nothing of tools leave open whether there were any", () => {
  const silent = span("chat", { "gen_ai.operation.name": "chat" });
  const asked = span("chat", { "gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": ["tool_calls"] });
  const ended = span("chat", { "gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": ["stop"] });
  expect([[silent], [asked, ended], [ended], []].map((spans) => readTurn(spans).tellsCalls)).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test("retrieved documents are read from lists and from numbered attributes", () => {
  const numbered = span("retriever", {
    "openinference.span.kind": "RETRIEVER",
    "retrieval.documents.0.document.content": "Orders ship in 2 days.",
    "retrieval.documents.0.document.score": 0.8,
    "retrieval.documents.0.document.id": "d1",
  });
  const listed = span("search", {
    "mlflow.spanType": '"RETRIEVER"',
    "mlflow.spanOutputs": text([{ page_content: "Refunds take a week.", metadata: { source: "faq.md" } }]),
  });
  expect(readTurn([numbered, listed]).passages).toEqual([
    { text: "Orders ship in 2 days.", id: "d1", score: 0.8 },
    { text: "Refunds take a week.", source: "faq.md" },
  ]);
});

test("a turn is complete when its root has come and no parent is missing", () => {
  const turns = new Map([
    [0, { spanIds: ["turn0"], sentAt: 1_000 }],
    [1, { spanIds: ["turn1"], sentAt: 5_000 }],
  ]);
  const root = span("POST", {}, { id: "r", parent: "turn0", start: 1_100 });
  const leaf = span("tool", {}, { id: "l", parent: "gone", start: 1_200 });
  const later = span("tool", {}, { id: "x", parent: "proxy", start: 5_100 });
  const completeness = (...spans: ReceivedSpan[]) =>
    [...spansOfTurns(spans, turns)].map(([, own]) => [own.spans.length, own.isComplete]);
  expect(completeness()).toEqual([
    [0, false],
    [0, false],
  ]);
  expect(completeness(root)).toEqual([
    [1, true],
    [0, false],
  ]);
  expect(completeness(root, leaf)).toEqual([
    [2, false],
    [0, false],
  ]);
  expect(completeness(root, later)).toEqual([
    [1, true],
    [1, false],
  ]);
});
