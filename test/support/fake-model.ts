import type { ChatModel, ChatRequest } from "../../src/contract/ports/chat-model.ts";
import { sampleReply } from "../../src/contract/testing/sample-reply.ts";

/** A model whose text is a function of the request; it records its requests. */
export function fakeModel(
  answer: (request: ChatRequest, call: number) => string,
): ChatModel & { requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  const model: ChatModel = (request, { signal }) => {
    signal.throwIfAborted();
    requests.push(request);
    return Promise.resolve(sampleReply(answer(request, requests.length)));
  };
  return Object.assign(model, { requests });
}

/** The last user message. */
export function lastUserMessage({ messages }: ChatRequest): string {
  return messages.findLast(({ role }) => role === "user")?.content ?? "";
}
