import type { Transform } from "node:stream";
import type { Dispatcher } from "undici";
import { bodyEncoding, createBodyDecoder, type Encoding } from "./body-decoder.ts";
import { TextSink, type BodySink, type DecodeBody } from "./body-sink.ts";
import { ByteStream } from "./byte-stream.ts";
import { connectionFailure, type Phase } from "./connection-failure.ts";
import type { Failure } from "./failure.ts";
import type { Timeouts } from "./outbound-options.ts";

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

interface ExchangeOptions {
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly acceptStream: boolean;
  /** The cap is for each event of a stream, not for the stream. */
  readonly listens: boolean;
  readonly maxReplyBytes: number;
  readonly admitBytes: ((bytes: number) => boolean) | undefined;
  readonly decodeBody: DecodeBody | undefined;
  readonly timeouts: Timeouts;
  /** What earlier tries have left of the total limit. */
  readonly remainingMs: number;
  /** A stream has ended: null when it was complete or the reader had enough. Not called for other answers. */
  readonly onStreamEnd: (failure: Failure | "aborted" | null) => void;
  /** Makes the error a reader of a broken stream sees. */
  readonly streamError: (failure: Failure) => Error;
}

export type ExchangeResult =
  | { readonly kind: "body"; readonly status: number; readonly headers: ResponseHeaders; readonly body: string }
  | { readonly kind: "stream"; readonly status: number; readonly headers: ResponseHeaders; readonly stream: ByteStream }
  | { readonly kind: "failed"; readonly failure: Failure };

/** How long a finished stream may take to close by itself, so that its connection can be used again. */
const leftoverMs = 250;

/** Timers run on whole milliseconds and may be a little early. */
const timerSlackMs = 1;

/** A timer that is so late tells that this process stood still: it was paused, or its machine was. */
const standstillMs = 250;

// Made once: an error per call would cost a stack trace per call.
const callEnded = new Error("The call has ended");

/** One request and its answer, on undici's lowest interface: four timers, a byte cap, no redirect, no retry. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly result: Promise<ExchangeResult>;
  readonly #options: ExchangeOptions;
  readonly #settlers: PromiseWithResolvers<ExchangeResult>;
  #deadline: number;
  #timer: NodeJS.Timeout | undefined;
  /** When the request went out, and from then on when the last bytes came in. */
  #movedAt = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #phase: Phase = "connecting";
  #over = false;
  /** Whether a first byte of the answer itself has come: headers alone are sent before a slow model has thought. */
  #begun = false;
  #status = 0;
  #headers: ResponseHeaders = {};
  #sink: BodySink | undefined;
  #encoding: Encoding | null = null;
  #decoder: Transform | undefined;
  #bytes = 0;
  #event: OpenEvent | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#settlers = Promise.withResolvers();
    this.result = this.#settlers.promise;
    this.#deadline = performance.now() + options.remainingMs;
    this.#watch();
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) return controller.abort(callEnded);
    this.#controller = controller;
    this.#phase = "waiting";
    this.#movedAt = performance.now();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (this.#over || status < 200) return;
    this.#phase = "reading";
    this.#status = status;
    this.#headers = headers;
    if (status >= 300 && status < 400) return this.#finish({ kind: "body", status, headers, body: "" });
    const encoding = bodyEncoding(headers);
    if (encoding === "unsupported") {
      return this.#fail(invalidReply("The answer has an unknown content encoding, or more than one."));
    }
    this.#encoding = encoding;
    const contentType = String(headers["content-type"] ?? "");
    if (this.#options.acceptStream && status < 300 && /^text\/event-stream\b/i.test(contentType)) this.#startStream();
    else
      this.#sink = new TextSink({
        contentType,
        decode: this.#options.decodeBody,
        onEnd: (body) => this.#finish({ kind: "body", status, headers, body }),
      });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    this.#begun = true;
    this.#movedAt = performance.now();
    if (this.#encoding === null) {
      if (!this.#accept(chunk)) controller.pause();
    } else if (!this.#decode(this.#encoding, chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#over) return;
    if (this.#decoder) this.#decoder.end();
    else this.#sink?.end();
    if (this.#sink instanceof ByteStream && !this.#decoder) this.#endStream(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(connectionFailure(error, this.#phase, this.#options.url));
  }

  readonly #onAbort = (): void => {
    if (this.#over) return;
    const { reason } = this.#options.signal;
    if (this.#sink instanceof ByteStream) {
      this.#sink.fail(reason);
      this.#endStream("aborted");
    } else {
      this.#settlers.reject(reason);
      this.#close();
    }
  };

  #startStream(): void {
    const stream = new ByteStream({
      onReady: () => {
        this.#decoder?.resume();
        this.#controller?.resume();
      },
      onReturn: () => this.#abandonStream(),
    });
    this.#sink = stream;
    this.#settlers.resolve({ kind: "stream", status: this.#status, headers: this.#headers, stream });
  }

  /** Undoes the content encoding. False when the decoder wants the upstream to wait. */
  #decode(encoding: Encoding, chunk: Buffer): boolean {
    this.#decoder ??= this.#startDecoder(encoding, chunk[0] ?? 0);
    return this.#decoder.write(chunk);
  }

  #startDecoder(encoding: Encoding, firstByte: number): Transform {
    const decoder = createBodyDecoder(encoding, firstByte);
    decoder.on("data", (data: Buffer) => {
      if (!this.#over && !this.#accept(data)) decoder.pause();
    });
    decoder.on("drain", () => this.#controller?.resume());
    decoder.on("error", () => this.#fail(invalidReply("The answer's content encoding is damaged.")));
    decoder.on("end", () => {
      if (this.#over) return;
      this.#sink?.end();
      if (this.#sink instanceof ByteStream) this.#endStream(null);
    });
    return decoder;
  }

  /** Takes decoded bytes, up to the cap. */
  #accept(chunk: Uint8Array): boolean {
    const { maxReplyBytes, listens, admitBytes } = this.#options;
    const isOneOfMany = listens && this.#sink instanceof ByteStream;
    this.#bytes = isOneOfMany ? (this.#event ??= new OpenEvent()).add(chunk) : this.#bytes + chunk.length;
    if (this.#bytes <= maxReplyBytes && admitBytes?.(chunk.length) !== false) return this.#sink?.write(chunk) ?? true;
    if (this.#bytes <= maxReplyBytes) {
      this.#fail({ code: "overloaded", detail: "There is no memory left for the answer.", again: "no" });
      return true;
    }
    this.#fail({
      code: "upstream_reply_too_large",
      detail: `The answer is larger than ${maxReplyBytes} bytes.`,
      again: "no",
    });
    return true;
  }

  /**
   * One timer for all limits, set once for most calls: it looks again as soon as any limit could be reached, whatever
   * happens until then. A timer for each limit would be set and cleared for every call, and moved for every chunk.
   */
  #watch(): void {
    const now = performance.now();
    const { firstByteMs, idleMs } = this.#options.timeouts;
    // A paused connection is silent because our reader is slow, not because the upstream is.
    if (this.#controller?.paused) this.#movedAt = now;
    const silence = now - this.#movedAt + timerSlackMs;
    if (now + timerSlackMs >= this.#deadline) return this.#timedOut("total");
    const waits = this.#phase !== "connecting" && !this.#begun;
    if (waits && silence >= firstByteMs) return this.#timedOut("first byte");
    if (this.#begun && silence >= idleMs) return this.#timedOut("idle");

    const left = [this.#deadline - now, firstByteMs, idleMs];
    if (waits) left.push(this.#movedAt + firstByteMs - now);
    if (this.#begun) left.push(this.#movedAt + idleMs - now);
    const wait = Math.min(...left);
    this.#timer = setTimeout(() => {
      this.#pardon(now + wait);
      this.#watch();
    }, wait);
  }

  /** While this process stood still the upstream was not silent: what it sent has not been read yet. */
  #pardon(due: number): void {
    const now = performance.now();
    const late = now - due;
    if (late < standstillMs) return;
    this.#movedAt = now;
    this.#deadline += late + standstillMs;
  }

  #timedOut(which: "first byte" | "idle" | "total"): void {
    const { firstByteMs, idleMs, totalMs } = this.#options.timeouts;
    const seconds = Math.round({ "first byte": firstByteMs, idle: idleMs, total: totalMs }[which] / 100) / 10;
    const sentences = {
      "first byte": `No first byte within ${seconds} s.`,
      idle: `The answer stalled for ${seconds} s (idle limit).`,
      total: `No complete answer within the total limit of ${seconds} s.`,
    };
    this.#fail({ code: "upstream_timeout", detail: sentences[which], again: "no" });
  }

  #fail(failure: Failure): void {
    if (this.#over) return;
    if (this.#sink instanceof ByteStream) {
      this.#sink.fail(this.#options.streamError(withStatus(failure, this.#status)));
      this.#endStream(failure);
    } else if (this.#status >= 400) {
      // The status already says what went wrong; the rest of its text is not worth another failure.
      const body = this.#sink instanceof TextSink ? this.#sink.text() : "";
      this.#finish({ kind: "body", status: this.#status, headers: this.#headers, body });
    } else this.#finish({ kind: "failed", failure: withStatus(failure, this.#status) });
  }

  /** Told one step of the event loop later: then the connection can be used again, and a call that follows opens no other. */
  #finish(result: ExchangeResult): void {
    setImmediate(this.#settlers.resolve, result);
    this.#close();
  }

  #endStream(failure: Failure | "aborted" | null): void {
    this.#close();
    this.#options.onStreamEnd(failure);
  }

  /** The reader has all it wants. What little may follow is read and dropped, then the connection goes. */
  #abandonStream(): void {
    if (this.#over) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#endStream(null), leftoverMs);
    this.#decoder?.resume();
    this.#controller?.resume();
  }

  /** Releases every timer and listener, and the connection too unless the answer was read to its end. */
  #close(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#decoder?.destroy();
    this.#controller?.abort(callEnded);
  }
}

function invalidReply(detail: string): Failure {
  return { code: "upstream_invalid_reply", detail, again: "no" };
}

function withStatus(failure: Failure, status: number): Failure {
  return status === 0 ? failure : { ...failure, status };
}

const eventEnds = ["\n\n", "\r\n\r\n", "\r\r"];
/** An end may come in pieces: all of the longest but its last byte may be here already. */
const mostBefore = 3;

/** The event that a stream has begun and not ended yet. */
class OpenEvent {
  #size = 0;
  #before = Buffer.alloc(0);

  /** Takes the next bytes of the stream, and tells how many there are of the event that is open then. */
  add(chunk: Uint8Array): number {
    const seen = Buffer.concat([this.#before, chunk]);
    const end = lastEnd(seen) - this.#before.length;
    this.#size = end > 0 ? chunk.length - end : this.#size + chunk.length;
    this.#before = Buffer.from(seen.subarray(-mostBefore));
    return this.#size;
  }
}

/** Where the last event ends; 0 when none does. */
function lastEnd(bytes: Buffer): number {
  const ends = eventEnds.map((end) => ({ at: bytes.lastIndexOf(end), length: end.length }));
  return Math.max(...ends.map(({ at, length }) => (at === -1 ? 0 : at + length)));
}
