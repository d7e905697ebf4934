import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import { GatheredBytes } from "./gathered-bytes.ts";

/** Takes the decoded bytes of one response body. */
export interface BodySink {
  /** False asks the source to wait until `onReady` is called. */
  write(chunk: Uint8Array): boolean;
  end(): void;
}

/** `declared` is the character set that the content type names, in lower case. */
export type DecodeBody = (bytes: Uint8Array, options: { readonly declared: string | undefined }) => string;

/** Collects a whole body and hands it over as text. */
export class TextSink implements BodySink {
  readonly #received = new GatheredBytes();
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

  /** What has arrived so far. */
  text(): string {
    return this.#decode(this.#received.bytes(), { declared: this.#declared });
  }
}

const utf8 = new TextDecoder();
const latin = new TextDecoder("latin1");

/** Frameworks add the charset of old to whatever they send. Text in it that holds more than ASCII is hardly ever valid UTF-8. */
const decodeDeclared: DecodeBody = (bytes, { declared = "utf-8" }) => {
  const decoder = decoderFor(declared);
  return (decoder.encoding === latin.encoding && isUtf8(bytes) ? utf8 : decoder).decode(bytes);
};

/** Servers name charsets that do not exist; then UTF-8 is the best guess. */
function decoderFor(charset: string): TextDecoder {
  if (charset === "utf-8" || charset === "utf8") return utf8;
  try {
    return new TextDecoder(charset);
  } catch {
    return utf8;
  }
}
