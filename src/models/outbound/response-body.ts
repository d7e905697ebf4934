import { isUtf8 } from "node:buffer";
import type { Transform } from "node:stream";
import { TextDecoder } from "node:util";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** Pieces are joined once there are this many: an object per piece costs a hundred bytes even for one byte of data. */
const mostLoose = 1024;

/** Collects bytes that arrive in pieces, with little memory beyond their length even when they arrive one at a time. */
export class ByteCollector {
  #pieces: Uint8Array[] = [];
  /** Number of leading pieces that are already joined. */
  #joined = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Uint8Array): void {
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length - this.#joined < mostLoose) return;
    this.#pieces.push(Buffer.concat(this.#pieces.splice(this.#joined)));
    this.#joined += 1;
  }

  /** All bytes. A single piece is returned without a copy. */
  bytes(): Uint8Array {
    const [only] = this.#pieces;
    return this.#pieces.length === 1 && only ? only : Buffer.concat(this.#pieces, this.#size);
  }

  clear(): void {
    this.#pieces = [];
    this.#joined = 0;
    this.#size = 0;
  }
}

/** Receives the decoded bytes of one response body. */
export interface BodySink {
  /** False asks the source to wait until `onReady` is called. */
  write(chunk: Uint8Array): boolean;
  end(): void;
}

/** `declared` is the character set that the content type names, in lower case. */
export type DecodeBody = (bytes: Uint8Array, options: { readonly declared: string | undefined }) => string;

/** Collects a whole body as text. */
export class TextSink implements BodySink {
  readonly #received = new ByteCollector();
  readonly #declared: string | undefined;
  readonly #decode: DecodeBody;
  readonly #onEnd: (text: string) => void;

  constructor({
    contentType,
    decode = decodeDeclared,
    onEnd,
  }: {
    contentType: string;
    decode?: DecodeBody | undefined;
    onEnd: (text: string) => void;
  }) {
    this.#declared = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase();
    this.#decode = decode;
    this.#onEnd = onEnd;
  }

  write(chunk: Uint8Array): boolean {
    this.#received.add(chunk);
    return true;
  }

  end(): void {
    this.#onEnd(this.text());
  }

  /** The text received so far. */
  text(): string {
    return this.#decode(this.#received.bytes(), { declared: this.#declared });
  }
}

const utf8 = new TextDecoder();
const latin = new TextDecoder("latin1");

/** Frameworks declare latin1 for any text. Real latin1 text beyond ASCII is hardly ever valid UTF-8. */
const decodeDeclared: DecodeBody = (bytes, { declared = "utf-8" }) => {
  const decoder = decoderFor(declared);
  return (decoder.encoding === latin.encoding && isUtf8(bytes) ? utf8 : decoder).decode(bytes);
};

/** Servers declare charsets that do not exist; UTF-8 is the best guess then. */
function decoderFor(charset: string): TextDecoder {
  if (charset === "utf-8" || charset === "utf8") return utf8;
  try {
    return new TextDecoder(charset);
  } catch {
    return utf8;
  }
}

const pauseAtBytes = 256 * 1024;

interface ByteStreamOptions {
  /** Called when the reader has caught up. */
  readonly onReady: () => void;
  /** Called when the reader stops before the end. */
  readonly onReturn: () => void;
}

/** Bytes as they arrive, for one reader. Its buffer is bounded: a slow reader slows the upstream down. */
export class ByteStream implements BodySink, AsyncIterableIterator<Uint8Array> {
  readonly #options: ByteStreamOptions;
  readonly #queue = new ByteCollector();
  #ended = false;
  #error: unknown;
  #waiting: PromiseWithResolvers<IteratorResult<Uint8Array>> | null = null;

  constructor(options: ByteStreamOptions) {
    this.#options = options;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#ended) return true;
    if (this.#waiting) this.#settle({ value: chunk, done: false });
    else this.#queue.add(chunk);
    return this.#queue.size < pauseAtBytes;
  }

  end(): void {
    this.#ended = true;
    if (this.#waiting) this.#settle({ value: undefined, done: true });
  }

  /** Ends the stream with an error, which the reader gets after the bytes before it. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (!waiting) return;
    this.#error = undefined;
    waiting.reject(error);
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#queue.size > 0) {
      // All buffered chunks are returned together: servers send many small ones, and each turn of a reader costs.
      const value = this.#queue.bytes();
      this.#queue.clear();
      this.#options.onReady();
      return Promise.resolve({ value, done: false });
    }
    if (this.#error !== undefined) {
      const error = this.#error;
      this.#error = undefined;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#queue.clear();
    this.#error = undefined;
    if (!this.#ended) {
      this.end();
      this.#options.onReturn();
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #settle(result: IteratorResult<Uint8Array>): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(result);
  }
}

type BodyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The supported encodings. */
export const acceptEncoding = "gzip, deflate, br";

export type Encoding = "gzip" | "deflate" | "br";

/** Values that need no decoding: undici has already joined the chunks. */
const plain = new Set(["", "identity", "chunked"]);

/**
 * The encoding of a body: null for none, `unsupported` for an unknown one or several. Without a content encoding the
 * transfer encoding counts, which undici does not undo.
 */
export function bodyEncoding(headers: BodyHeaders): Encoding | "unsupported" | null {
  const header = headers["content-encoding"] ?? headers["transfer-encoding"];
  if (header === undefined) return null;
  const names = String(header)
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => !plain.has(name));
  if (names.length === 0) return null;
  if (names.length > 1) return "unsupported";
  const [name] = names;
  if (name === "x-gzip") return "gzip";
  return name === "gzip" || name === "deflate" || name === "br" ? name : "unsupported";
}

/** A stream that undoes the encoding. `firstByte` distinguishes zlib-wrapped deflate from raw deflate, which some servers send. */
export function createBodyDecoder(encoding: Encoding, firstByte: number): Transform {
  if (encoding === "gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  return (firstByte & 0x0f) === 0x08 ? createInflate() : createInflateRaw();
}
