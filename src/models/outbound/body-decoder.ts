import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import type { Transform } from "node:stream";

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The encodings we ask for and can undo. */
export const acceptEncoding = "gzip, deflate, br";

export type Encoding = "gzip" | "deflate" | "br";

/** No encodings: chunks have been put together by now. */
const plain = new Set(["", "identity", "chunked"]);

/**
 * Which encoding a body has: null for none, `unsupported` for an unknown one or for several on top of each other. Where none is
 * stated, that of its transfer counts: few servers state one there, and undici leaves it as it is.
 */
export function bodyEncoding(headers: ResponseHeaders): Encoding | "unsupported" | null {
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

/** A stream that undoes the encoding. `firstByte` tells zlib-wrapped deflate from the raw kind some servers send. */
export function createBodyDecoder(encoding: Encoding, firstByte: number): Transform {
  if (encoding === "gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  return (firstByte & 0x0f) === 0x08 ? createInflate() : createInflateRaw();
}
