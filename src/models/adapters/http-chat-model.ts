import { firstCharacters } from "../../base/text.ts";
import type {
  ChatMessage,
  ChatModel,
  ChatOptions,
  ChatRequest,
  Reply,
  ReplyError,
  SuccessfulReply,
  ToolDefinition,
} from "../../contract/ports/chat-model.ts";
import type { Operation } from "../credentials.ts";
import type { Outbound, OutboundBody, OutboundStream, SuccessfulAnswer } from "../outbound/outbound.ts";
import { parseEndpoint } from "../outbound/parse-endpoint.ts";
import type { ExplainFailure, Explanation, FailedResponse } from "../outbound/status-failure.ts";
import type { AdapterOptions } from "./adapter-options.ts";
import { echoSource } from "./call-echo.ts";
import { elapsedMs, failedReply } from "./failed-reply.ts";
import { noText, withFilledMessages } from "./filled-messages.ts";
import { createModelMemory } from "./model-memory.ts";
import { leftOut, refusedFields, rememberLeftOut, type OptionalFields } from "./optional-fields.ts";
import type { AnswerContext, ParsedReply } from "./parsed-reply.ts";
import { readReplyStream, type ReplyCollector, type StreamListeners } from "./reply-stream.ts";
import { formLeft, rememberStreamForm, streamFormOf, type StreamForm } from "./stream-forms.ts";
import { refusesOlderName, rememberNewerName, wantsNewerName } from "./token-limit.ts";
import { withTries } from "./with-tries.ts";

export interface BodyOptions {
  readonly modelId: string;
  readonly stream: boolean;
  /** Whether the stream is to end with the tokens it took, where that has to be asked for. */
  readonly streamUsage: boolean;
  /** Whether the limit of tokens goes by its newer name. */
  readonly newerLimit: boolean;
  /** Whether the model is known to think before it replies. */
  readonly thinks: boolean;
  /** Whose echoes are sent back. */
  readonly source: string;
  /** What the server has refused and can do without. */
  readonly without: OptionalFields;
}

/** What tells one chat protocol from another. How a model is called, timed and streamed is the same for all. */
export interface ChatProtocol {
  readonly operation: Operation;
  readonly url: (endpoint: URL) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly toBody: (request: ChatRequest, options: BodyOptions) => string;
  readonly explainFailure: ExplainFailure;
  readonly parseReply: (body: string, context: AnswerContext) => ParsedReply | ReplyError;
  readonly collectStream: (context: AnswerContext, listeners: StreamListeners) => ReplyCollector;
}

/**
 * A model that is spoken to over HTTP in the given protocol. It streams when somebody listens or wants to know when the first
 * token came. A server that refuses to stream is asked once more, in another form; one that brings a reply is remembered.
 */
export function httpChatModel(
  protocol: ChatProtocol,
  { outbound, endpoint, modelId, policy, runPolicy, credential }: AdapterOptions,
): ChatModel {
  const parsed = parseEndpoint(endpoint);
  // An endpoint that does not parse goes to the client as it is: the client says what is wrong with it.
  const url = parsed.ok ? protocol.url(parsed.url) : endpoint;
  const source = parsed.ok ? echoSource(parsed.url, modelId) : "";

  async function call(
    request: ChatRequest,
    { signal, onText, onReasoning, onRefused, longestWaitMs, admitBytes }: ChatOptions,
    { form, newerLimit, without }: RequestForm,
  ): Promise<Call> {
    const started = performance.now();
    const stream = form !== "none";
    let again: Call["again"] = null;
    const read: { reply: ParsedReply | ReplyError | null } = { reply: null };
    const streamUsage = form === "with-usage";
    const thinks = isKnownToThink(outbound, source);
    const body = Buffer.from(
      protocol.toBody(fitRequest(request, without), {
        modelId,
        stream,
        streamUsage,
        newerLimit,
        thinks,
        source,
        without,
      }),
    );
    const result = await outbound.request({
      url,
      method: "POST",
      operation: protocol.operation,
      body,
      acceptStream: stream,
      breakerKey: modelId,
      explainFailure(response) {
        const left = formLeft(response, { form, modelId });
        if (left) again = { form: left, refused: true };
        else if (!newerLimit && refusesOlderName(response, request)) again = { newerLimit: true };
        else {
          const refused = refusedFields(response, body.toString()).filter((field) => !without.has(field));
          if (refused.length > 0) again = { without: new Set([...without, ...refused]) };
        }
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
      ...(protocol.headers && { headers: protocol.headers }),
      ...(policy && { policy }),
      ...(credential && { credential }),
    });
    if (!result.ok) return { reply: failedReply(result.error, elapsedMs(started)), again };
    const { reply: whole } = read;
    if (result.kind === "stream" || whole === null) {
      const context = { url, modelId, source, request, status: result.status, tries: result.tries };
      const { maxEventBytes } = outbound;
      const { reply, isHeard } = await streamed(protocol, { result, context, onText, onReasoning, maxEventBytes });
      // What nobody has heard may be asked for again: a stream that broke, in one piece. Who listens has waited long enough.
      const isLate = onText !== undefined && !reply.ok && reply.error.code === "upstream_timeout";
      const broke = stream && !reply.ok && !isHeard && !isLate && reply.error.retryable;
      return { reply, again: broke ? { form: "none" } : null };
    }
    if (!("ok" in whole)) return { reply: failedReply(whole, elapsedMs(result.startedAt)), again: null };
    // A server that ignored the wish to stream: its text still arrives, in one piece.
    if (whole.reasoning !== undefined) onReasoning?.(whole.reasoning);
    if (whole.text !== "") onText?.(whole.text);
    return { reply: { ...whole, latency_ms: elapsedMs(result.startedAt), first_token_ms: null }, again: null };
  }

  return async (request, options) => {
    const wanted = options.onText !== undefined || options.stream === true;
    let form = wanted ? streamFormOf(outbound, { url, modelId }) : "none";
    let newerLimit = wantsNewerName(outbound, source);
    let without = leftOut(outbound, source);
    let earlier = 0;
    let wasRefused = false;
    for (;;) {
      const { reply, again } = await call(request, options, { form, newerLimit, without });
      if (reply.ok && wasRefused) rememberStreamForm(outbound, { url, modelId }, form);
      if (reply.ok && newerLimit) rememberNewerName(outbound, source);
      if (reply.ok && without.size > 0) rememberLeftOut(outbound, source, without);
      if (reply.ok) rememberThinking(outbound, source, reply);
      if (reply.ok || again === null) return withTries(reply, earlier);
      earlier += reply.error.tries;
      newerLimit ||= again.newerLimit ?? false;
      without = again.without ?? without;
      if (again.form === undefined) continue;
      form = again.form;
      wasRefused = again.refused ?? false;
    }
  };
}

/** In which of several ways a server is asked for the same. */
interface RequestForm {
  readonly form: StreamForm;
  readonly newerLimit: boolean;
  readonly without: OptionalFields;
}

interface Call {
  readonly reply: Reply;
  /** What to change when asking once more: the stream was `refused` or broke, the limit has another name, a field is not taken. */
  readonly again: (Partial<RequestForm> & { readonly refused?: true }) | null;
}

/** Without what a server refuses in any protocol. */
function fitRequest(request: ChatRequest, without: OptionalFields): ChatRequest {
  const described = without.has("long_descriptions") ? withShortDescriptions(request) : request;
  const filled = without.has("empty_messages") ? withFilledMessages(described) : described;
  return without.has("open_turns") ? withClosedTurns(filled) : filled;
}

/** Some servers stream although nobody asked them to, or do not say that they do. */
function isEventStream({ headers, body }: SuccessfulAnswer): boolean {
  const isSaid = /^text\/event-stream\b/i.test(String(headers["content-type"] ?? ""));
  return isSaid || /^\s*(?:data|event|id|retry)?:/.test(body);
}

interface StreamedCall {
  readonly result: OutboundStream | OutboundBody;
  readonly context: AnswerContext;
  readonly onText: ((text: string) => void) | undefined;
  readonly onReasoning: ((text: string) => void) | undefined;
  readonly maxEventBytes: number;
}

/** `isHeard`: somebody was told a part of it. */
async function streamed(protocol: ChatProtocol, call: StreamedCall): Promise<{ reply: Reply; isHeard: boolean }> {
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

/** The same request, in which a reply follows on every result of a tool before anybody else speaks: it may have been broken off. */
function withClosedTurns(request: ChatRequest): ChatRequest {
  return { ...request, messages: request.messages.flatMap((message, at, all) => close(message, all[at + 1])) };
}

function close(message: ChatMessage, next: ChatMessage | undefined): readonly ChatMessage[] {
  const isOpen = message.role === "tool" && (next?.role === "user" || next?.role === "system");
  return isOpen ? [message, { role: "assistant", content: noText }] : [message];
}

const remembered = createModelMemory<true>();

/** Whether the target has been seen to think before it replies. Others refuse to be asked for what they thought. */
function isKnownToThink(outbound: Outbound, target: string): boolean {
  return remembered.get(outbound, target) ?? false;
}

function rememberThinking(outbound: Outbound, target: string, { usage }: SuccessfulReply): void {
  if (Number(usage?.completion_tokens_details?.["reasoning_tokens"]) > 0) remembered.set(outbound, target, true);
}

/** OpenAI, vLLM, Ollama, DeepSeek, Mistral, OpenRouter; Groq wants a string. */
const aboutPictures = /image|multimodal|\bvision\b|content must be a string/i;

/** What a rejection means that speaks of pictures: the model takes none, or its provider cannot open one. */
function explainRefusedPictures({ status, url, body }: FailedResponse, { messages }: ChatRequest): Explanation | null {
  if (![400, 404, 415, 422].includes(status) || !aboutPictures.test(body.slice(0, 2000))) return null;
  if (!messages.some((message) => message.role === "user" && message.parts)) return null;
  return { code: "upstream_rejected", detail: `HTTP ${status}: ${url.host} did not take the pictures it was sent.` };
}

/** Of a tool, at servers that refuse longer ones: Azure, and OpenAI for older models. */
const longest = 1024;

/** The same request, with no more than the beginning of a long description. */
function withShortDescriptions(request: ChatRequest): ChatRequest {
  return request.tools ? { ...request, tools: request.tools.map(shorten) } : request;
}

/** A tool that need not be changed stays the same one: its text is kept. */
function shorten(tool: ToolDefinition): ToolDefinition {
  const { description } = tool;
  return description.length <= longest ? tool : { ...tool, description: firstCharacters(description, longest - 1) };
}
