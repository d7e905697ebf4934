import { AIMessage, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { expect, test } from "vitest";
import { AgentMessage, AgentReply } from "../../contract/schemas/agent/agent-message.ts";
import type { SuccessfulOutcome } from "../loop/agent-outcome.ts";
import { fromAgentMessages } from "./history.ts";
import { plainReply } from "../testing/scripted-model.ts";
import { toAgentReply } from "./agent-reply.ts";

const answered: SuccessfulOutcome = {
  ok: true,
  reply: {
    ...plainReply,
    text: "It is 42.",
    model: "acme/chat-2",
    completion_id: "chatcmpl-9",
    system_fingerprint: "fp_1",
    service_tier: "default",
    usage: {
      prompt_tokens: 30,
      completion_tokens: 12,
      total_tokens: 42,
      prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0, cache_write_tokens: null, other: 3 },
      completion_tokens_details: { reasoning_tokens: 5, audio_tokens: null },
    },
  },
  finish_reason: "stop",
  pending_tool_calls: [],
  usage: { input_tokens: 100, output_tokens: 50, total_tokens: 150 },
  cost: null,
  steps: 2,
  model_calls: 2,
  tool_calls: [],
  invalid_tool_calls: [{ id: "x", name: "calculator", args: "{", error: "not JSON", model_call: 1 }],
  repairs: 1,
  duration_ms: 12,
};

const pending: SuccessfulOutcome = {
  ...answered,
  reply: { ...answered.reply, text: "" },
  finish_reason: "tool_calls",
  pending_tool_calls: [
    {
      id: "call_1",
      name: "open_page",
      args: { url: "/", deep: { list: [1, null] } },
      arguments: '{"url":"/","deep":{"list":[1,null]}}',
    },
  ],
  invalid_tool_calls: [{ id: "call_2", name: "calculator", args: "{", error: "not JSON", model_call: 2 }],
};

test("has exactly the fields of the contract", () => {
  expect(toAgentReply(answered, "run--1")).toEqual({
    content: "It is 42.",
    additional_kwargs: { refusal: null },
    response_metadata: {
      token_usage: {
        completion_tokens: 12,
        prompt_tokens: 30,
        total_tokens: 42,
        completion_tokens_details: { reasoning_tokens: 5, audio_tokens: null },
        prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0, cache_write_tokens: null, other: 3 },
      },
      model_name: "acme/chat-2",
      system_fingerprint: "fp_1",
      id: "chatcmpl-9",
      service_tier: "default",
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
      input_tokens: 30,
      output_tokens: 12,
      total_tokens: 42,
      input_token_details: { audio: 0, cache_read: 8 },
      output_token_details: { reasoning: 5 },
    },
  });
});

test("lists pending and invalid calls of the last message", () => {
  expect(toAgentReply(pending)).toMatchObject({
    tool_calls: [{ name: "open_page", args: { url: "/", deep: { list: [1, null] } }, id: "call_1", type: "tool_call" }],
    invalid_tool_calls: [{ name: "calculator", args: "{", id: "call_2", error: "not JSON", type: "invalid_tool_call" }],
  });
});

test("gives every message its own id", () => {
  const ids = [toAgentReply(answered).id, toAgentReply(answered).id];
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^run--[0-9a-f-]{36}$/);
});

test("writes whole numbers when the endpoint reports no tokens or no total", () => {
  const uncounted = toAgentReply({ ...answered, reply: { ...answered.reply, usage: null } });
  expect(uncounted.usage_metadata).toEqual({
    input_tokens: 0,
    output_tokens: 0,
    total_tokens: 0,
    input_token_details: {},
    output_token_details: {},
  });
  const usage = { ...plainReply.usage, prompt_tokens: 3, completion_tokens: 4, total_tokens: 0 };
  const reply = {
    ...answered.reply,
    usage: { prompt_tokens_details: null, completion_tokens_details: null, ...usage },
  };
  const summed = toAgentReply({ ...answered, reply });
  expect([summed.usage_metadata.total_tokens, summed.response_metadata.token_usage.total_tokens]).toEqual([7, 7]);
});

test.each([
  ["an answer", answered],
  ["pending calls", pending],
  ["a refusal and a limit", { ...answered, finish_reason: "step_limit", reply: { ...answered.reply, refusal: "No." } }],
])("keeps every field of %s when read by LangChain", (_, outcome) => {
  const body = AgentReply.strict().parse(JSON.parse(JSON.stringify(toAgentReply(outcome))));
  const message = coerceMessageLikeToMessage(body as Parameters<typeof coerceMessageLikeToMessage>[0]);
  expect(message).toBeInstanceOf(AIMessage);
  const { type, example, name, ...fields } = body;
  expect(message).toMatchObject(fields);
  expect(message.getType()).toBe(type);
  expect(message.name ?? null).toBe(name);
  expect(message.lc_kwargs["example"]).toBe(example);
});

test("reads our own reply back as history with its calls", () => {
  const body = toAgentReply(pending);
  expect(fromAgentMessages([AgentMessage.parse(body)])[0]).toEqual({
    role: "assistant",
    content: "",
    tool_calls: [{ id: "call_1", name: "open_page", arguments: '{"url":"/","deep":{"list":[1,null]}}' }],
  });
});
