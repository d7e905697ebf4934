import { compact } from "../../base/compact.ts";
import { errorKinds } from "../../contract/errors/errors.ts";
import type { Reply, ReplyError, SuccessfulReply, ToolCall } from "../../contract/ports/chat-model.ts";
import { demoFingerprint } from "./demo-model.ts";

interface ChunkHead {
  readonly id: string;
  readonly model: string;
  readonly created: number;
}

type Delta = Readonly<Record<string, unknown>>;

/** Starts the call and waits for its first text or its end, so that an early failure is an ordinary error. */
export async function startChunks(
  call: (onText: (piece: string) => void) => Promise<Reply>,
  { includeUsage, ...head }: ChunkHead & { includeUsage: boolean },
) {
  const spoken = Promise.withResolvers<null>();
  const pieces = createTextQueue();
  const reply = call((piece) => {
    pieces.push(piece);
    spoken.resolve(null);
  }).finally(() => pieces.end());
  // A reader that stops early never awaits the reply; its abort must not be an unhandled rejection.
  reply.catch(() => {});
  const early = await Promise.race([spoken.promise, reply]);
  if (early && !early.ok) return { ok: false as const, error: early.error };
  return { ok: true as const, chunks: writeChunks(pieces, reply, { ...head, includeUsage }) };
}

export type CompletionChunk = ReturnType<typeof toChunk> | ReturnType<typeof toUsageChunk>;

async function* writeChunks(
  pieces: TextQueue,
  reply: Promise<Reply>,
  { includeUsage, ...head }: ChunkHead & { includeUsage: boolean },
): AsyncGenerator<CompletionChunk> {
  yield toChunk(head, { role: "assistant", content: "" });
  for await (const content of pieces) yield toChunk(head, { content });

  const end = await reply;
  if (!end.ok) throw new Error(end.error.detail);
  if (end.tool_calls.length > 0) {
    const tool_calls = end.tool_calls.map((call, index) => ({ index, ...toFunctionCall(call) }));
    yield toChunk(head, { tool_calls });
  }
  yield compact({ ...toChunk(head, {}, end.finish_reason), metadata: end.metadata ?? undefined });
  if (includeUsage) yield toUsageChunk(head, end.usage);
}

function toChunk(head: ChunkHead, delta: Delta, finish_reason: string | null = null) {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
  return { ...base(head), choices };
}

function toUsageChunk(head: ChunkHead, usage: SuccessfulReply["usage"]) {
  return { ...base(head), choices: [], usage };
}

function base({ id, model, created }: ChunkHead) {
  return { id, object: "chat.completion.chunk", created, model, system_fingerprint: demoFingerprint };
}

/** Turns text from a callback into an async iterable. */
export interface TextQueue extends AsyncIterable<string> {
  push(piece: string): void;
  /** Ends the iteration after the text pushed so far. */
  end(): void;
}

export function createTextQueue(): TextQueue {
  const pieces: string[] = [];
  let ended = false;
  let arrival = Promise.withResolvers<void>();

  return {
    push(piece) {
      pieces.push(piece);
      arrival.resolve();
    },
    end() {
      ended = true;
      arrival.resolve();
    },
    async *[Symbol.asyncIterator]() {
      while (pieces.length > 0 || !ended) {
        await arrival.promise;
        if (!ended) arrival = Promise.withResolvers<void>();
        yield* pieces.splice(0);
      }
    },
  };
}

/** An error answer in OpenAI's format. */
export interface CompletionError {
  readonly status: number;
  readonly body: {
    readonly error: {
      readonly message: string;
      readonly type: string;
      readonly param: string | null;
      readonly code: string | null;
    };
  };
}

/** A finished answer as an OpenAI chat completion. A demo's own labels are in `metadata`. */
export function toCompletionBody(reply: SuccessfulReply, created: number) {
  const calls = reply.tool_calls.map(toFunctionCall);
  const message = compact({
    role: "assistant",
    content: calls.length > 0 && reply.text === "" ? null : reply.text,
    refusal: reply.refusal,
    tool_calls: calls.length > 0 ? calls : undefined,
  });
  return compact({
    id: reply.completion_id,
    object: "chat.completion",
    created,
    model: reply.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reply.finish_reason }],
    usage: reply.usage,
    service_tier: reply.service_tier,
    system_fingerprint: reply.system_fingerprint,
    metadata: reply.metadata ?? undefined,
  });
}
export type CompletionBody = ReturnType<typeof toCompletionBody>;

function toFunctionCall({ id, name, arguments: text }: ToolCall) {
  return { id, type: "function", function: { name, arguments: text } };
}

export function completionError(
  status: number,
  message: string,
  { param = null, code = null }: { param?: string | null; code?: string | null } = {},
): CompletionError {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { status, body: { error: { message, type, param, code } } };
}

/** A demo's failure in the form of a remote provider's failure. */
export function fromReplyError({ code, detail, upstream_status }: ReplyError): CompletionError {
  return completionError(upstream_status ?? errorKinds[code].status, detail, { code });
}
