import { compact } from "../../../base/compact.ts";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { Context } from "hono";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

type ResponseEncoding = "br" | "gzip";

/** The best encoding that a client accepts; null for none. */
export function acceptedEncoding(header: string | undefined): ResponseEncoding | null {
  if (header === undefined) return null;
  return (["br", "gzip"] as const).find((name) => patterns[name].test(header)) ?? null;
}

/** Match an encoding unless its weight is zero. */
const patterns: Readonly<Record<ResponseEncoding, RegExp>> = {
  br: /(?:^|,)\s*br\s*(?:,|$|;\s*q=(?:1|0?\.0*[1-9]))/i,
  gzip: /(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?:1|0?\.0*[1-9]))/i,
};

/** Images and fonts are compressed already. */
const compressible = /^text\/(?!event-stream)|[/+](?:json|xml)\b/;

/** One encoding of a file, with its headers. */
interface Representation {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

export interface CompressedFile {
  /** The representation for an Accept-Encoding header. A file is compressed once per encoding, on first use. */
  representation(acceptEncoding: string | undefined): Promise<Representation>;
}

/** A file that never changes, such as a script of the page. */
export function compressedFile(body: Uint8Array<ArrayBuffer>, type: string): CompressedFile {
  const isCompressible = compressible.test(type);
  const headers = compact({ "content-type": type, vary: isCompressible ? "Accept-Encoding" : undefined });
  const plain = toRepresentation(body, headers);
  const compressed = new Map<ResponseEncoding, Promise<Representation>>();
  return {
    representation: async (acceptEncoding) => {
      const encoding = isCompressible ? acceptedEncoding(acceptEncoding) : null;
      if (encoding === null) return plain;
      const known =
        compressed.get(encoding) ??
        compressOnce(body, encoding, "slow").then((bytes) =>
          toRepresentation(bytes, { ...headers, "content-encoding": encoding }),
        );
      compressed.set(encoding, known);
      return known;
    },
  };
}

function toRepresentation(body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): Representation {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { body, headers: { ...headers, etag } };
}

/** Files are compressed once; responses are compressed for every request. */
type Effort = "fast" | "slow";

const brotliQuality: Readonly<Record<Effort, number>> = { fast: 4, slow: 9 };
const gzipLevel: Readonly<Record<Effort, number>> = { fast: 5, slow: 9 };

async function compressOnce(
  body: Uint8Array<ArrayBuffer>,
  encoding: ResponseEncoding,
  effort: Effort,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes =
    encoding === "br"
      ? await promisify(brotliCompress)(body, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: brotliQuality[effort],
            [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
          },
        })
      : await promisify(gzip)(body, { level: gzipLevel[effort] });
  return new Uint8Array(bytes);
}

/** Shorter bodies fit into one packet. */
const shortest = 1400;

/**
 * Compresses the response of a GET request that the client accepts compressed. Answers of the agent are left alone: they are
 * short, and written directly to the connection.
 */
export async function compressResponse(context: Context): Promise<void> {
  const { res, req } = context;
  if (res === RESPONSE_ALREADY_SENT || req.method !== "GET" || res.headers.has("content-encoding")) return;
  if (!compressible.test(res.headers.get("content-type") ?? "")) return;
  const encoding = acceptedEncoding(req.header("accept-encoding"));
  // Reading `body` makes the server adapter leave its fast path, so it comes last.
  if (encoding === null || !res.body) return;
  const reader = (res.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  const [first, second] = [await reader.read(), await reader.read()];
  const { status, statusText } = res;
  const headers = new Headers(res.headers);
  const respond = (body: BodyInit | null): void => {
    // Hono would merge the headers of an earlier response.
    context.res = undefined;
    context.res = new Response(body, { status, statusText, headers });
  };
  const bytes = second.done ? (first.value ?? new Uint8Array()) : null;
  if (bytes && bytes.byteLength < shortest) return respond(bytes);
  headers.set("content-encoding", encoding);
  headers.append("vary", "Accept-Encoding");
  headers.delete("content-length");
  if (bytes) return respond(await compressOnce(bytes, encoding, "fast"));
  respond(compressStream(resumed([first.value, second.value], reader), encoding));
}

/** A stream of the chunks that were read and those that follow. */
function resumed(
  read: readonly (Uint8Array<ArrayBuffer> | undefined)[],
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const waiting = [...read];
  return new ReadableStream({
    async pull(controller) {
      const chunk = waiting.shift();
      if (chunk) return controller.enqueue(chunk);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function compressStream(body: ReadableStream<Uint8Array<ArrayBuffer>>, encoding: ResponseEncoding): ReadableStream {
  const compress =
    encoding === "br"
      ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality.fast } })
      : createGzip({ level: gzipLevel.fast });
  const source = Readable.fromWeb(body as unknown as WebStream);
  // A source that breaks off breaks the response off, and a client that leaves stops the source.
  source.on("error", (error) => compress.destroy(error));
  compress.on("close", () => source.destroy());
  return Readable.toWeb(source.pipe(compress)) as unknown as ReadableStream;
}
