import { StringDecoder } from "node:string_decoder";

/** One event: its name ("message" unless given) and its data lines, joined. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** A line or an event that is longer than we hold in memory. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

/**
 * Splits bytes into events as they arrive. Characters and line ends cut in two by a chunk border come out whole. Handed
 * the bytes instead of reading them itself: a generator for lines and one for events would wait at every one of them.
 */
export class EventSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #maximum: number;
  #begun = false;
  #skipLineFeed = false;
  /** The unfinished line. Only what is new is searched for its end, or many tiny chunks would take quadratic time. */
  #line = "";
  #event = "";
  #data: string | null = null;

  constructor({ maximum }: { maximum: number }) {
    this.#maximum = maximum;
  }

  /** The events that these bytes complete. */
  push(chunk: Uint8Array): readonly ServerSentEvent[] {
    const text = this.#decoder.write(chunk);
    return text === "" ? [] : this.#split(this.#withLineFeeds(text));
  }

  /** A last event without its blank line counts. */
  end(): readonly ServerSentEvent[] {
    return this.#split(`${this.#decoder.end()}\n\n`);
  }

  /** The same text with one kind of line end, and without the mark some servers begin with. */
  #withLineFeeds(text: string): string {
    const start = !this.#begun && text.startsWith("\ufeff") ? 1 : 0;
    this.#begun = true;
    const rest = this.#skipLineFeed && text.startsWith("\n") ? text.slice(1) : text.slice(start);
    this.#skipLineFeed = rest.endsWith("\r");
    return rest.includes("\r") ? rest.replaceAll(/\r\n?/g, "\n") : rest;
  }

  #split(text: string): readonly ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const line = this.#line + text.slice(start, end);
      this.#line = "";
      start = end + 1;
      if (line.length > this.#maximum) throw new LineTooLong();
      if (line !== "") this.#addLine(line);
      else if (this.#data !== null) events.push({ event: this.#event || "message", data: this.#data });
      if (line === "") this.#forget();
    }
    this.#line += text.slice(start);
    if (this.#line.length > this.#maximum) throw new LineTooLong();
    return events;
  }

  #addLine(line: string): void {
    // Gateways answer with a bare JSON object, often an error, under the name of a stream. No field begins like that.
    if (line.startsWith("{")) return this.#addData(line);
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event" && field !== "error") return;
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    // Versions of llama.cpp report under a field of this name what ends a stream.
    if (field === "error") this.#event = field;
    if (field === "event") this.#event = value;
    else this.#addData(value);
  }

  #addData(value: string): void {
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    if (this.#data.length > this.#maximum) throw new LineTooLong();
  }

  #forget(): void {
    this.#event = "";
    this.#data = null;
  }
}
