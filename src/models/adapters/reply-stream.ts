import type { ReplyError } from "../../contract/ports/chat-model.ts";
import { StreamFailure } from "../outbound/failure.ts";
import { replyError } from "./failed-reply.ts";
import type { AnswerContext, ParsedReply } from "./parsed-reply.ts";
import { EventSplitter, LineTooLong, type ServerSentEvent } from "./server-sent-events.ts";

export interface StreamListeners {
  /** Called for every piece of text or of a tool call. */
  readonly onToken: () => void;
  readonly onText: (text: string) => void;
  readonly onReasoning: (text: string) => void;
}

/** Puts the events of one streamed reply together. */
export interface ReplyCollector {
  /** Takes one event: `more` follow, the reply is `done`, or the event is an error. */
  add(event: ServerSentEvent): "more" | "done" | ReplyError;
  /** The reply as far as it came. `done` is false when the stream ended without saying so. */
  finish(options: { done: boolean }): ParsedReply | ReplyError;
}

/** Reads a streamed reply to its end. A stream that breaks or reports an error is a failed reply, whatever came before. */
export async function readReplyStream(
  chunks: AsyncIterable<Uint8Array>,
  collector: ReplyCollector,
  { context, maxEventBytes }: { context: AnswerContext; maxEventBytes: number },
): Promise<ParsedReply | ReplyError> {
  const splitter = new EventSplitter({ maximum: maxEventBytes });
  try {
    for await (const chunk of chunks) {
      const end = addAll(splitter.push(chunk), collector);
      if (end) return end;
    }
    return addAll(splitter.end(), collector) ?? collector.finish({ done: false });
  } catch (error) {
    if (error instanceof StreamFailure) return error.error;
    if (!(error instanceof LineTooLong)) throw error;
    return replyError("upstream_reply_too_large", "One event of the stream is larger than is accepted.", context);
  }
}

/** What the events end the reply with, or null when more must follow. */
function addAll(events: readonly ServerSentEvent[], collector: ReplyCollector): ParsedReply | ReplyError | null {
  for (const event of events) {
    if (isHeartbeat(event)) continue;
    const state = collector.add(event);
    if (state === "done") return collector.finish({ done: true });
    if (state !== "more") return state;
  }
  return null;
}

const heartbeats = new Set(["", "null", "ping", "heartbeat", "keepalive", "keep-alive"]);

/** An event that only keeps the connection open. An error is one even when it says nothing. */
function isHeartbeat({ event, data }: ServerSentEvent): boolean {
  if (event === "error") return false;
  return heartbeats.has(event) || (data.length < 16 && heartbeats.has(data.trim().toLowerCase()));
}
