import { expect, test } from "vitest";
import { summarizeRun, type AgentRunEntry } from "./agent-run.ts";
import { sampleReply } from "../../testing/sample-reply.ts";

const start: AgentRunEntry = {
  type: "run-start",
  at: 5,
  owner: null,
  wire: "mcp",
  request_id: "r",
  model_id: "best",
  model_resolved: "a/b",
  thread_id: "t",
  messages: [],
  tools: [],
  client_tools: [],
};
const call: AgentRunEntry = {
  type: "model-call",
  at: 6,
  call: 1,
  duration_ms: 1,
  model_resolved: "a/b",
  reply: null,
};
const end: AgentRunEntry = {
  type: "run-end",
  at: 9,
  state: "waiting",
  model_resolved: "c/d",
  finish_reason: "tool_calls",
  text: "",
  error: null,
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  cost: 0.5,
  model_calls: 1,
  tool_calls: 0,
  duration_ms: 4,
};

test("summarizes a run by its last end, and as running again once it is resumed", () => {
  expect(summarizeRun("1", [start, call])).toMatchObject({
    id: "1",
    state: "running",
    wire: "mcp",
    thread_id: "t",
    model_calls: 1,
    finished_at: null,
  });
  const waiting = summarizeRun("1", [start, call, end]);
  expect(waiting).toMatchObject({ state: "waiting", model_resolved: "c/d", cost: 0.5, finished_at: 9, created_at: 5 });
  expect(waiting).not.toHaveProperty("text");
  const again = summarizeRun("1", [start, call, end, { type: "run-resume", at: 10, decisions: {} }, call]);
  expect(again).toMatchObject({ state: "running", finished_at: null, finish_reason: null, model_calls: 2 });
});

test("counts tokens during the run, so that a run that never ends has them too", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 0 };
  const reply = sampleReply("Hi", {
    usage: { ...usage, prompt_tokens_details: null, completion_tokens_details: null },
  });
  const answered: AgentRunEntry = { ...call, reply };
  const counted = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  expect(summarizeRun("1", [start, answered])).toMatchObject({ usage: counted, cost: null });
  const again = summarizeRun("1", [start, answered, end, { type: "run-resume", at: 10, decisions: {} }, answered]);
  expect(again).toMatchObject({ usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 }, cost: null });
});

test("has no summary of a run without its start", () => {
  expect(summarizeRun("1", [end])).toBeNull();
});
