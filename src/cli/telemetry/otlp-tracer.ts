import {
  SpanKind,
  SpanStatusCode,
  type AttributeValue,
  type HrTime,
  type TextMapPropagator,
  type Tracer,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { TracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace";
import type { OtlpSettings } from "../../settings/telemetry-settings.ts";
import { version } from "../version.ts";
import { integer, toAttributes } from "./otlp-values.ts";
import type { OtlpSpan } from "./run-spans.ts";
import { NotTaken, type SendJson } from "./send-json.ts";

interface OtlpTracer extends AsyncDisposable {
  readonly tracer: Tracer;
  /** Reads the `traceparent` of a request, so that our spans belong to the caller's trace. */
  readonly propagator: TextMapPropagator;
}

/**
 * Sends spans to the operator's collector, OTLP/HTTP in JSON, a moment after they ended. No turn waits for it. Spans that a collector
 * did not take while it was away are sent again later; those it refuses are given up. OpenTelemetry's own batches are bounded by
 * their number only, and a span with what was said in it has any size; its exporters open connections of their own.
 */
export function createOtlpTracer({
  url,
  settings: { headers, resource: attributes },
  send,
  onError,
  delayMs = 1_000,
  retryMs = 5_000,
}: {
  url: string;
  settings: Pick<OtlpSettings, "headers" | "resource">;
  send: SendJson;
  onError: (error: unknown) => void;
  delayMs?: number;
  retryMs?: number;
}): OtlpTracer {
  const revealed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]));
  const resource = { attributes: toAttributes({ "service.version": version, ...attributes }) };
  const scope = { name: "rehearsal", version };
  const waiting = createWaitingSpans();
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;

  /** One request at a time: what ends while a slow collector is waited for waits with the rest, and is bounded with it. */
  function flush(): Promise<void> {
    unschedule();
    return (sending ??= sendAll().finally(() => (sending = null)));
  }

  async function sendAll(): Promise<void> {
    while (!waiting.isEmpty) {
      const spans = waiting.take();
      try {
        await send({ url, headers: revealed, body: { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] } });
      } catch (error) {
        onError(error);
        if (error instanceof NotTaken && !error.retryable) continue;
        waiting.putBack(spans);
        unschedule();
        return schedule(retryMs);
      }
    }
  }

  function schedule(ms: number): void {
    timer ??= setTimeout(() => void flush(), ms).unref();
  }

  function unschedule(): void {
    if (timer) clearTimeout(timer);
    timer = null;
  }

  const provider = new TracerProvider({
    spanProcessors: [
      {
        onStart() {},
        onEnd(span) {
          waiting.add(toOtlpSpan(span));
          schedule(delayMs);
        },
        forceFlush: flush,
        shutdown: flush,
      },
    ],
  });
  return {
    tracer: provider.getTracer("rehearsal", version),
    propagator: new W3CTraceContextPropagator(),
    [Symbol.asyncDispose]: flush,
  };
}

function toOtlpSpan(span: ReadableSpan): OtlpSpan {
  const { name, kind, status, parentSpanContext } = span;
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    ...(parentSpanContext && { parentSpanId: parentSpanContext.spanId }),
    name,
    kind: kind === SpanKind.CLIENT ? 3 : 1,
    startTimeUnixNano: toNanoseconds(span.startTime),
    endTimeUnixNano: toNanoseconds(span.endTime),
    attributes: toAttributes(Object.fromEntries(Object.entries(span.attributes).map(toEntry))),
    status: { code: status.code === SpanStatusCode.ERROR ? 2 : 0 },
  };
}

const toNanoseconds = ([seconds, rest]: HrTime): string => `${seconds}${String(rest).padStart(9, "0")}`;

function toEntry([key, value]: [string, AttributeValue | undefined]): [
  string,
  Parameters<typeof toAttributes>[0][string],
] {
  if (Array.isArray(value)) return [key, value.map(String)];
  if (typeof value === "number") return [key, Number.isInteger(value) ? integer(value) : value];
  return [key, value as string | boolean | undefined];
}

/** Spans that are to be sent, oldest first. */
interface WaitingSpans {
  readonly isEmpty: boolean;
  add(span: OtlpSpan): void;
  /** The next ones, as many as one request may hold. */
  take(): OtlpSpan[];
  /** What was taken and could not be sent goes first. */
  putBack(spans: readonly OtlpSpan[]): void;
}

/** Of one request, and of all that wait for a collector that is away; beyond that the oldest are given up. */
const atOnce = { spans: 500, characters: 4 * 1024 * 1024 };
const most = { spans: 10_000, characters: 64 * 1024 * 1024 };

function createWaitingSpans(): WaitingSpans {
  const waiting: OtlpSpan[] = [];
  let characters = 0;

  function giveUpOldest(): void {
    while (waiting.length > most.spans || characters > most.characters) characters -= sizeOf(waiting.shift());
  }

  return {
    get isEmpty() {
      return waiting.length === 0;
    },
    add(span) {
      characters += sizeOf(span);
      waiting.push(span);
      giveUpOldest();
    },
    take() {
      let [count, size] = [0, 0];
      for (const span of waiting.slice(0, atOnce.spans)) {
        size += sizeOf(span);
        // One that is too long by itself is sent alone: who refuses it has the others.
        if (count > 0 && size > atOnce.characters) break;
        count += 1;
      }
      const spans = waiting.splice(0, count);
      for (const span of spans) characters -= sizeOf(span);
      return spans;
    },
    putBack(spans) {
      for (const span of spans) characters += sizeOf(span);
      waiting.unshift(...spans);
      giveUpOldest();
    },
  };
}

/** What was said is in it where the operator asks for that; all the rest is short. */
function sizeOf(span: OtlpSpan | undefined): number {
  return (span?.attributes ?? []).reduce(
    (sum, { value }) => sum + ("stringValue" in value ? value.stringValue.length : 0),
    0,
  );
}
