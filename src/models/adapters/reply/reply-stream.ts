import { StringDecoder } from "node:string_decoder";
import { createParser, type EventSourceMessage, type EventSourceParser, type ParseError } from "eventsource-parser";
import type { ReplyError } from "../../../contract/ports/chat-model.ts";
import { StreamFailure } from "../../outbound/failure.ts";
import { replyError, type AnswerContext, type ParsedReply } from "./parsed-reply.ts";

export interface StreamListeners {
  /** Called for every piece of text or of a tool call. */
  readonly onToken: () => void;
  readonly onText: (text: string) => void;
  readonly onReasoning: (text: string) => void;
}

/** Builds a reply from the events of its stream. */
export interface ReplyCollector {
  /** Adds one event. `more`: others follow; `done`: the reply is complete; otherwise the event is an error. */
  add(event: ServerSentEvent): "more" | "done" | ReplyError;
  /** The reply. `done` is false when the stream ended without its last event. */
  finish(options: { done: boolean }): ParsedReply | ReplyError;
}

/** Reads a streamed reply to its end. A stream that breaks or reports an error is a failed reply. */
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

/** The finished reply or its error, or null when more events must follow. */
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

/** True for an event that only keeps the connection open. An error event never does. */
function isHeartbeat({ event, data }: ServerSentEvent): boolean {
  if (event === "error") return false;
  return heartbeats.has(event) || (data.length < 16 && heartbeats.has(data.trim().toLowerCase()));
}

/** One event: its name (default "message") and its joined data lines. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** Thrown for a line or an event over the size limit. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

/** Splits the bytes of a stream into events. Chunks may cut characters, lines and line ends. */
export class EventSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #maximum: number;
  readonly #parser: EventSourceParser;
  /** The unfinished line. The parser gets whole lines only: it would drop unknown fields of a line in pieces. */
  #line = "";
  #events: ServerSentEvent[] = [];

  constructor({ maximum }: { maximum: number }) {
    this.#maximum = maximum;
    this.#parser = createParser({
      maxBufferSize: maximum,
      onEvent: (message) => this.#add(message),
      onError: (error) => this.#recover(error),
    });
  }

  /** The events completed by these bytes. */
  push(chunk: Uint8Array): readonly ServerSentEvent[] {
    return this.#split(this.#decoder.write(chunk));
  }

  /** The last events: the final blank line may be missing. */
  end(): readonly ServerSentEvent[] {
    return this.#split(`${this.#decoder.end()}\n\n`);
  }

  #split(text: string): readonly ServerSentEvent[] {
    const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
    this.#events = [];
    if (end > 0) {
      this.#parser.feed(this.#line + text.slice(0, end));
      this.#line = "";
    }
    this.#line += text.slice(end);
    if (this.#line.length > this.#maximum) throw new LineTooLong();
    return this.#events;
  }

  #add({ event = "message", data }: EventSourceMessage): void {
    if (data.length > this.#maximum) throw new LineTooLong();
    this.#events.push({ event, data });
  }

  #recover({ type, field, value = "", line = "" }: ParseError): void {
    if (type === "max-buffer-size-exceeded") throw new LineTooLong();
    // Some versions of llama.cpp end a stream with a field of this name.
    if (field === "error") this.#add({ event: field, data: value });
    // Gateways send a bare JSON object, often an error, as an event stream. No field begins with a brace.
    else if (line.startsWith("{")) this.#add({ data: line });
  }
}
