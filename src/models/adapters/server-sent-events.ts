import { StringDecoder } from "node:string_decoder";
import { createParser, type EventSourceMessage, type EventSourceParser, type ParseError } from "eventsource-parser";

/** One event: its name ("message" unless given) and its data lines, joined. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** A line or an event that is longer than we hold in memory. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

/** Splits the bytes of a stream into events as they arrive, wherever a chunk cuts a character, a line or a line end. */
export class EventSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #maximum: number;
  readonly #parser: EventSourceParser;
  /** The unfinished line. The parser gets whole lines: of one in pieces it drops a field it does not know. */
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

  /** The events that these bytes complete. */
  push(chunk: Uint8Array): readonly ServerSentEvent[] {
    return this.#split(this.#decoder.write(chunk));
  }

  /** A last event without its blank line counts. */
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
    // Versions of llama.cpp end a stream with a field of this name.
    if (field === "error") this.#add({ event: field, data: value });
    // Gateways answer with a bare JSON object, often an error, under the name of a stream. No field begins like that.
    else if (line.startsWith("{")) this.#add({ data: line });
  }
}
