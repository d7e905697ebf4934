import { expect, test } from "vitest";
import { importScenarios } from "../../import-scenarios.ts";

const args = { order: "7" };
const result = { status: "sent" };
const question = "Where is order 7?";
const answer = "It was sent.";

const openaiCall = { id: "c1", type: "function", function: { name: "get_order", arguments: JSON.stringify(args) } };
const sent = [
  { role: "system", content: "Be brief." },
  { role: "user", content: question },
  { role: "assistant", content: null, tool_calls: [openaiCall] },
  { role: "tool", tool_call_id: "c1", content: JSON.stringify(result) },
];

const otlp = (attributes: Record<string, unknown>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));

/** OTLP JSON with the GenAI conventions: an agent, two model calls and a tool. */
const genai = {
  resourceSpans: [
    {
      resource: { attributes: otlp({ "service.name": "shop" }) },
      scopeSpans: [
        {
          spans: [
            {
              traceId: "t1",
              spanId: "a",
              name: "invoke_agent shop",
              startTimeUnixNano: "1700000000000000000",
              attributes: otlp({ "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "s1" }),
            },
            {
              traceId: "t1",
              spanId: "b",
              parentSpanId: "a",
              name: "chat gpt",
              startTimeUnixNano: "1700000003000000000",
              attributes: otlp({
                "gen_ai.operation.name": "chat",
                "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: "Be brief." }]),
                "gen_ai.input.messages": JSON.stringify([
                  { role: "user", parts: [{ type: "text", content: question }] },
                  {
                    role: "assistant",
                    parts: [{ type: "tool_call", id: "c1", name: "get_order", arguments: args }],
                  },
                  { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: result }] },
                ]),
                "gen_ai.output.messages": JSON.stringify([
                  { role: "assistant", parts: [{ type: "text", content: answer }], finish_reason: "stop" },
                ]),
              }),
            },
            {
              traceId: "t1",
              spanId: "c",
              parentSpanId: "a",
              name: "execute_tool get_order",
              startTimeUnixNano: "1700000002000000000",
              attributes: otlp({
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "get_order",
                "gen_ai.tool.call.id": "c1",
                "gen_ai.tool.call.arguments": JSON.stringify(args),
                "gen_ai.tool.call.result": JSON.stringify(result),
              }),
            },
          ],
        },
      ],
    },
  ],
};

/** Spans of Phoenix, whose attributes are flat, and one as its table has it. */
const context = (span_id: string) => ({ trace_id: "t1", span_id });
const phoenix = [
  {
    name: "agent",
    context: context("a"),
    parent_id: null,
    span_kind: "AGENT",
    start_time: "2026-01-01T00:00:00Z",
    attributes: { "openinference.span.kind": "AGENT", "session.id": "s1", "input.value": question },
  },
  {
    name: "ChatCompletion",
    context: context("b"),
    parent_id: "a",
    span_kind: "LLM",
    start_time: "2026-01-01T00:00:02Z",
    attributes: {
      "openinference.span.kind": "LLM",
      "llm.input_messages.0.message.role": "system",
      "llm.input_messages.0.message.content": "Be brief.",
      "llm.input_messages.1.message.role": "user",
      "llm.input_messages.1.message.contents.0.message_content.type": "text",
      "llm.input_messages.1.message.contents.0.message_content.text": question,
      "llm.input_messages.2.message.role": "assistant",
      "llm.input_messages.2.message.tool_calls.0.tool_call.id": "c1",
      "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "get_order",
      "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": JSON.stringify(args),
      "llm.input_messages.3.message.role": "tool",
      "llm.input_messages.3.message.tool_call_id": "c1",
      "llm.input_messages.3.message.content": JSON.stringify(result),
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.content": answer,
    },
  },
];
const nested = [
  phoenix[0],
  {
    name: "ChatCompletion",
    "context.trace_id": "t1",
    "context.span_id": "b",
    parent_id: "a",
    span_kind: "LLM",
    start_time: "2026-01-01T00:00:02Z",
    "attributes.llm.input_messages": sent.map((message) => ({
      "message.role": message.role,
      "message.content": message.content,
      ...("tool_call_id" in message && { "message.tool_call_id": message.tool_call_id }),
      ...("tool_calls" in message && {
        "message.tool_calls": [
          {
            "tool_call.id": "c1",
            "tool_call.function.name": "get_order",
            "tool_call.function.arguments": JSON.stringify(args),
          },
        ],
      }),
    })),
    "attributes.llm.output_messages": [{ "message.role": "assistant", "message.content": answer }],
  },
];

/** A trace of MLflow, whose attributes are JSON texts. */
const mlflow = {
  info: { trace_id: "tr-1", trace_metadata: { "mlflow.trace.session": "s1" }, state: "OK" },
  data: {
    spans: [
      {
        trace_id: "x",
        span_id: "a",
        parent_span_id: null,
        name: "predict",
        start_time_unix_nano: 1,
        attributes: { "mlflow.spanType": '"AGENT"', "mlflow.spanInputs": JSON.stringify({ question }) },
      },
      {
        trace_id: "x",
        span_id: "b",
        parent_span_id: "a",
        name: "Completions",
        start_time_unix_nano: 3,
        attributes: {
          "mlflow.spanType": '"CHAT_MODEL"',
          "mlflow.spanInputs": JSON.stringify({ model: "m", messages: sent }),
          "mlflow.spanOutputs": JSON.stringify({ choices: [{ message: { role: "assistant", content: answer } }] }),
        },
      },
    ],
  },
};

const langfuse = {
  trace: { id: "t1", name: "chat", sessionId: "s1", timestamp: "2026-01-01T00:00:00Z", input: null, output: null },
  observations: [
    {
      id: "b",
      traceId: "t1",
      type: "GENERATION",
      name: "llm",
      startTime: "2026-01-01T00:00:02Z",
      parentObservationId: "a",
      input: sent.slice(0, 2),
      output: { role: "assistant", content: null, tool_calls: [openaiCall] },
    },
    {
      id: "c",
      traceId: "t1",
      type: "TOOL",
      name: "get_order",
      startTime: "2026-01-01T00:00:03Z",
      input: args,
      output: result,
    },
    {
      id: "d",
      traceId: "t1",
      type: "GENERATION",
      name: "llm",
      startTime: "2026-01-01T00:00:04Z",
      input: { messages: sent },
      output: answer,
    },
  ],
};

const observed = (...observations: object[]) => ({
  trace: langfuse.trace,
  observations: observations.map((each, index) => ({
    id: `o${index}`,
    startTime: `2026-01-01T00:00:0${index}Z`,
    ...each,
  })),
});
const toolCalls = [{ ...openaiCall, function: { name: "get_order", arguments: args } }];
const declared = { role: "tool", content: { type: "function", function: { name: "get_order", parameters: {} } } };

/** Requests and replies of frameworks, as the integrations of Langfuse write them. */
const langfuseOf = {
  langchain: observed({
    type: "GENERATION",
    input: [
      ...sent.slice(0, 2),
      { role: "assistant", content: "", additional_kwargs: { tool_calls: toolCalls } },
      { role: "tool", content: result, tool_call_id: "c1", id: "m4" },
      declared,
    ],
    output: { role: "assistant", content: answer, additional_kwargs: {} },
  }),
  langchainJs: observed({
    type: "GENERATION",
    input: JSON.stringify([...sent.slice(0, 3), { role: "get_order", content: JSON.stringify(result) }]),
    output: { role: "assistant", content: answer },
  }),
  attributes: observed(
    {
      type: "SPAN",
      name: "tool.get_order",
      input: args,
      output: result,
      metadata: { attributes: { "tool.name": "get_order" } },
    },
    {
      type: "GENERATION",
      input: { messages: [`role='user' content='${question}'`] },
      output: { choices: [{ message: { role: "assistant", content: answer } }] },
      metadata: {
        attributes: {
          "llm.input_messages.0.message.role": "system",
          "llm.input_messages.0.message.content": "Be brief.",
          "llm.input_messages.1.message.role": "user",
          "llm.input_messages.1.message.content": question,
        },
      },
    },
  ),
  agent: {
    trace: {
      ...langfuse.trace,
      input: JSON.stringify(JSON.stringify(sent.slice(0, 2))),
      output: JSON.stringify(JSON.stringify([...sent.slice(2), { role: "assistant", content: answer }])),
    },
    observations: [
      { id: "a", type: "GENERATION", input: sent.slice(0, 2), output: [sent[2]] },
      { id: "b", type: "TOOL", name: "execute_tool get_order", input: args, output: result },
      { id: "c", type: "GENERATION", input: sent.slice(2), output: [{ role: "assistant", content: answer }] },
    ],
  },
};

const lc = (type: string, kwargs: object) => ({
  lc: 1,
  type: "constructor",
  id: ["langchain", "schema", "messages", type],
  kwargs,
});
const langsmith = [
  {
    id: "r1",
    trace_id: "r1",
    name: "agent",
    run_type: "chain",
    start_time: "2026-01-01T00:00:00",
    inputs: { messages: [{ role: "user", content: question }] },
    outputs: {},
    extra: { metadata: { thread_id: "s1", ls_run_depth: 0 } },
    child_runs: [
      {
        id: "r2",
        name: "ChatOpenAI",
        run_type: "llm",
        start_time: "2026-01-01T00:00:03",
        inputs: {
          messages: [
            [
              lc("SystemMessage", { content: "Be brief." }),
              lc("HumanMessage", { content: question }),
              lc("AIMessage", { content: "", tool_calls: [{ name: "get_order", args, id: "c1", type: "tool_call" }] }),
              lc("ToolMessage", { id: "m4", content: JSON.stringify(result), tool_call_id: "c1" }),
            ],
          ],
        },
        outputs: { generations: [[{ text: answer, message: lc("AIMessage", { content: answer }) }]] },
      },
      {
        id: "r3",
        name: "get_order",
        run_type: "tool",
        start_time: "2026-01-01T00:00:02",
        inputs: { input: "{'order': '7'}" },
        outputs: { output: { type: "tool", content: JSON.stringify(result), tool_call_id: "c1" } },
      },
    ],
  },
];

test.each([
  ["OTLP JSON with GenAI attributes", "spans", genai],
  ["spans of Phoenix", "spans", phoenix],
  ["a page of Phoenix's API", "spans", { data: phoenix, next_cursor: null }],
  ["rows of Phoenix's table", "spans", nested],
  ["a trace of MLflow", "mlflow", mlflow],
  ["a Langfuse trace with its observations", "langfuse", langfuse],
  ["a Langfuse trace of the API", "langfuse", { ...langfuse.trace, observations: langfuse.observations }],
  ["Langfuse's trace of LangChain", "langfuse", langfuseOf.langchain],
  ["Langfuse's trace of LangChain in JavaScript", "langfuse", langfuseOf.langchainJs],
  ["a Langfuse trace with messages in attributes only", "langfuse", langfuseOf.attributes],
  ["a Langfuse trace with the reply at its root", "langfuse", langfuseOf.agent],
  ["LangSmith runs", "langsmith", langsmith],
])("reads %s as a recorded conversation", (_name, format, file) => {
  const read = importScenarios({ text: JSON.stringify(file) });
  expect(read.format).toBe(format);
  expect(read.scenarios).toMatchObject([
    {
      id: "s1",
      system_prompt: "Be brief.",
      interactions: [{ user_message: question, agent_reply: answer, reference_reply: "", reference_metadata: {} }],
      world: { tools: [{ name: "get_order" }], recorded: [{ name: "get_order", arguments: args, result }] },
    },
  ]);
  expect(read.scenarios[0]?.interactions[0]).not.toHaveProperty("reference_tool_calls");
  expect(read.scenarios[0]?.world?.recorded).toHaveLength(1);
  expect(read.notes.filter(({ kind }) => kind === "dropped")).toEqual([]);
  expect(read.notes).toContainEqual({
    kind: "changed",
    message: expect.stringContaining("use expect_recorded") as string,
  });
  const wanted = importScenarios({ text: JSON.stringify(file), expectsRecorded: true }).scenarios[0]?.interactions;
  expect(wanted).toMatchObject([
    { reference_reply: answer, agent_reply: "", reference_tool_calls: [{ name: "get_order", arguments: args }] },
  ]);
});

const turn = (id: string, start: number, user: string, reply: string, session = "s") => ({
  trace_id: id,
  span_id: id,
  name: "chat",
  start_time: start,
  attributes: { "input.value": user, "output.value": reply, "session.id": session },
});

test.each([
  [{ model: "m", contents: question }, { candidates: [{ content: { role: "model", parts: [{ text: answer }] } }] }],
  [
    { input: question },
    { output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: answer }] }] },
  ],
  [{ prompt: question }, answer],
])("reads a question in the request of a model: %j", (input, output) => {
  const { scenarios } = importScenarios({ text: JSON.stringify(observed({ type: "GENERATION", input, output })) });
  expect(scenarios).toMatchObject([{ interactions: [{ user_message: question, agent_reply: answer }] }]);
});

test("joins the traces of a session in time order, and keeps others apart", () => {
  const spans = [turn("t2", 2, "And then?", "Done."), turn("t1", 1, "Hi", "Hello"), turn("t3", 3, "Other", "Yes", "z")];
  const { scenarios } = importScenarios({ text: spans.map((span) => JSON.stringify(span)).join("\n") });
  expect(scenarios.map(({ id, interactions }) => [id, interactions.map((each) => each.user_message)])).toEqual([
    ["s", ["Hi", "And then?"]],
    ["z", ["Other"]],
  ]);
});

test("reads the texts of a model call in the attributes and events of older conventions", () => {
  const asText = { "gen_ai.prompt": "How long?", "gen_ai.completion": "Two days." };
  const asMessages = {
    "gen_ai.prompt": JSON.stringify([{ role: "user", content: "How long?" }]),
    "gen_ai.completion": JSON.stringify([{ role: "assistant", content: "Two days." }]),
  };
  const ids = { traceId: "t1", spanId: "a", name: "chat", startTimeUnixNano: "1" };
  const events = Object.entries(asMessages).map(([name, value]) => ({
    name: name.replace("gen_ai.", "gen_ai.content."),
    attributes: otlp({ [name]: value }),
  }));
  for (const span of [
    { ...ids, attributes: otlp(asText) },
    { ...ids, attributes: otlp(asMessages) },
    { ...ids, attributes: otlp({ "gen_ai.operation.name": "chat" }), events },
  ]) {
    const text = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const { scenarios } = importScenarios({ text });
    expect(scenarios.map(({ interactions }) => interactions)).toMatchObject([[{ user_message: "How long?" }]]);
    expect(JSON.stringify(importScenarios({ text, expectsRecorded: true }).scenarios)).toContain("Two days.");
  }
});

test("keeps failed tools as errors, and notes traces without a question", () => {
  const tool = {
    trace_id: "t1",
    span_id: "x",
    parent_id: "t1",
    name: "execute_tool refund",
    status: { code: 2, message: "Too late." },
    start_time: 2,
    attributes: { "openinference.span.kind": "TOOL", "tool.name": "refund", "input.value": "{}" },
  };
  const empty = { trace_id: "t9", span_id: "t9", name: "cron", start_time: 1, attributes: {} };
  const text = [turn("t1", 1, "Refund!", "Sorry."), tool, empty].map((span) => JSON.stringify(span)).join("\n");
  const { scenarios, notes } = importScenarios({ text });
  expect(scenarios[0]?.world?.recorded).toEqual([{ name: "refund", arguments: {}, error: "Too late." }]);
  expect(notes).toContainEqual(expect.objectContaining({ line: 3, message: "the trace has no message of the user" }));
});

test("reads LangSmith tables with a column for each field", () => {
  const dataset = "id,inputs.question,inputs.lang,outputs.answer,metadata\n1,Hi?,en,Ho,\n";
  expect(importScenarios({ text: dataset }).scenarios).toMatchObject([
    { id: "1", metadata: { lang: "en" }, interactions: [{ user_message: "Hi?", reference_reply: "Ho" }] },
  ]);
  const experiment =
    "inputs.question,outputs.answer,reference.answer,feedback.correct,execution_time\nHi?,said,wanted,0,1.2\n";
  const { scenarios } = importScenarios({ text: experiment });
  expect(scenarios).toMatchObject([{ interactions: [{ reference_reply: "wanted", agent_reply: "said" }] }]);
  const tokens = "question,answer,input_tokens,output_tokens\nHi?,Ho,1,2\n";
  expect(importScenarios({ text: tokens }).scenarios[0]?.interactions[0]?.reference_reply).toBe("Ho");
});

test("reads pages of Langfuse traces, rows of MLflow traces and tables of Phoenix", () => {
  const trace = { id: "t1", timestamp: "2026-01-01T00:00:00Z", sessionId: "s1", input: question, output: answer };
  const page = { data: [{ ...trace, observations: ["o1"], tags: ["live"] }], meta: { page: 1 } };
  const read = importScenarios({ text: JSON.stringify(page) });
  expect(read).toMatchObject({
    format: "langfuse",
    scenarios: [{ id: "s1", tags: ["live"], interactions: [{ user_message: question, agent_reply: answer }] }],
  });
  const mapped = importScenarios({ text: JSON.stringify(page), mapping: { reference: "output" } });
  expect(mapped.scenarios[0]?.interactions[0]?.reference_reply).toBe(answer);
  const row = { trace_id: "tr", state: "OK", request: JSON.stringify({ question }), response: JSON.stringify(answer) };
  expect(importScenarios({ text: JSON.stringify([row]) })).toMatchObject({
    format: "mlflow",
    scenarios: [{ id: "tr", interactions: [{ user_message: question, agent_reply: answer }] }],
  });
  const header =
    "name,context.trace_id,context.span_id,parent_id,span_kind,start_time,attributes.llm.input_messages,attributes.llm.output_messages";
  const cells = [
    `"[{'message.role': 'user', 'message.content': '${question}'}]"`,
    `"[{'message.role': 'assistant', 'message.content': '${answer}'}]"`,
  ];
  const table = `${header}\nchat,t9,b,,LLM,2026-01-01T00:00:00Z,${cells.join(",")}\n`;
  expect(importScenarios({ text: table }).scenarios).toMatchObject([
    { id: "t9", interactions: [{ user_message: question, agent_reply: answer }] },
  ]);
});
