/** Where written events go. */
export interface Outlet {
  /** False asks to wait for `EventWriter.resume`. */
  write(text: string): boolean;
  end(): void;
  /** Breaks off in the middle. */
  destroy(): void;
}

interface EventWriterOptions {
  /** A comment is sent when nothing else was for so long: proxies close connections that say nothing. */
  readonly heartbeatMs?: number;
  /** A client that reads so slowly that more characters than this wait for it when more is to be sent is let go. */
  readonly maxWaiting?: number;
  /**
   * What is sent within this time of the last write goes out together: each write costs a system call here and there, and
   * no reader is that fast. The first event after a pause goes out at once.
   */
  readonly gatherMs?: number;
  /** Called once, when everything was sent or the client has gone. */
  readonly onClose?: () => void;
}

/** So many characters are not held back for more. */
const fullPiece = 64 * 1024;

/** Server-sent events on their way to one client. What it has not taken yet waits here, joined into one piece. */
export class EventWriter {
  readonly #maxWaiting: number;
  readonly #gatherMs: number;
  readonly #onClose: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #outlet: Outlet | null = null;
  #waiting = "";
  #paused = true;
  #ended = false;
  #closed = false;
  #scheduled = false;
  /** A comment in the middle of an event would end up in its data. */
  #inEvent = false;
  #timer: NodeJS.Timeout | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #onReady: (() => void)[] = [];

  constructor({
    heartbeatMs = 15_000,
    maxWaiting = 32 * 1024 * 1024,
    gatherMs = 5,
    onClose = () => {},
  }: EventWriterOptions = {}) {
    this.#maxWaiting = maxWaiting;
    this.#gatherMs = gatherMs;
    this.#onClose = onClose;
    this.#heartbeat = setInterval(() => {
      if (this.#waiting === "" && !this.#ended && !this.#inEvent) this.write(": keep-alive\n\n");
    }, heartbeatMs).unref();
  }

  /** `data` is sent as JSON, which has no line breaks of its own; without a name it is a plain `data:` event. */
  send(data: unknown, event?: string, id?: number | string): void {
    const name = event === undefined ? "" : `event: ${event}\n`;
    const number = id === undefined ? "" : `id: ${id}\n`;
    this.write(`${name}${number}data: ${JSON.stringify(data)}\n\n`);
  }

  /** One event whose data comes as pieces of JSON. No more of it is in memory at once than the client is slow to take. */
  async sendPieces(pieces: AsyncIterable<string>, event: string): Promise<void> {
    this.#inEvent = true;
    this.write(`event: ${event}\ndata: `);
    for await (const piece of pieces) {
      this.write(piece);
      await this.ready();
      if (this.#closed) return;
    }
    this.write("\n\n");
    this.#inEvent = false;
  }

  /** Whole events as text: for what is no JSON, or is made more cheaply than by JSON. */
  write(text: string): void {
    if (this.#ended) return;
    // Looked at before the text is added: one long event says nothing about the client.
    if (this.#waiting.length > this.#maxWaiting) return this.breakOff();
    this.#waiting += text;
    if (this.#waiting.length >= fullPiece) this.#flush();
    else this.#schedule();
  }

  /** No more events. What waits is still sent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#heartbeat);
    this.#flush();
  }

  /** From now on events go there. An outlet that is `paused` asks for them with `resume`. */
  open(outlet: Outlet, { paused = false }: { paused?: boolean } = {}): void {
    this.#outlet = outlet;
    this.#paused = paused;
    this.#flush();
  }

  /** The client has taken what was written. */
  resume(): void {
    this.#paused = false;
    this.#flush();
  }

  /** The client has gone, or has everything. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ended = true;
    this.#waiting = "";
    clearInterval(this.#heartbeat);
    clearTimeout(this.#timer);
    this.#tellReady();
    this.#onClose();
  }

  /** The client sees an end without a last event, which tells it that something is missing. */
  breakOff(): void {
    this.#outlet?.destroy();
    this.close();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when the client keeps up: more may be sent without filling the memory. Also when it has gone. */
  ready(): Promise<void> {
    if (this.#closed || !this.#paused) return Promise.resolve();
    return new Promise((resolve) => this.#onReady.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.#paused) return;
    this.#scheduled = true;
    const wait = this.#writtenAt + this.#gatherMs - performance.now();
    const flush = () => this.#flush();
    // Not at once: events that come out of one read of the upstream belong together.
    if (wait <= 0) queueMicrotask(flush);
    else this.#timer = setTimeout(flush, wait);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#scheduled = false;
    if (!this.#outlet || this.#closed) return;
    if (this.#waiting !== "" && !this.#paused) {
      const text = this.#waiting;
      this.#waiting = "";
      this.#writtenAt = performance.now();
      this.#paused = !this.#outlet.write(text);
    }
    if (!this.#paused) this.#tellReady();
    if (this.#waiting !== "" || !this.#ended) return;
    this.#outlet.end();
    this.close();
  }

  #tellReady(): void {
    const waiting = this.#onReady;
    this.#onReady = [];
    for (const resolve of waiting) resolve();
  }
}
