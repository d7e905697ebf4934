import type { ChatModel, ChatOptions, ChatRequest, Reply } from "../contract/ports/chat-model.ts";
import { withoutThoughts } from "./text/without-thoughts.ts";

/** Models whose endpoint refuses structured output. */
const refusing = new WeakSet<ChatModel>();

/**
 * Asks a model for a reply in a form that its messages describe as well. Where the endpoint refuses structured output it is asked
 * once more without, and from then on only so. What a model thinks before its answer is no part of the reply.
 */
export async function askInForm(model: ChatModel, request: ChatRequest, options: ChatOptions): Promise<Reply> {
  const reply = await askAsItCan(model, request, options);
  return reply.ok ? { ...reply, text: withoutThoughts(reply.text) } : reply;
}

async function askAsItCan(model: ChatModel, request: ChatRequest, options: ChatOptions): Promise<Reply> {
  const { format: _, ...unformed } = request;
  if (refusing.has(model)) return model(unformed, options);
  const reply = await model(request, options);
  if (reply.ok || !reply.error.refuses_format) return reply;
  const again = await model(unformed, options);
  if (again.ok) refusing.add(model);
  return again;
}
