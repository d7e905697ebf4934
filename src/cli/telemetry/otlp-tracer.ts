import { trace, TraceFlags, type Tracer } from "@opentelemetry/api";
import type { OtlpSettings } from "../../settings/telemetry-settings.ts";
import { version } from "../version.ts";
import { toAttributes } from "./otlp-values.ts";
import { RecordedSpan } from "./recorded-span.ts";
import type { OtlpSpan } from "./run-spans.ts";
import { NotTaken, type SendJson } from "./send-json.ts";
import { createWaitingSpans } from "./waiting-spans.ts";

interface OtlpTracer extends AsyncDisposable {
  readonly tracer: Tracer;
}

/**
 * Sends spans to the operator's collector, OTLP/HTTP in JSON, a moment after they ended. Nobody waits for it. What a collector that
 * is away did not take is sent again later; what it refuses is given up.
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

  function onEnd(span: OtlpSpan): void {
    waiting.add(span);
    schedule(delayMs);
  }

  return {
    tracer: {
      startSpan(name, options = {}, context) {
        const parent = context && trace.getSpanContext(context);
        // Whoever began the trace decides whether it is recorded.
        if (parent && !(parent.traceFlags & TraceFlags.SAMPLED)) return trace.wrapSpanContext(parent);
        return new RecordedSpan(name, options, { parent, onEnd });
      },
      startActiveSpan: () => {
        throw new Error("Spans of a turn are started one by one.");
      },
    },
    [Symbol.asyncDispose]: flush,
  };
}
