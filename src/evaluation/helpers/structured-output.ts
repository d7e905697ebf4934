import type { ChatModel, ChatOptions, ChatRequest, Reply } from "../../contract/ports/chat-model.ts";

/** Models whose endpoint refuses structured output. */
const refusing = new WeakSet<ChatModel>();

/**
 * Asks a model for structured output; the messages must describe the format too. If the endpoint refuses the format, the
 * request is repeated without it, and later requests leave it out. Reasoning before the answer is removed from the reply.
 */
export async function askStructured(model: ChatModel, request: ChatRequest, options: ChatOptions): Promise<Reply> {
  const reply = await askWithFallback(model, request, options);
  return reply.ok ? { ...reply, text: withoutReasoning(reply.text) } : reply;
}

async function askWithFallback(model: ChatModel, request: ChatRequest, options: ChatOptions): Promise<Reply> {
  const { format: _, ...unformatted } = request;
  if (refusing.has(model)) return model(unformatted, options);
  const reply = await model(request, options);
  if (reply.ok || !reply.error.refuses_format) return reply;
  const second = await model(unformatted, options);
  if (second.ok) refusing.add(model);
  return second;
}

const reasoningEnd = "</think>";

/**
 * Removes the reasoning some models write before their answer; some servers strip its opening tag but not the closing one. An
 * answer that starts as JSON, or as a fenced block, is left unchanged: it may quote the tag.
 */
function withoutReasoning(text: string): string {
  if (/^\s*[{`]/u.test(text)) return text;
  const last = text.lastIndexOf(reasoningEnd);
  return last === -1 ? text : text.slice(last + reasoningEnd.length);
}

const blockEnd = "DATA>>>";
const escapedEnd = blockEnd.replace(">", "\\u003e");

/** Untrusted texts as a delimited JSON block. Delimiters inside the texts are escaped, so no text can close the block. */
export function untrustedBlock(texts: Readonly<Record<string, unknown>>): string {
  const body = JSON.stringify(texts, null, 1).replaceAll("<", "\\u003c").replaceAll(blockEnd, escapedEnd);
  return `<<<DATA\n${body}\n${blockEnd}`;
}
