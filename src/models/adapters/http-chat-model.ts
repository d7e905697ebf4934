import type { WorldAddress } from "../../contract/schemas/acting/world.ts";
import type { ChatModel, ChatOptions, ChatRequest, Reply, ReplyError } from "../../contract/ports/chat-model.ts";
import type { PolicyName, RunPolicy } from "../../contract/schemas/shared/endpoint-policy.ts";
import type { protocols, ProtocolOf } from "../../contract/protocols/protocols.ts";
import type { CredentialBinding } from "../outbound/credentials.ts";
import { parseEndpoint } from "../outbound/endpoint-policy.ts";
import { callUrl } from "../outbound/endpoint-url.ts";
import type { Outbound, OutboundBody, OutboundStream, SuccessfulAnswer } from "../outbound/outbound.ts";
import type { ExplainFailure } from "../outbound/status-failure.ts";
import { metadataSource } from "./opaque-metadata.ts";
import {
  adjustRequest,
  detectQuirks,
  explainRefusedPictures,
  knownQuirks,
  rememberQuirks,
  type Quirks,
} from "./quirks.ts";
import { elapsedMs, failedReply, withTries, type AnswerContext, type ParsedReply } from "./reply/parsed-reply.ts";
import { readReplyStream, type ReplyCollector, type StreamListeners } from "./reply/reply-stream.ts";

/** The arguments of every protocol adapter. */
export interface AdapterOptions {
  readonly outbound: Outbound;
  /** The URL as the user wrote it. An unusable one makes every call fail with the reason. */
  readonly endpoint: string;
  readonly modelId: string;
  readonly policy?: PolicyName | undefined;
  /** The policy of the run that calls the model: it must allow the endpoint too. */
  readonly runPolicy?: RunPolicy | null | undefined;
  /** The model's own key. Default: a credential that covers the endpoint. */
  readonly credential?: CredentialBinding | undefined;
  /** Where an agent expects the address of its world. */
  readonly worldAddress?: WorldAddress | undefined;
}

export interface BodyOptions {
  readonly modelId: string;
  readonly stream: boolean;
  /** The model whose opaque metadata is sent back: an endpoint and a model id. */
  readonly source: string;
  readonly quirks: Quirks;
}

/** The parts in which chat protocols differ. Calling, timing, retrying and streaming are the same for all. */
export interface ChatProtocol {
  /** Sent with every call, and with the request for its model list. */
  readonly headers: Readonly<Record<string, string>>;
  /** The query parameter of the model list for the last id of the page before. */
  readonly afterParameter: string;
  readonly toBody: (request: ChatRequest, options: BodyOptions) => string;
  readonly explainFailure: ExplainFailure;
  readonly parseReply: (body: string, context: AnswerContext) => ParsedReply | ReplyError;
  readonly collectStream: (context: AnswerContext, listeners: StreamListeners) => ReplyCollector;
  /** Joins several calls to one reply. Default: a call is a reply. */
  readonly around?: (model: ChatModel) => ChatModel;
}

/**
 * A model behind HTTP in the given protocol. It streams when the caller listens or asks for the time to the first token.
 * A request that the server refuses for a known reason is changed and sent again (see `quirks.ts`).
 */
export function httpChatModel(
  protocol: ChatProtocol,
  facts: (typeof protocols)[ProtocolOf<"model">],
  { outbound, endpoint, modelId, policy, runPolicy, credential }: AdapterOptions,
): ChatModel {
  const parsed = parseEndpoint(endpoint);
  // An endpoint that does not parse is passed on unchanged: the client reports what is wrong with it.
  const url = parsed.ok ? callUrl(parsed.url, facts) : endpoint;
  const source = parsed.ok ? metadataSource(parsed.url, modelId) : "";
  const target = `${url} ${modelId}`;

  async function call(
    request: ChatRequest,
    { signal, onText, onReasoning, onRefused, longestWaitMs, admitBytes }: ChatOptions,
    { stream, quirks }: { readonly stream: boolean; readonly quirks: Quirks },
  ): Promise<Call> {
    const started = performance.now();
    let again: Call["again"] = null;
    const read: { reply: ParsedReply | ReplyError | null } = { reply: null };
    const body = Buffer.from(protocol.toBody(adjustRequest(request, quirks), { modelId, stream, source, quirks }));
    const result = await outbound.request({
      url,
      method: "POST",
      operation: facts.path,
      body,
      acceptStream: stream,
      breakerKey: modelId,
      explainFailure(response) {
        const learned = detectQuirks(response, { sent: body.toString(), request, stream, modelId, known: quirks });
        if (learned.length > 0) again = { quirks: new Set([...quirks, ...learned]) };
        return protocol.explainFailure(response) ?? explainRefusedPictures(response, request);
      },
      failureIn(answer) {
        const { status, tries } = answer;
        const context = { url, modelId, source, request, status, tries };
        read.reply = isEventStream(answer) ? null : protocol.parseReply(answer.body, context);
        return read.reply && !("ok" in read.reply) && read.reply.retryable ? read.reply : null;
      },
      signal,
      onRefused,
      longestWaitMs,
      runPolicy,
      admitBytes,
      headers: protocol.headers,
      policy,
      credential,
    });
    if (!result.ok) return { reply: failedReply(result.error, elapsedMs(started)), again };
    const { reply: whole } = read;
    if (result.kind === "stream" || whole === null) {
      const context = { url, modelId, source, request, status: result.status, tries: result.tries };
      const { maxEventBytes } = outbound;
      const { reply, isHeard } = await streamed(protocol, { result, context, onText, onReasoning, maxEventBytes });
      // A stream that broke before the caller heard anything is asked for again, in one piece. After a timeout a listening
      // caller has waited long enough.
      const isLate = onText !== undefined && !reply.ok && reply.error.code === "upstream_timeout";
      const broke = stream && !reply.ok && !isHeard && !isLate && reply.error.retryable;
      return { reply, again: broke ? { stream: false } : null };
    }
    if (!("ok" in whole)) return { reply: failedReply(whole, elapsedMs(result.startedAt)), again: null };
    // The server ignored `stream`: the text arrives in one piece.
    if (whole.reasoning !== undefined) onReasoning?.(whole.reasoning);
    if (whole.text !== "") onText?.(whole.text);
    return { reply: { ...whole, latency_ms: elapsedMs(result.startedAt), first_token_ms: null }, again: null };
  }

  const model: ChatModel = async (request, options) => {
    const wanted = options.onText !== undefined || options.stream === true;
    let broke = false;
    let quirks = knownQuirks(outbound, target);
    let earlier = 0;
    for (;;) {
      const stream = wanted && !broke && !quirks.has("no_stream");
      const { reply, again } = await call(request, options, { stream, quirks });
      if (reply.ok) rememberQuirks(outbound, target, { quirks, reply });
      if (reply.ok || again === null) return withTries(reply, earlier);
      earlier += reply.error.tries;
      if ("quirks" in again) quirks = again.quirks;
      else broke = true;
    }
  };
  return protocol.around ? protocol.around(model) : model;
}

interface Call {
  readonly reply: Reply;
  /** The change for another try: the quirks that a refusal revealed, or no stream because it broke. Null: no other try. */
  readonly again: { readonly quirks: Quirks } | { readonly stream: false } | null;
}

/** Some servers stream without being asked, or do not declare the content type. */
function isEventStream({ headers, body }: SuccessfulAnswer): boolean {
  const isSaid = /^text\/event-stream\b/i.test(String(headers["content-type"] ?? ""));
  return isSaid || /^\s*(?:data|event|id|retry)?:/.test(body);
}

interface HttpCall {
  readonly result: OutboundStream | OutboundBody;
  readonly context: AnswerContext;
  readonly onText: ((text: string) => void) | undefined;
  readonly onReasoning: ((text: string) => void) | undefined;
  readonly maxEventBytes: number;
}

/** `isHeard`: the caller has received a part. */
async function streamed(protocol: ChatProtocol, call: HttpCall): Promise<{ reply: Reply; isHeard: boolean }> {
  const { result, context, onText, onReasoning, maxEventBytes } = call;
  const { startedAt } = result;
  let firstToken: number | null = null;
  let isHeard = false;
  const tell = (listener: ((text: string) => void) | undefined) => (text: string) => {
    if (!listener) return;
    isHeard = true;
    listener(text);
  };
  const collector = protocol.collectStream(context, {
    onToken: () => (firstToken ??= elapsedMs(startedAt)),
    onText: tell(onText),
    onReasoning: tell(onReasoning),
  });
  const isLive = result.kind === "stream";
  const bytes = isLive ? result.stream : onePiece(result.body);
  const reply = await readReplyStream(bytes, collector, { context, maxEventBytes });
  if (!("ok" in reply)) return { reply: failedReply(reply, elapsedMs(startedAt)), isHeard };
  const timing = { latency_ms: elapsedMs(startedAt), first_token_ms: isLive ? firstToken : null };
  return { reply: { ...reply, ...timing }, isHeard };
}

async function* onePiece(body: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(body);
}
