import { randomUUIDv7 } from "node:crypto";
import type { StoredAnswer } from "../../src/contract/ports/agent-memory.ts";
import type { AgentRunEnd, AgentRunEntry, AgentRunStarted } from "../../src/contract/schemas/agent/agent-run.ts";
import type { AgentReply } from "../../src/contract/schemas/agent/agent-message.ts";

export const newRunId = (): string => randomUUIDv7();

export function runStart(overrides: Partial<AgentRunStarted> = {}): AgentRunStarted {
  return {
    type: "run-start",
    at: 1_700_000_000_000,
    owner: null,
    wire: "agent",
    request_id: "r",
    model_id: "a/b",
    model_resolved: "a/b",
    thread_id: null,
    messages: [{ role: "user", content: "Hi" }],
    tools: [],
    client_tools: [],
    ...overrides,
  };
}

export function toolCall(result: string): AgentRunEntry {
  return {
    type: "tool-call",
    at: 1_700_000_000_001,
    id: "call_1",
    name: "calculator",
    args: { expression: result },
    ok: true,
    result,
    duration_ms: 1,
  };
}

export function runEnd(overrides: Partial<AgentRunEnd> = {}): AgentRunEnd {
  return {
    type: "run-end",
    at: 1_700_000_000_002,
    state: "completed",
    model_resolved: "a/b",
    finish_reason: "stop",
    text: "Hello",
    error: null,
    usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    cost: 0.5,
    model_calls: 1,
    tool_calls: 1,
    duration_ms: 2,
    ...overrides,
  };
}

const sampleReply: AgentReply = {
  content: "Hello",
  additional_kwargs: { refusal: null },
  response_metadata: {
    token_usage: {
      completion_tokens: 1,
      prompt_tokens: 1,
      total_tokens: 2,
      completion_tokens_details: null,
      prompt_tokens_details: null,
    },
    model_name: "b",
    system_fingerprint: null,
    id: "c",
    service_tier: null,
    finish_reason: "stop",
    logprobs: null,
  },
  type: "ai",
  name: null,
  id: "run--1",
  example: false,
  tool_calls: [],
  invalid_tool_calls: [],
  usage_metadata: {
    input_tokens: 1,
    output_tokens: 1,
    total_tokens: 2,
    input_token_details: {},
    output_token_details: {},
  },
};

export const sampleAnswer = (content = "Hello"): StoredAnswer => ({
  reply: { ...sampleReply, content },
  headers: { "x-run-id": "1" },
});
