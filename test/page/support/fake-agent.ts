import type { AgentReply } from "../../../src/contract/schemas/agent/agent-message.ts";
import { ServiceError, type ErrorCode } from "../../../src/contract/errors/errors.ts";
import { toProblem, type Problem } from "../../../src/contract/errors/problem.ts";

interface FakeTool {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly ok?: boolean;
  readonly duration_ms?: number;
  /** null: still at work. */
  readonly result: string | null;
}

export type FakeAnswer =
  | { readonly reply: AgentReply; readonly tools?: readonly FakeTool[]; readonly thoughts?: string }
  /** Some text, and then an error or nothing any more. */
  | { readonly partial: string; readonly tools?: readonly FakeTool[]; readonly failure?: Problem }
  | { readonly problem: Problem }
  | "never";

export function makeReply(content: string, changes: Partial<AgentReply> = {}): AgentReply {
  return {
    content,
    additional_kwargs: { refusal: null },
    response_metadata: {
      token_usage: {
        completion_tokens: 9,
        prompt_tokens: 21,
        total_tokens: 30,
        completion_tokens_details: null,
        prompt_tokens_details: null,
      },
      model_name: "scripted",
      system_fingerprint: "rehearsal-demo (scripted, not a language model)",
      id: "chatcmpl-1",
      service_tier: null,
      finish_reason: "stop",
      logprobs: null,
    },
    type: "ai",
    name: null,
    id: "run-1",
    example: false,
    tool_calls: [],
    invalid_tool_calls: [],
    usage_metadata: {
      input_tokens: 21,
      output_tokens: 9,
      total_tokens: 30,
      input_token_details: {},
      output_token_details: {},
    },
    ...changes,
  };
}

export const makeProblem = (code: ErrorCode, detail: string): Problem =>
  toProblem(new ServiceError(code, detail), "req-1");

/** Resumes the run of demo/asks: arguments must name a recipient, a refused call is not run. */
export function fakeResume(decision: unknown): FakeAnswer {
  const call = { id: "call-7", name: "send_mail" };
  if (decision === "deny") {
    const refused = {
      ...call,
      args: {},
      ok: false,
      result: "The call was not run: it was not approved.",
      duration_ms: 0,
    };
    return { reply: makeReply("Then I will not send it."), tools: [refused] };
  }
  const { args = { to: "a@example.org" } } = (typeof decision === "object" ? decision : {}) as { args?: unknown };
  if (!(args as { to?: unknown }).to) return { problem: makeProblem("validation_failed", "/args/to is required") };
  return { reply: makeReply("Sent."), tools: [{ ...call, args, result: "queued" }] };
}

/** Answers by model id: an echo, unless the id asks for something special. */
export function fakeAnswer(model: string, message: string): FakeAnswer {
  if (model === "demo/never") return "never";
  if (model === "demo/refused") {
    return { problem: makeProblem("upstream_auth", 'The hub refused the credentials for "demo/refused".') };
  }
  if (model === "demo/slow") {
    return { partial: "Let me think", tools: [{ id: "1", name: "web_fetch", args: { url: "x" }, result: null }] };
  }
  if (model === "demo/breaks") {
    return { partial: "Half a", failure: makeProblem("upstream_reset", "The provider hung up.") };
  }
  if (model === "demo/thinks") {
    return { reply: makeReply("Five days."), thoughts: "Three plus two <b>is</b> **five**." };
  }
  if (model === "demo/tools") {
    const tool = { id: "call-1", name: "calculator", args: { expression: "6*7" }, result: "result: 42" };
    return { reply: makeReply("The answer is 42."), tools: [tool] };
  }
  if (model === "demo/wrong") {
    const refused = {
      id: "call-2",
      name: "no_such_tool",
      args: {},
      ok: false,
      duration_ms: 0,
      result: "There is no such tool.",
    };
    const invalid = {
      name: "calculator",
      args: "{",
      id: "call-3",
      error: "The arguments are no JSON.",
      type: "invalid_tool_call" as const,
    };
    const same = { ...invalid, id: "call-2", name: "no_such_tool", args: "{}", error: "There is no such tool." };
    return { reply: makeReply("I could not.", { invalid_tool_calls: [same, invalid] }), tools: [refused] };
  }
  if (model === "demo/asks") {
    const call = { name: "send_mail", args: { to: "a@example.org" }, id: "call-7", type: "tool_call" as const };
    return { reply: makeReply("", { tool_calls: [call] }) };
  }
  if (model === "demo/asks-twice") {
    const args = { to: "a@example.org" };
    const calls = ["send_mail", "archive_mail"].map((name, index) => ({ name, args, id: `call-${index + 7}` }));
    return { reply: makeReply("", { tool_calls: calls.map((call) => ({ ...call, type: "tool_call" as const })) }) };
  }
  return { reply: makeReply(`**${model}** heard: ${message}`) };
}
