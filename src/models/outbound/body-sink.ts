import { TextDecoder } from "node:util";

/** Takes the decoded bytes of one response body. */
export interface BodySink {
  /** False asks the source to wait until `onReady` is called. */
  write(chunk: Uint8Array): boolean;
  end(): void;
}

/** Collects a whole body and hands it over as text. */
export class TextSink implements BodySink {
  readonly #chunks: Uint8Array[] = [];
  readonly #charset: string;
  readonly #onEnd: (text: string) => void;

  constructor({ contentType, onEnd }: { contentType: string; onEnd: (text: string) => void }) {
    this.#charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? "utf-8";
    this.#onEnd = onEnd;
  }

  write(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    this.#onEnd(this.text());
  }

  /** What has arrived so far. */
  text(): string {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    return decoderFor(this.#charset).decode(bytes);
  }
}

const utf8 = new TextDecoder();

/** Servers name charsets that do not exist; then UTF-8 is the best guess. */
function decoderFor(charset: string): TextDecoder {
  if (charset === "utf-8" || charset === "utf8") return utf8;
  try {
    return new TextDecoder(charset);
  } catch {
    return utf8;
  }
}
