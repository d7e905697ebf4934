import { createSecretRedactor, type SecretRedactor } from "../../base/redact-secrets.ts";
import type { Secret } from "../../base/secret.ts";
import type {
  ChatModel,
  ChatOptions,
  ChatRequest,
  ChatSession,
  Reply,
  ReplyError,
  TraceContext,
} from "../../contract/ports/chat-model.ts";
import { protocols } from "../../contract/protocols/protocols.ts";
import type { Target } from "../../contract/schemas/acting/target.ts";
import type { AdapterOptions } from "../adapters/http-chat-model.ts";
import { elapsedMs, failedReply, type AnswerContext, type ParsedReply } from "../adapters/reply/parsed-reply.ts";
import { readReplyStream, type ReplyCollector, type StreamListeners } from "../adapters/reply/reply-stream.ts";
import type {
  OutboundBody,
  OutboundFailure,
  OutboundRequest,
  OutboundResult,
  OutboundStream,
} from "../outbound/outbound.ts";
import { callOf, type TargetCall } from "./target-binding.ts";

/** The secret of an environment variable, if the operator bound it to this call. */
export type SecretOf = (name: string, call: TargetCall) => Secret | null;

export interface TargetOptions extends Omit<AdapterOptions, "credential"> {
  readonly target: Target;
  readonly secretOf?: SecretOf | undefined;
}

/** A request as a protocol writes it. Headers of the target are added. */
export interface TargetRequest {
  readonly url: string;
  readonly method: OutboundRequest["method"];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface CallFacts {
  readonly request: ChatRequest;
  readonly session: ChatSession;
  readonly trace?: TraceContext | undefined;
  readonly modelId: string;
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

/** Sends one request of a call. Later ones, such as polls, share its deadline and its headers. */
export type SendToTarget = (request: TargetRequest, stream?: boolean) => Promise<OutboundResult>;

/** The parts in which the protocols of agents differ. */
interface TargetProtocol {
  /** Makes the calls of one turn. `read` turns an answer, streamed or whole, into a reply. */
  readonly ask: (facts: CallFacts, send: SendToTarget, read: ReadReply) => Promise<Reply>;
  /** True when a request may be sent again although the target may have acted on it. */
  readonly idempotent: boolean;
}

interface Readers {
  readonly parseReply: (body: string, context: AnswerContext) => ParsedReply | ReplyError;
  readonly collectStream: (context: AnswerContext, listeners: StreamListeners) => ReplyCollector;
  /** True when a whole body is a stream that arrived in one piece. */
  readonly isStream?: (answer: OutboundBody) => boolean;
}

export type ReadReply = (result: OutboundResult, readers: Readers) => Promise<Reply>;

/**
 * An agent behind HTTP in the protocol of its target. Every request goes through the outbound client, and secrets that the agent
 * repeats are removed from its reply.
 */
export function targetChat(protocol: TargetProtocol, options: TargetOptions): ChatModel {
  const { outbound, target, modelId, policy, runPolicy, secretOf = () => null } = options;
  const facts = protocols[target.protocol ?? "http"];
  return async (request, call) => {
    const started = performance.now();
    const hasPictures = request.messages.some((message) => message.role === "user" && message.parts);
    if (hasPictures && !facts.carries.images)
      return failedReply(
        refused("upstream_rejected", "The conversation holds pictures, which the target has no place for."),
        0,
      );
    const session = call.session ?? { id: crypto.randomUUID() };
    const stream = call.stream === true || call.onText !== undefined;
    let redactor = createSecretRedactor([]);
    let texts = toTexts(call, redactor);
    const origin = URL.parse(target.url)?.origin;
    const send: SendToTarget = async ({ url, method, headers: own, body }, acceptStream = false) => {
      // Another origin, such as one that an agent card names, gets no header of the target.
      const isSameOrigin = URL.parse(url)?.origin === origin;
      // The address as it is sent decides: values of placeholders are not known before.
      const decisive = facts.kind === "template" ? { url, method } : callOf(target);
      const secrets = isSameOrigin ? headerSecrets(target, (name) => secretOf(name, decisive)) : noSecrets;
      if ("missing" in secrets) return notBound(secrets.missing);
      if (secrets.values.length > 0) redactor = createSecretRedactor(secrets.values);
      texts = toTexts(call, redactor);
      return outbound.request({
        url,
        method,
        headers: { ...own, ...secrets.plain, ...secrets.headers, ...worldHeader(target, session) },
        ...(body !== null && { body }),
        ...(isSameOrigin && decisive.method === "POST" && { operation: "agent" as const }),
        hasCredential: Object.keys(secrets.headers).length > 0,
        acceptStream,
        breakerKey: modelId,
        idempotent: target.idempotent ?? protocol.idempotent,
        runPolicy,
        policy,
        ...pick(call),
      });
    };
    const read: ReadReply = async (result, readers) => {
      if (!result.ok) return failedReply(result.error, elapsedMs(started));
      const { status, tries, startedAt } = result;
      const context = { url: target.url, modelId, source: "", request, status, tries };
      if (result.kind === "stream" || readers.isStream?.(result)) {
        return readStream(result, { readers, context, texts, maxEventBytes: outbound.maxEventBytes });
      }
      const reply = readers.parseReply(result.body, context);
      if (!("ok" in reply)) return failedReply(reply, elapsedMs(startedAt));
      if (reply.text !== "") call.onText?.(redactor.text(reply.text));
      return { ...reply, latency_ms: elapsedMs(startedAt), first_token_ms: null };
    };
    const reply = await protocol.ask(
      { request, session, trace: call.trace, modelId, stream, signal: call.signal },
      send,
      read,
    );
    return redactor.value(reply);
  };
}

async function readStream(
  result: OutboundStream | OutboundBody,
  {
    readers,
    context,
    texts,
    maxEventBytes,
  }: { readers: Readers; context: AnswerContext; texts: StreamedTexts; maxEventBytes: number },
): Promise<Reply> {
  const { startedAt } = result;
  let firstToken: number | null = null;
  const collector = readers.collectStream(context, {
    onToken: () => (firstToken ??= elapsedMs(startedAt)),
    onText: texts.text.add,
    onReasoning: texts.reasoning.add,
  });
  const isLive = result.kind === "stream";
  const bytes = isLive ? result.stream : onePiece(result.body);
  const reply = await readReplyStream(bytes, collector, { context, maxEventBytes });
  for (const text of Object.values(texts)) text.end();
  if (!("ok" in reply)) return failedReply(reply, elapsedMs(startedAt));
  return { ...reply, latency_ms: elapsedMs(startedAt), first_token_ms: isLive ? firstToken : null };
}

/** The listeners of a streamed reply, which hear no secrets. */
type StreamedTexts = Readonly<Record<"text" | "reasoning", ReturnType<SecretRedactor["stream"]>>>;

const toTexts = ({ onText, onReasoning }: ChatOptions, { stream }: SecretRedactor): StreamedTexts => ({
  text: stream((text) => onText?.(text)),
  reasoning: stream((text) => onReasoning?.(text)),
});

async function* onePiece(body: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(body);
}

function pick({ signal, onRefused, longestWaitMs, admitBytes }: ChatOptions) {
  return { signal, onRefused, longestWaitMs, admitBytes };
}

interface HeaderSecrets {
  readonly plain: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly values: readonly Secret[];
}

const noSecrets: HeaderSecrets = { plain: {}, headers: {}, values: [] };

function notBound(name: string): OutboundFailure {
  const detail = `The variable ${name} in the headers of the target is not set or not bound to this address and method.`;
  return { ok: false, error: refused("upstream_auth", detail), redirect_to: null };
}

/** The headers of a target that hold secrets. Those with placeholders are filled in by the protocol. */
function headerSecrets(
  { headers = {} }: Target,
  secretOf: (name: string) => Secret | null,
): HeaderSecrets | { readonly missing: string } {
  const plain: Record<string, string> = {};
  const secret: Record<string, string> = {};
  const values: Secret[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string") {
      if (!value.includes("{{")) plain[name.toLowerCase()] = value;
      continue;
    }
    const found = secretOf(value.env);
    if (!found) return { missing: value.env };
    values.push(found);
    secret[name.toLowerCase()] = `${value.prefix ?? ""}${found.reveal()}`;
  }
  return { plain, headers: secret, values };
}

function worldHeader({ world }: Target, { world_url }: ChatSession): Readonly<Record<string, string>> {
  return world?.header !== undefined && world_url !== undefined ? { [world.header.toLowerCase()]: world_url } : {};
}

export function refused(code: ReplyError["code"], detail: string): ReplyError {
  return { code, detail, upstream_status: null, tries: 0, retryable: false };
}
