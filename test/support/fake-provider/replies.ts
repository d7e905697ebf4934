import { sendJson, type Behaviour, type RecordedRequest } from "./behaviour.ts";

export const fakeUsage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

/** The envelope of a chat completion around one message. `overrides` replaces top-level fields. */
function completion(
  request: RecordedRequest,
  message: Record<string, unknown>,
  overrides: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    id: "chatcmpl-fake-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: request.body?.["model"] ?? "fake-model",
    system_fingerprint: "fp_fake",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop", logprobs: null }],
    usage: fakeUsage,
    ...overrides,
  };
}

/** A good answer with this text. */
export function text(content: string, overrides?: Record<string, unknown>): Behaviour {
  return ({ request, response }) => sendJson(response, 200, completion(request, { content }, overrides));
}

/** The default behaviour of the provider: repeats the last user message. */
export const echo: Behaviour = (call) => text(`You said: ${lastUserMessage(call.request)}`)(call);

/** A good answer whose message holds exactly these fields: null content, content blocks, a refusal, labels … */
export function message(fields: Record<string, unknown>, overrides?: Record<string, unknown>): Behaviour {
  return ({ request, response }) => sendJson(response, 200, completion(request, fields, overrides));
}

export const contentNull = message({ content: null });

export const contentBlocks = (...texts: string[]) =>
  message({ content: texts.map((block) => ({ type: "text", text: block })) });

export const refusal = (reason: string) => message({ content: null, refusal: reason });

/** Any body under any status, sent as JSON. */
export function json(body: unknown, status = 200): Behaviour {
  return ({ response }) => sendJson(response, status, body);
}

export function lastUserMessage(request: RecordedRequest): string {
  const messages = request.body?.["messages"];
  if (!Array.isArray(messages)) return "";
  const last = messages.findLast((candidate) => candidate?.role === "user" || candidate?.type === "human");
  return typeof last?.content === "string" ? last.content : "";
}
