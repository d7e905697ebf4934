import type { ChatOptions, ChatRequest } from "../../src/contract/ports/chat-model.ts";
import { createChatModel } from "../../src/models/protocols/create-chat-model.ts";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import type { Behaviour } from "./fake-provider/behaviour.ts";
import { startFakeProvider } from "./fake-provider.ts";

export const hello: ChatRequest = { messages: [{ role: "user", content: "Hello" }] };

/** One call of a provider that behaves like this, over OpenAI's chat interface and without another try. */
export async function ask(behaviour: Behaviour | undefined, request = hello, options: Partial<ChatOptions> = {}) {
  await using provider = await startFakeProvider(behaviour ? { behaviour } : {});
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: provider.url, modelId: "model-1" });
  const reply = await model(request, { signal: new AbortController().signal, ...options });
  return { reply, sent: provider.requests };
}
