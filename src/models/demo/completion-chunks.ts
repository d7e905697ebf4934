import type { Reply, SuccessfulReply } from "../../contract/ports/chat-model.ts";
import { toFunctionCall } from "./completion-body.ts";
import { demoFingerprint } from "./demo-model.ts";

interface ChunkHead {
  readonly id: string;
  readonly model: string;
  readonly created: number;
}

type Delta = Readonly<Record<string, unknown>>;

/** Starts the call and waits until it speaks or ends: a failure before the first word is still an ordinary error. */
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
  // A reader that leaves early never awaits the reply; its abort must not count as unhandled.
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
  yield { ...toChunk(head, {}, end.finish_reason), ...(end.metadata && { metadata: end.metadata }) };
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

/** Pieces of text that arrive by callback, to be read in one loop. */
export interface TextQueue extends AsyncIterable<string> {
  push(piece: string): void;
  /** The loop ends once everything pushed before has been read. */
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
