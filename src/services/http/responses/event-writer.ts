/** Receives the written events. */
export interface Outlet {
  /** False asks to wait for `EventWriter.resume`. */
  write(text: string): boolean;
  end(): void;
  /** Cuts the connection before the end. */
  destroy(): void;
}

interface EventWriterOptions {
  /** A comment is sent after this long without an event: proxies close silent connections. */
  readonly heartbeatMs?: number;
  /** A client is disconnected when more characters than this wait for it and another event is sent. */
  readonly maxWaiting?: number;
  /**
   * Events within this time of the last write are written together, since each write costs a system call on both sides. The first
   * event after a pause is written at once.
   */
  readonly gatherMs?: number;
  /** Called once, when everything is sent or the client has disconnected. */
  readonly onClose?: () => void;
}

/** This many characters are written without waiting for more. */
const fullPiece = 64 * 1024;

/** Writes server-sent events to one client. Events that the client has not taken yet are buffered as one text. */
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
  /** True inside an event: a heartbeat comment would become part of its data. */
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

  /** Sends `data` as JSON, which has no line breaks. Without a name it is a plain `data:` event. */
  send(data: unknown, event?: string, id?: number | string): void {
    const name = event === undefined ? "" : `event: ${event}\n`;
    const number = id === undefined ? "" : `id: ${id}\n`;
    this.write(`${name}${number}data: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends one event whose data arrives as pieces of JSON text, at the pace of the client. */
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

  /** Writes whole events as text. */
  write(text: string): void {
    if (this.#ended) return;
    // Checked before the text is added: one long event does not mean that the client is slow.
    if (this.#waiting.length > this.#maxWaiting) return this.breakOff();
    this.#waiting += text;
    if (this.#waiting.length >= fullPiece) this.#flush();
    else this.#schedule();
  }

  /** Ends the stream after the buffered events. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#heartbeat);
    this.#flush();
  }

  /** Connects the outlet. A `paused` outlet requests events with `resume`. */
  open(outlet: Outlet, { paused = false }: { paused?: boolean } = {}): void {
    this.#outlet = outlet;
    this.#paused = paused;
    this.#flush();
  }

  /** Call when the client has taken what was written. */
  resume(): void {
    this.#paused = false;
    this.#flush();
  }

  /** Call when the client has disconnected, or has everything. */
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

  /** Cuts the connection, so that the client sees that the stream is incomplete. */
  breakOff(): void {
    this.#outlet?.destroy();
    this.close();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when the client has taken what was written, or has disconnected. */
  ready(): Promise<void> {
    if (this.#closed || !this.#paused) return Promise.resolve();
    return new Promise((resolve) => this.#onReady.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.#paused) return;
    this.#scheduled = true;
    const wait = this.#writtenAt + this.#gatherMs - performance.now();
    const flush = () => this.#flush();
    // In a microtask, so that events of one upstream read are written together.
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
