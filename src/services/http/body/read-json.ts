import type { Context } from "hono";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { yieldToEventLoop } from "../../../base/event-loop.ts";
import { checkJson, type JsonLimits } from "./check-json.ts";
import { readBody } from "./read-body.ts";

export interface ReadJsonLimits extends Omit<JsonLimits, "values"> {
  readonly bytes: number;
}

/**
 * Real bodies have more bytes per value than this on average. A body of nothing but `{},{},{}` would cost a hundred times the time and
 * memory that its size suggests.
 */
const bytesPerValue = 24;
/** This many values are allowed however small the body limit is. */
const fewestValues = 1000;

/**
 * Reads the JSON value of a request's body. Anything ambiguous (media type, charset, compression, encoding) or too expensive is refused
 * before the one parse.
 */
export async function readJson(context: Context, limits: ReadJsonLimits): Promise<unknown> {
  checkContentHeaders(context);
  const bytes = await readBody(context, limits.bytes);
  if (bytes.byteLength === 0)
    throw new ServiceError("json_invalid", "The body is empty (offset 0); send a JSON object.");
  return parseInTurn(bytes, limits);
}

/** Reads an optional JSON body; undefined when there is none. Headers do not show that, since a body may be chunked. */
export async function readOptionalJson(context: Context, limits: ReadJsonLimits): Promise<unknown> {
  const bytes = await readBody(context, limits.bytes);
  if (bytes.byteLength === 0) return undefined;
  checkContentHeaders(context);
  return parseInTurn(bytes, limits);
}

/** Parsing and processing a body of this size blocks the event loop for milliseconds. */
const largeBody = 256 * 1024;
/** About the time that parsing takes and the work that follows it. */
const millisecondsPerMebibyte = 25;
let lastTurn = Promise.resolve();

/** Parses large bodies one after the other, with time before each to serve or refuse other requests. */
async function parseInTurn(bytes: Uint8Array, limits: ReadJsonLimits): Promise<unknown> {
  if (bytes.byteLength > largeBody) {
    const maxMs = (bytes.byteLength / 2 ** 20) * millisecondsPerMebibyte;
    await (lastTurn = lastTurn.then(() => yieldToEventLoop(maxMs)));
  }
  const text = decodeBody(bytes);
  checkJson(text, { ...limits, values: Math.max(fewestValues, Math.floor(limits.bytes / bytesPerValue)) });
  return JSON.parse(text);
}

function checkContentHeaders(context: Context): void {
  checkMediaType(context.req.header("content-type"));
  checkEncoding(context.req.header("content-encoding"));
}

function checkMediaType(header: string | undefined): void {
  const [type = "", ...parameters] = (header ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  if (type !== "application/json") {
    const sent = header === undefined ? "no Content-Type" : JSON.stringify(header.slice(0, 80));
    throw new ServiceError("media_type", `The body must be application/json, not ${sent}.`);
  }
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  if (charset !== undefined && charset.replaceAll('"', "") !== "utf-8") {
    throw new ServiceError("media_type", `The charset must be utf-8, not ${JSON.stringify(charset.slice(0, 40))}.`);
  }
}

function checkEncoding(header: string | undefined): void {
  if (header === undefined || header.toLowerCase() === "identity") return;
  throw new ServiceError(
    "content_encoding",
    `The Content-Encoding ${JSON.stringify(header.slice(0, 40))} is not accepted.`,
  );
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeBody(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ServiceError("encoding_invalid", "The body contains bytes that are not UTF-8.", { cause });
  }
}
