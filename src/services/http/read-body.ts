import type { Context } from "hono";
import { ServiceError } from "../../contract/errors.ts";

/** After a body was refused, this much more is read and dropped, so that the client gets to see the answer. */
const politeness = { bytes: 16 * 1024 * 1024, milliseconds: 500 };

/** The bytes of a request's body, at most `limit` of them. Memory never holds more than that. */
export async function readBody(context: Context, limit: number): Promise<Uint8Array> {
  const reader = context.req.raw.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  if (Number(context.req.header("content-length") ?? 0) > limit) throw await tooLarge(reader, limit);

  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await readChunk(reader); chunk !== null; chunk = await readChunk(reader)) {
    size += chunk.byteLength;
    if (size > limit) throw await tooLarge(reader, limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readChunk(reader: Reader): Promise<Uint8Array | null> {
  try {
    const { done, value } = await reader.read();
    return done ? null : value;
  } catch (cause) {
    throw new ServiceError("client_closed", "The client closed the connection inside the body.", { cause });
  }
}

async function tooLarge(reader: Reader, limit: number): Promise<ServiceError> {
  await discard(reader);
  return new ServiceError("body_too_large", `The body is larger than ${limit} bytes.`, {
    headers: { connection: "close" },
  });
}

/** A connection closed on a client that is still sending is a reset, and the answer is lost with it. */
async function discard(reader: Reader): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), politeness.milliseconds);
  for (let size = 0; size < politeness.bytes;) {
    const chunk = await Promise.race([readChunk(reader), tooLong]).catch(() => null);
    if (chunk === null) break;
    size += chunk.byteLength;
  }
  clearTimeout(timer);
}
