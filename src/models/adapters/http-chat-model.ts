import type { ChatModel, ChatRequest, Reply, ReplyError } from "../../contract/model.ts";
import type { OutboundStream } from "../outbound/outbound.ts";
import { parseEndpoint } from "../outbound/parse-endpoint.ts";
import type { ExplainFailure } from "../outbound/status-failure.ts";
import type { AdapterOptions } from "./adapter-options.ts";
import { elapsedMs, failedReply } from "./failed-reply.ts";
import type { AnswerContext, ParsedReply } from "./parsed-reply.ts";
import { readReplyStream, type ReplyCollector, type StreamListeners } from "./reply-stream.ts";

/** What tells one chat protocol from another. How a model is called, timed and streamed is the same for all. */
export interface ChatProtocol {
  readonly url: (endpoint: URL) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly toBody: (request: ChatRequest, options: { modelId: string; stream: boolean }) => string;
  readonly explainFailure: ExplainFailure;
  readonly parseReply: (body: string, context: AnswerContext) => ParsedReply | ReplyError;
  readonly collectStream: (context: AnswerContext, listeners: StreamListeners) => ReplyCollector;
}

/** A model that is spoken to over HTTP in the given protocol. */
export function httpChatModel(
  protocol: ChatProtocol,
  { outbound, endpoint, modelId, policy }: AdapterOptions,
): ChatModel {
  const parsed = parseEndpoint(endpoint);
  // An endpoint that does not parse goes to the client as it is: the client says what is wrong with it.
  const url = parsed.ok ? protocol.url(parsed.url) : endpoint;

  return async (request, { signal, onText }) => {
    const started = performance.now();
    const result = await outbound.request({
      url,
      method: "POST",
      body: protocol.toBody(request, { modelId, stream: onText !== undefined }),
      acceptStream: onText !== undefined,
      breakerKey: modelId,
      explainFailure: protocol.explainFailure,
      signal,
      ...(protocol.headers && { headers: protocol.headers }),
      ...(policy && { policy }),
    });
    if (!result.ok) return failedReply(result.error, elapsedMs(started));
    const context = { url: new URL(url), modelId, request, status: result.status, tries: result.tries };
    if (result.kind === "stream") return streamed(protocol, { result, context, started, onText });
    const reply = protocol.parseReply(result.body, context);
    if (!("ok" in reply)) return failedReply(reply, elapsedMs(started));
    // A server that ignored the wish to stream: its text still arrives, in one piece.
    if (reply.text !== "") onText?.(reply.text);
    return { ...reply, latency_ms: elapsedMs(started), first_token_ms: null };
  };
}

interface StreamedCall {
  readonly result: OutboundStream;
  readonly context: AnswerContext;
  readonly started: number;
  readonly onText: ((text: string) => void) | undefined;
}

async function streamed(protocol: ChatProtocol, { result, context, started, onText }: StreamedCall): Promise<Reply> {
  let firstToken: number | null = null;
  const collector = protocol.collectStream(context, {
    onToken: () => (firstToken ??= elapsedMs(started)),
    onText: onText ?? (() => {}),
  });
  const reply = await readReplyStream(result.stream, collector, context);
  if (!("ok" in reply)) return failedReply(reply, elapsedMs(started));
  return { ...reply, latency_ms: elapsedMs(started), first_token_ms: firstToken };
}
