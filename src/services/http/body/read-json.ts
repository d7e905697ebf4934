import type { Context } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import { yieldToEventLoop } from "../../../base/event-loop.ts";
import { checkJson, type JsonLimits } from "./check-json.ts";
import { readBody } from "./read-body.ts";

export interface ReadJsonLimits extends Omit<JsonLimits, "values"> {
  readonly bytes: number;
}

/**
 * What somebody wrote takes more bytes a value than this, on average. A body of nothing but `{},{},{}` would otherwise cost a
 * hundred times the time and the memory that its size is meant to allow.
 */
const bytesPerValue = 24;
/** However small a body may be, so many are no trouble. */
const fewValues = 1000;

/**
 * The JSON value of a request's body. Everything is refused that could be understood in two ways (media type, charset,
 * compression, encoding) or that would cost too much, before the one parse.
 */
export async function readJson(context: Context, limits: ReadJsonLimits): Promise<unknown> {
  checkHeaders(context);
  const bytes = await readBody(context, limits.bytes);
  if (bytes.byteLength === 0)
    throw new ServiceError("json_invalid", "The body is empty (offset 0); send a JSON object.");
  if (bytes.byteLength > largeBody) await inTurn(bytes);
  return checkedValue(bytes, limits);
}

/** The same for a request that may have no body: undefined then. Its headers cannot tell, since a body may come in chunks. */
export async function readOptionalJson(context: Context, limits: ReadJsonLimits): Promise<unknown> {
  const bytes = await readBody(context, limits.bytes);
  if (bytes.byteLength === 0) return undefined;
  checkHeaders(context);
  if (bytes.byteLength > largeBody) await inTurn(bytes);
  return checkedValue(bytes, limits);
}

/** A body of this size keeps everybody else waiting for milliseconds while it is parsed and worked on. */
const largeBody = 256 * 1024;
/** About the time that parsing takes and the work that follows it. */
const millisecondsPerMebibyte = 25;
const large = { waiting: 0, last: Promise.resolve() };

/** Large bodies that arrive together are parsed one after the other: between two of them others are answered, or refused. */
async function inTurn({ byteLength }: Uint8Array): Promise<void> {
  const isAlone = large.waiting === 0;
  large.waiting += 1;
  large.last = large.last.then(() =>
    isAlone ? undefined : yieldToEventLoop((byteLength / 2 ** 20) * millisecondsPerMebibyte),
  );
  await large.last;
  large.waiting -= 1;
}

function checkedValue(bytes: Uint8Array, limits: ReadJsonLimits): unknown {
  const text = decode(bytes);
  checkJson(text, { ...limits, values: Math.max(fewValues, Math.floor(limits.bytes / bytesPerValue)) });
  return JSON.parse(text);
}

function checkHeaders(context: Context): void {
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

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ServiceError("encoding_invalid", "The body holds bytes that are not UTF-8.", { cause });
  }
}
