import type { ChatRequest } from "../../contract/ports/chat-model.ts";
import type { Explanation, FailedResponse } from "../outbound/status-failure.ts";

/** OpenAI, vLLM, Ollama, DeepSeek, Mistral, OpenRouter; Groq wants a string. */
const aboutPictures = /image|multimodal|\bvision\b|content must be a string/i;

/** What a rejection means that speaks of pictures: the model takes none, or its provider cannot open one. */
export function explainRefusedPictures(
  { status, url, body }: FailedResponse,
  { messages }: ChatRequest,
): Explanation | null {
  if (![400, 404, 415, 422].includes(status) || !aboutPictures.test(body.slice(0, 2000))) return null;
  if (!messages.some((message) => message.role === "user" && message.parts)) return null;
  return { code: "upstream_rejected", detail: `HTTP ${status}: ${url.host} did not take the pictures it was sent.` };
}
