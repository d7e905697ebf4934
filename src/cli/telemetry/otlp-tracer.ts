import { compact } from "../../base/compact.ts";
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
import { version } from "../terminal/version.ts";
import { DeliveryError, type SendJson } from "./json-sender.ts";
import { integer, toAttributes, type OtlpSpan } from "./otlp-values.ts";

interface OtlpTracer extends AsyncDisposable {
  readonly tracer: Tracer;
  /** Reads `traceparent` headers, so that our spans belong to the caller's trace. */
  readonly propagator: TextMapPropagator;
}

/**
 * Sends spans to the operator's collector (OTLP/HTTP in JSON) shortly after they end, without delaying turns. Spans are
 * retried while the collector is unavailable and dropped when it refuses them. OpenTelemetry's own batch processor limits
 * only the number of spans, not the size of their content, and its exporters open connections of their own.
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

  /** One request at a time: spans that end meanwhile wait in the same bounded queue. */
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
        if (error instanceof DeliveryError && !error.retryable) continue;
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
  return compact({
    traceId,
    spanId,
    parentSpanId: parentSpanContext ? parentSpanContext.spanId : undefined,
    name,
    kind: kind === SpanKind.CLIENT ? 3 : 1,
    startTimeUnixNano: toNanoseconds(span.startTime),
    endTimeUnixNano: toNanoseconds(span.endTime),
    attributes: toAttributes(Object.fromEntries(Object.entries(span.attributes).map(toEntry))),
    status: { code: status.code === SpanStatusCode.ERROR ? 2 : 0 },
  });
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

/** A bounded queue of spans to send, oldest first. */
interface WaitingSpans {
  readonly isEmpty: boolean;
  add(span: OtlpSpan): void;
  /** Removes and returns the next spans, as many as one request may hold. */
  take(): OtlpSpan[];
  /** Returns spans that could not be sent to the front. */
  putBack(spans: readonly OtlpSpan[]): void;
}

/** Limits of one request, and of the queue, which drops its oldest spans. */
const perRequest = { spans: 500, characters: 4 * 1024 * 1024 };
const queued = { spans: 10_000, characters: 64 * 1024 * 1024 };

function createWaitingSpans(): WaitingSpans {
  const waiting: OtlpSpan[] = [];
  let characters = 0;

  function dropOldest(): void {
    while (waiting.length > queued.spans || characters > queued.characters) characters -= spanSize(waiting.shift());
  }

  return {
    get isEmpty() {
      return waiting.length === 0;
    },
    add(span) {
      characters += spanSize(span);
      waiting.push(span);
      dropOldest();
    },
    take() {
      let [count, size] = [0, 0];
      for (const span of waiting.slice(0, perRequest.spans)) {
        size += spanSize(span);
        // An oversized span is sent alone, so that its refusal does not affect others.
        if (count > 0 && size > perRequest.characters) break;
        count += 1;
      }
      const spans = waiting.splice(0, count);
      for (const span of spans) characters -= spanSize(span);
      return spans;
    },
    putBack(spans) {
      for (const span of spans) characters += spanSize(span);
      waiting.unshift(...spans);
      dropOldest();
    },
  };
}

/** Characters of the string attributes; message content, if captured, is the only long one. */
function spanSize(span: OtlpSpan | undefined): number {
  return (span?.attributes ?? []).reduce(
    (sum, { value }) => sum + ("stringValue" in value ? value.stringValue.length : 0),
    0,
  );
}
