import { publicErrorMessage } from "../../base/format.ts";
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
  OutboundResult,
  OutboundSocket,
  OutboundStream,
} from "../outbound/outbound.ts";
import { callOf, stepUrl, type TargetCall } from "./target-calls.ts";
import { toStepRequest, type TargetRequest } from "./target-request.ts";
import { newSession, TargetSessions, type TargetSession } from "./target-session.ts";
import { filledProblem, repetitionProblem } from "./template.ts";

/** The secret of an environment variable, if the operator bound it to this call. */
export type SecretOf = (name: string, call: TargetCall) => Secret | null;

/** The output of a command that a header names. `refresh` is an output that was refused. */
export type SecretOfCommand = (
  header: { readonly command: string; readonly ttl?: number | undefined },
  options?: { readonly refresh?: Secret },
) => Promise<Secret>;

export interface TargetOptions extends Omit<AdapterOptions, "credential"> {
  readonly target: Target;
  readonly secretOf?: SecretOf | undefined;
  /** Default: no command is run. */
  readonly secretOfCommand?: SecretOfCommand | undefined;
}

export interface CallFacts {
  readonly request: ChatRequest;
  readonly session: ChatSession;
  readonly trace?: TraceContext | undefined;
  readonly modelId: string;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  /** What is known of the conversation so far. */
  readonly state: TargetSession;
  /** Opens a WebSocket at an address of the target. */
  readonly connect: (request: Pick<TargetRequest, "url" | "headers">) => Promise<OutboundSocket | OutboundFailure>;
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

interface StreamReaders {
  readonly parseReply: (body: string, context: AnswerContext) => ParsedReply | ReplyError;
  readonly collectStream: (context: AnswerContext, listeners: StreamListeners) => ReplyCollector;
  /** True when a whole body is a stream that arrived in one piece. */
  readonly isStream?: (answer: OutboundBody) => boolean;
}

export type ReadReply = (result: OutboundResult, readers: StreamReaders) => Promise<Reply>;

/**
 * An agent behind HTTP in the protocol of its target. Every request goes through the outbound client, and secrets that the agent
 * repeats are removed from its reply.
 */
export function targetChat(protocol: TargetProtocol, options: TargetOptions): ChatModel {
  const { outbound, target, modelId, policy, runPolicy, secretOf = () => null, secretOfCommand } = options;
  const facts = protocols[target.protocol ?? "http"];
  const origin = URL.parse(target.url)?.origin;
  const sessions = new TargetSessions(target);
  const held = new HeldSecrets();

  /** The headers of a request, as they are sent. */
  async function prepare(request: TargetRequest, session: ChatSession, state: TargetSession, refresh?: Secret) {
    const { url, method, headers: own, described } = request;
    const isSameOrigin = URL.parse(url)?.origin === origin;
    // The address as it is sent decides: values of placeholders are not known before.
    const decisive = facts.kind === "template" || described ? { url, method } : callOf(target);
    // Another origin, such as one that an agent card names, gets no header of the target.
    const isDescribed = isSameOrigin || described !== undefined;
    const secrets = isDescribed
      ? await headerSecrets(described ?? target.headers, {
          secretOf: (name) => secretOf(name, decisive),
          secretOfCommand: secretOfCommand && ((header) => secretOfCommand(header, refresh && { refresh })),
        })
      : noSecrets;
    if ("ok" in secrets) return secrets;
    held.add(secrets.values);
    const cookie = state.cookies?.headerFor(url) ?? null;
    return {
      ...secrets,
      headers: {
        ...own,
        ...secrets.plain,
        ...secrets.headers,
        ...(cookie !== null && { cookie }),
        ...(described === undefined && worldHeader(target, session)),
      },
      hasCredential: Object.keys(secrets.headers).length > 0,
      isAgentCall: isSameOrigin && decisive.method === "POST",
    };
  }

  return async (request, call) => {
    const started = performance.now();
    const hasPictures = request.messages.some((message) => message.role === "user" && message.parts);
    const problem =
      hasPictures && !facts.carries.images
        ? "The conversation holds pictures, which the target has no place for."
        : repetitionProblem(target, request);
    if (problem !== null) return failedReply(refused("upstream_rejected", problem), 0);
    const session = call.session ?? { id: crypto.randomUUID() };
    const stream = call.stream === true || call.onText !== undefined;

    async function deliver(
      asked: TargetRequest,
      { state, acceptStream = false, signal = call.signal }: Delivery,
    ): Promise<OutboundResult> {
      let refresh: Secret | undefined;
      for (;;) {
        const made = await prepare(asked, session, state, refresh);
        if ("ok" in made) return made;
        const { url, method, body, described } = asked;
        const result = await outbound.request({
          url,
          method,
          headers: made.headers,
          ...(body !== null && { body }),
          ...(made.isAgentCall && { operation: "agent" as const }),
          hasCredential: made.hasCredential,
          acceptStream,
          breakerKey: modelId,
          idempotent: described ? method === "GET" : (target.idempotent ?? protocol.idempotent),
          runPolicy,
          policy,
          ...pick(call),
          signal,
        });
        if (result.ok) state.cookies?.keep(url, result.headers["set-cookie"]);
        const isRefused = !result.ok && result.error.upstream_status === 401;
        if (!isRefused || made.ofCommand === undefined || refresh !== undefined) return result;
        // The token may have ended early.
        refresh = made.ofCommand;
      }
    }

    const read: ReadReply = async (result, readers) => {
      if (!result.ok) return failedReply(result.error, elapsedMs(started));
      const { status, tries, startedAt } = result;
      const context = { url: target.url, modelId, source: "", request, status, tries };
      if (result.kind === "stream" || readers.isStream?.(result)) {
        const texts = toTexts(call, held.redactor);
        return readStream(result, { readers, context, texts, maxEventBytes: outbound.maxEventBytes });
      }
      const reply = readers.parseReply(result.body, context);
      if (!("ok" in reply)) return failedReply(reply, elapsedMs(startedAt));
      if (reply.text !== "") call.onText?.(held.redactor.text(reply.text));
      return { ...reply, latency_ms: elapsedMs(startedAt), first_token_ms: null };
    };

    const factsOf = (asked: ChatRequest, state: TargetSession): CallFacts => ({
      request: asked,
      session: sessions.isNeeded ? { ...session, issued: state.issued } : session,
      trace: call.trace,
      modelId,
      stream,
      signal: call.signal,
      state,
      async connect({ url, headers }) {
        const made = await prepare({ url, method: "GET", headers: headers ?? {}, body: null }, session, state);
        if ("ok" in made) return made;
        return outbound.connect({ url, headers: made.headers, runPolicy, policy, signal: call.signal });
      },
    });

    const ask = async (asked: ChatRequest, state: TargetSession): Promise<Reply> => {
      const send: SendToTarget = (toSend, acceptStream) => deliver(toSend, { state, acceptStream });
      const reply = await protocol.ask(factsOf(asked, state), send, read);
      if (reply.ok && reply.session_id !== undefined && reply.session_id !== session.id)
        state.issued = reply.session_id;
      return reply;
    };
    if (!sessions.isNeeded) {
      const reply = await ask(request, newSession(target));
      return held.redactor.value(reply);
    }

    const opened = await sessions.open({
      request,
      options: { ...call, session },
      send: async (step, state, signal) => {
        const toSend = toStepRequest(step, target, factsOf(request, state));
        const problem = filledProblem({ url: stepUrl(step.url, target.url) }, toSend);
        if (problem !== null) return { ok: false, error: refused("upstream_rejected", problem), redirect_to: null };
        return deliver(toSend, { state, signal });
      },
      replay: ask,
    });
    if ("ok" in opened) return held.redactor.value(opened);
    const { session: state, end } = opened;
    try {
      const reply = await ask(request, state);
      const { greeting, isGreeted } = state;
      if (!reply.ok || isGreeted || greeting === undefined) return held.redactor.value(reply);
      state.isGreeted = true;
      return held.redactor.value({ ...reply, greeting });
    } finally {
      await end?.();
    }
  };
}

interface Delivery {
  readonly state: TargetSession;
  readonly acceptStream?: boolean | undefined;
  readonly signal?: AbortSignal;
}

const mostHeld = 100;

/** The secrets that were sent, which are removed from what the agent says. */
class HeldSecrets {
  #values: readonly Secret[] = [];
  redactor = createSecretRedactor([]);

  add(values: readonly Secret[]): void {
    const added = values.filter((value) => !this.#values.includes(value));
    if (added.length === 0) return;
    this.#values = [...this.#values, ...added].slice(-mostHeld);
    this.redactor = createSecretRedactor(this.#values);
  }
}

async function readStream(
  result: OutboundStream | OutboundBody,
  {
    readers,
    context,
    texts,
    maxEventBytes,
  }: { readers: StreamReaders; context: AnswerContext; texts: StreamedTexts; maxEventBytes: number },
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
  /** The output of a command, where a header has one. */
  readonly ofCommand?: Secret | undefined;
}

const noSecrets: HeaderSecrets = { plain: {}, headers: {}, values: [] };

function withoutSecret(detail: string): OutboundFailure {
  return { ok: false, error: refused("upstream_auth", detail), redirect_to: null };
}

interface SecretSources {
  readonly secretOf: (name: string) => Secret | null;
  readonly secretOfCommand: ((header: { command: string; ttl?: number | undefined }) => Promise<Secret>) | undefined;
}

/** The headers of a request that hold secrets. Those with placeholders are filled in by the protocol. */
async function headerSecrets(
  headers: Target["headers"] = {},
  { secretOf, secretOfCommand }: SecretSources,
): Promise<HeaderSecrets | OutboundFailure> {
  const plain: Record<string, string> = {};
  const secret: Record<string, string> = {};
  const values: Secret[] = [];
  let ofCommand: Secret | undefined;
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string") {
      if (!value.includes("{{")) plain[name.toLowerCase()] = value;
      continue;
    }
    let found: Secret | null;
    if ("env" in value) {
      found = secretOf(value.env);
      const detail = `The variable ${value.env} in the headers of the target is not set or not bound to this address and method.`;
      if (!found) return withoutSecret(detail);
    } else {
      if (!secretOfCommand)
        return withoutSecret(`The command of the header ${name} is run only for targets of the operator.`);
      try {
        found = ofCommand = await secretOfCommand(value);
      } catch (error) {
        return withoutSecret(`The header ${name} has no value: ${publicErrorMessage(error)}.`);
      }
    }
    values.push(found);
    secret[name.toLowerCase()] = `${value.prefix ?? ""}${found.reveal()}`;
  }
  return { plain, headers: secret, values, ofCommand };
}

function worldHeader({ world }: Target, { world_url }: ChatSession): Readonly<Record<string, string>> {
  return world?.header !== undefined && world_url !== undefined ? { [world.header.toLowerCase()]: world_url } : {};
}

export function refused(code: ReplyError["code"], detail: string): ReplyError {
  return { code, detail, upstream_status: null, tries: 0, retryable: false };
}
