import { expect, test } from "vitest";
import { messages, outline, readFixture } from "../../../test/support/read-fixture.ts";
import { importScenarios } from "../import-scenarios.ts";

test("does not use metadata in Inspect and Langfuse tables as labels unless it is mapped", () => {
  const inspect = `input,target,metadata\nHi,Hello,"{""intent"": ""greeting"", ""age"": 42}"\n`;
  const langfuse = `input,expectedOutput,metadata\nHi,Hello,"{""intent"": ""greeting"", ""age"": 42}"\n`;
  for (const text of [inspect, langfuse]) {
    const [plain] = importScenarios({ text, name: "samples.csv" }).scenarios;
    expect(plain?.interactions[0]).toMatchObject({ reference_reply: "Hello", reference_metadata: {} });
    const named = importScenarios({ text, name: "samples.csv", mapping: { labels: ["intent"] } });
    expect(named.scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ intent: "greeting" });
  }
});

test("reads ADK invocations as turns with their expected tool uses, and keeps the state", () => {
  const result = readFixture("adk.evalset.json");
  expect(result.format).toBe("adk");
  expect(outline(result)).toEqual([["lights", ["Turn off device_2.", "Done, it is off."], ["And device_3?", ""]]]);
  expect(result.scenarios[0]).toMatchObject({
    metadata: { session_state: { room: "kitchen" } },
    interactions: [{ reference_tool_calls: [{ name: "set_device_info", arguments: { status: "OFF" } }] }, {}],
  });
  expect(messages(result)).toEqual([
    "17 | /eval_cases/0/conversation/1 | only text is kept; dropped: inline_data",
    "25 | /eval_cases/0/session_input | the session's state is kept as metadata and not checked: room",
    "27 | /eval_cases/1 | the eval case has no scripted conversation (conversation_scenario is simulated by ADK)",
  ]);
});

test("notes the criteria of ADK instead of reading them as rows", () => {
  const criteria = { tool_trajectory_avg_score: 1, rubric_based_v1: { threshold: 0.8, rubrics: [] } };
  const { format, scenarios, notes } = importScenarios({ text: JSON.stringify({ criteria }) });
  expect([format, scenarios]).toEqual(["adk", []]);
  expect(notes.map(({ message }) => message)).toEqual([
    "criteria belong to a run, not to a scenario: tool_trajectory_avg_score 1, rubric_based_v1 0.8; set them as gates of the run",
  ]);
  expect(importScenarios({ text: JSON.stringify({ question: "Hi?", criteria }) }).format).toBe("rows");
});

test("uses MLflow's expected response as the reference, not the past reply", () => {
  const expectations = { expected_response: "A platform", expected_facts: ["free", "open"] };
  const { scenarios, notes } = importScenarios({
    text: JSON.stringify([
      { inputs: { question: "What is it?" }, outputs: { response: "A tool" }, expectations },
      { inputs: { question: "And why?" }, outputs: "Because", expectations: { expected_facts: ["free"] } },
    ]),
  });
  expect(scenarios.map(({ interactions }) => interactions[0])).toMatchObject([
    { user_message: "What is it?", reference_reply: "A platform", agent_reply: "A tool" },
    { user_message: "And why?", reference_reply: "", agent_reply: "Because" },
  ]);
  expect(notes).toMatchObject([
    { pointer: "/0/expectations", message: "not checked; kept as metadata: expected_facts" },
    { pointer: "/1/expectations", message: "not checked; kept as metadata: expected_facts" },
  ]);
});

test("notes other fields of LangSmith and Langfuse items, except ids and times", () => {
  const item = { id: "1", created_at: "2026-01-01", attachments: { "a.png": {} } };
  const langsmith = { ...item, inputs: { question: "Hi?" }, outputs: { answer: "Ho" }, dataset_id: "d" };
  const langfuse = { ...item, input: "Hi?", expectedOutput: "Ho", sourceTraceId: "t", status: "ACTIVE" };
  for (const value of [langsmith, langfuse]) {
    const { notes } = importScenarios({ text: JSON.stringify([value]) });
    expect(notes.map(({ message }) => message)).toEqual(["kept as metadata, not scored: attachments"]);
  }
});

test("reads LangSmith examples, including LangChain messages", () => {
  const result = readFixture("langsmith.jsonl");
  expect(result.format).toBe("langsmith");
  expect(result.scenarios).toMatchObject([
    {
      id: "6f1c1f6e-0000-4000-8000-000000000001",
      interactions: [
        {
          user_message: "Which mammal lays eggs?",
          reference_reply: "The platypus",
          reference_metadata: { sentiment: "neutral" },
        },
      ],
    },
    { system_prompt: "Be kind.", interactions: [{ user_message: "Hello", reference_reply: "Hello, friend" }] },
    { interactions: [{ user_message: '{"a":"1","b":"2"}', reference_reply: "" }] },
  ]);
  expect(messages(result)).toContain(
    "3 | /inputs | no field was recognised as the user's message; the whole input was kept as JSON text",
  );
});

test("reads outputs of LangSmith runs as past replies, and their tool runs as recorded calls", () => {
  const lines = [
    { id: "1", inputs: { question: "Hi?" }, outputs: { answer: "said" }, reference_outputs: { answer: "wanted" } },
    { run_id: "2", run_type: "chain", parent_run_id: null, inputs: { question: "Ho?" }, outputs: { answer: "said" } },
    {
      run_id: "3",
      run_type: "tool",
      name: "search",
      parent_run_id: "2",
      inputs: { input: "{'query': 'x'}" },
      outputs: { output: "y" },
    },
  ];
  const { scenarios, notes } = importScenarios({ text: lines.map((line) => JSON.stringify(line)).join("\n") });
  expect(scenarios).toMatchObject([
    { id: "1", interactions: [{ user_message: "Hi?", reference_reply: "wanted", agent_reply: "said" }] },
    {
      id: "2",
      interactions: [{ user_message: "Ho?", reference_reply: "", agent_reply: "said" }],
      world: { recorded: [{ name: "search", arguments: { query: "x" }, result: "y" }] },
    },
  ]);
  expect(scenarios[1]?.interactions[0]).not.toHaveProperty("reference_tool_calls");
  expect(notes).toEqual([{ kind: "changed", message: expect.stringContaining("use expect_recorded") as string }]);
});

test("reads an expected trajectory as tool calls, not as replies", () => {
  const lines = [
    { inputs: { query: "Weather?" }, outputs: { expected_trajectory: ["get_weather", "format"] } },
    { inputs: { query: "Rain?" }, outputs: { answer: "No.", trajectory: ["get_weather"] } },
  ];
  const { scenarios, notes } = importScenarios({ text: JSON.stringify(lines) });
  expect(scenarios.map(({ interactions }) => interactions[0])).toMatchObject([
    { reference_reply: "", reference_tool_calls: [{ name: "get_weather" }, { name: "format" }] },
    { reference_reply: "No.", reference_tool_calls: [{ name: "get_weather" }] },
  ]);
  expect(notes).toEqual([]);
});

test("reads Langfuse dataset items, except archived ones", () => {
  const result = readFixture("langfuse.json");
  expect(result.format).toBe("langfuse");
  expect(outline(result)).toEqual([
    ["item-1", ["Hi", "Hello"]],
    ["item-3", ["Open?", "Yes"]],
  ]);
  expect(messages(result)).toContain("11 | /data/1 | the item is archived");
});

test("makes a world of the tools and tool results in the inputs and outputs of a dataset", () => {
  const parameters = { type: "object", properties: { seats: { type: "integer" } } };
  const tools = [{ type: "function", function: { name: "book", description: "Books a table.", parameters } }];
  const call = { id: "c", name: "book", args: { seats: 2 } };
  const item = {
    inputs: { messages: [{ role: "user", content: "A table for two" }], tools },
    outputs: {
      messages: [
        { type: "ai", content: "", tool_calls: [call] },
        { type: "tool", content: '{"ok":true}', tool_call_id: "c" },
        { type: "ai", content: "Booked." },
      ],
    },
  };
  const [scenario] = importScenarios({ text: JSON.stringify([item]) }).scenarios;
  expect(scenario).toMatchObject({
    world: {
      tools: [{ name: "book", description: "Books a table.", parameters }],
      recorded: [{ name: "book", arguments: { seats: 2 }, result: { ok: true } }],
    },
    interactions: [{ reference_reply: "Booked.", reference_tool_calls: [{ name: "book", arguments: { seats: 2 } }] }],
  });
});
