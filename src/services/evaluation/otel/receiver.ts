import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { loadOnce } from "../../../base/load-once.ts";
import { errorKinds, ServiceError } from "../../../contract/errors/errors.ts";
import type { SpanStore } from "../../../contract/ports/spans.ts";
import { passTraces } from "../../../runs/execute/trace-ids.ts";
import type { DecodedPart, Encoding, Signal } from "./decode.ts";

/** Where OTLP is served: the value of OTEL_EXPORTER_OTLP_ENDPOINT is the address of the service with this path. */
export const otelPath = "/otel";

/** The largest body, before and after decompression. */
const mostBytes = 16 * 1024 * 1024;

/** A request to a receiver, as far as it is read. */
export interface OtlpRequest {
  readonly signal: Signal | "metrics";
  readonly header: (name: string) => string | undefined;
  /** Reads the body. Rejects with `body_too_large` when it has more bytes. */
  readonly body: (mostBytes: number) => Promise<Uint8Array>;
}

/** Receives the spans of agents under test (OTLP over HTTP). */
export interface SpanReceiver {
  answer(request: OtlpRequest): Promise<Response>;
}

interface ReceiverOptions {
  readonly spans: SpanStore;
  /** Called once, with spans that belong to no attempt under way. */
  readonly onForeign: (hint: string) => void;
  readonly onError: (error: unknown) => void;
}

// Loaded on first use: most processes receive no spans.
const loadDecoder = loadOnce(() => import("./decode.ts"));

const hint =
  "spans were dropped that belong to no attempt under way: an agent has to continue the trace of the request it answers (header traceparent)";

const rejection =
  "Only spans of an attempt under way are accepted, below the span that the header traceparent of its request names, and at most 10,000 for each attempt.";

/** Traces of attempts under way that are remembered, so that a batch does not look for them again. */
const mostRemembered = 10_000;

/** Stores the spans of attempts under way before it answers. The id of a trace cannot be guessed and is the only key. */
export function createSpanReceiver({ spans: store, onForeign, onError }: ReceiverOptions): SpanReceiver {
  const known = new Map<string, { readonly run_id: string; readonly attempt_id: string }>();
  let dropped = 0;

  /** The attempt of a trace; `late` when only its run is known, null when neither is. */
  async function find(traceId: string): Promise<{ run_id: string; attempt_id: string } | { late: string } | null> {
    const remembered = known.get(traceId);
    if (remembered) {
      if (await store.isUnderWay(remembered.attempt_id)) return remembered;
      known.delete(traceId);
      return { late: remembered.run_id };
    }
    const run = await store.runOf(traceId.slice(0, traceId.length / 2));
    if (!run) return null;
    for (const { id, ...attempt } of run.underWay) {
      if (!passTraces(run.key, attempt).includes(traceId)) continue;
      const found = { run_id: run.run_id, attempt_id: id };
      const [oldest] = known.keys();
      if (known.size >= mostRemembered && oldest !== undefined) known.delete(oldest);
      known.set(traceId, found);
      return found;
    }
    return { late: run.run_id };
  }

  /** Stores what can be stored, and returns the number of the others. */
  async function keep(parts: readonly DecodedPart[]): Promise<number> {
    let rejected = 0;
    for (const [traceId, ofTrace] of Map.groupBy(parts, (part) => part.traceId)) {
      const found = await find(traceId);
      if (found && "run_id" in found) {
        const { run_id } = found;
        rejected += await store.add({ run_id, trace_id: traceId }, ofTrace);
        continue;
      }
      rejected += ofTrace.length;
      if (found) await store.addLate(found.late, ofTrace.length);
      else if ((dropped += ofTrace.length) === ofTrace.length) onForeign(hint);
    }
    return rejected;
  }

  async function receive(request: OtlpRequest, encoding: Encoding): Promise<Response> {
    const { signal } = request;
    const bytes = await readBytes(request);
    // Nothing is asked of metrics, but exporters that are told only where to send would report that they could not.
    if (signal === "metrics") return answer(200, Buffer.from(encoding === "json" ? "{}" : ""), encoding);
    const { decodeRequest, encodeAnswer } = await loadDecoder();
    const { parts, invalid } = readable({ signal, encoding }, () => decodeRequest(bytes, { signal, encoding }));
    const rejected = invalid + (await keep(parts));
    return answer(200, encodeAnswer({ rejected, message: rejection }, { signal, encoding }), encoding);
  }

  return {
    async answer(request) {
      const encoding = encodingOf(request.header("content-type"));
      if (!encoding) return refuse(415, "The body must be application/x-protobuf or application/json.", "json");
      try {
        return await receive(request, encoding);
      } catch (error) {
        if (error instanceof ServiceError) {
          const { status } = errorKinds[error.code];
          return await refuse(status, error.message, encoding, status === 503 || status === 429);
        }
        onError(error);
        return await refuse(503, "The spans could not be stored: send them again.", encoding, true);
      }
    },
  };
}

function encodingOf(header: string | undefined): Encoding | null {
  const type = header?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/x-protobuf" || type === "application/protobuf") return "protobuf";
  return type === "application/json" ? "json" : null;
}

const unzip = promisify(gunzip);

async function readBytes({ header, body }: OtlpRequest): Promise<Uint8Array> {
  const encoding = (header("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip") {
    throw new ServiceError("content_encoding", "The Content-Encoding must be gzip, or none.");
  }
  const bytes = await body(mostBytes);
  if (encoding === "identity" || bytes.length === 0) return bytes;
  try {
    return await unzip(bytes, { maxOutputLength: mostBytes });
  } catch (cause) {
    const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    if (!isTooLarge) throw new ServiceError("encoding_invalid", "The body is not gzip.", { cause });
    throw new ServiceError("body_too_large", `The body has more than ${mostBytes} bytes when it is unpacked.`);
  }
}

function readable<Decoded>(
  { signal, encoding }: { signal: Signal; encoding: Encoding },
  decode: () => Decoded,
): Decoded {
  try {
    return decode();
  } catch (cause) {
    // The library's message may quote the body.
    const form = encoding === "json" ? "JSON" : "protobuf";
    const detail = `The body is not a request of OTLP for ${signal} in ${form}.`;
    throw new ServiceError("encoding_invalid", detail, { cause });
  }
}

async function refuse(status: number, message: string, encoding: Encoding, isTransient = false): Promise<Response> {
  const { encodeStatus } = await loadDecoder();
  const response = answer(status, encodeStatus(message, encoding), encoding);
  if (isTransient) response.headers.set("retry-after", "2");
  return response;
}

function answer(status: number, body: Uint8Array, encoding: Encoding): Response {
  const type = encoding === "json" ? "application/json" : "application/x-protobuf";
  return new Response(new Uint8Array(body), {
    status,
    headers: { "content-type": type, "cache-control": "no-store" },
  });
}
