import type { ChatModel, Reply } from "../../contract/model.ts";
import type { OutboundStream } from "../outbound/outbound.ts";
import { parseEndpoint } from "../outbound/parse-endpoint.ts";
import type { AdapterOptions } from "./adapter-options.ts";
import { chatCompletionsUrl } from "./endpoint-url.ts";
import { elapsedMs, failedReply } from "./failed-reply.ts";
import { toOpenaiBody } from "./openai-chat-body.ts";
import { parseOpenaiReply, type AnswerContext } from "./openai-chat-reply.ts";
import { readOpenaiStream } from "./openai-chat-stream.ts";
import { explainOpenaiFailure } from "./openai-error.ts";

/** A model behind an OpenAI-compatible `…/chat/completions`. */
export function openaiChat({ outbound, endpoint, modelId, policy }: AdapterOptions): ChatModel {
  const parsed = parseEndpoint(endpoint);
  // An endpoint that does not parse goes to the client as it is: the client says what is wrong with it.
  const url = parsed.ok ? chatCompletionsUrl(parsed.url) : endpoint;

  return async (request, { signal, onText }) => {
    const started = performance.now();
    const result = await outbound.request({
      url,
      method: "POST",
      body: toOpenaiBody(request, { modelId, stream: onText !== undefined }),
      acceptStream: onText !== undefined,
      breakerKey: modelId,
      explainFailure: explainOpenaiFailure,
      signal,
      ...(policy && { policy }),
    });
    if (!result.ok) return failedReply(result.error, elapsedMs(started));
    const context = { url: new URL(url), modelId, status: result.status, tries: result.tries };
    if (result.kind === "stream") return streamed(result, context, started, onText);
    const reply = parseOpenaiReply(result.body, context);
    if (!("ok" in reply)) return failedReply(reply, elapsedMs(started));
    // A server that ignored the wish to stream: its text still arrives, in one piece.
    if (reply.text !== "") onText?.(reply.text);
    return { ...reply, latency_ms: elapsedMs(started), first_token_ms: null };
  };
}

async function streamed(
  { stream }: OutboundStream,
  context: AnswerContext,
  started: number,
  onText: ((text: string) => void) | undefined,
): Promise<Reply> {
  let firstToken: number | null = null;
  const reply = await readOpenaiStream(stream, context, {
    onToken: () => (firstToken ??= elapsedMs(started)),
    onText: onText ?? (() => {}),
  });
  if (!("ok" in reply)) return failedReply(reply, elapsedMs(started));
  return { ...reply, latency_ms: elapsedMs(started), first_token_ms: firstToken };
}
