import type { ChatModel, ChatRequest, SuccessfulReply } from "../../contract/model.ts";

/** A successful reply with this text. */
export function replyWith(text: string, overrides: Partial<SuccessfulReply> = {}): SuccessfulReply {
  return {
    ok: true,
    text,
    refusal: null,
    tool_calls: [],
    finish_reason: "stop",
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: null,
      completion_tokens_details: null,
    },
    model: "fake",
    completion_id: "1",
    system_fingerprint: null,
    service_tier: null,
    logprobs: null,
    metadata: null,
    latency_ms: 1,
    first_token_ms: null,
    tries: 1,
    ...overrides,
  };
}

/** A model whose text is a function of the request; it remembers what it was asked. */
export function fakeModel(
  answer: (request: ChatRequest, call: number) => string,
): ChatModel & { requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  const model: ChatModel = (request, { signal }) => {
    signal.throwIfAborted();
    requests.push(request);
    return Promise.resolve(replyWith(answer(request, requests.length)));
  };
  return Object.assign(model, { requests });
}

/** The last thing the user said. */
export function lastUserMessage({ messages }: ChatRequest): string {
  return messages.findLast(({ role }) => role === "user")?.content ?? "";
}
