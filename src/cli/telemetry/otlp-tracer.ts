import { trace, TraceFlags, type Tracer } from "@opentelemetry/api";
import type { OtlpSettings } from "../../settings/telemetry-settings.ts";
import { version } from "../version.ts";
import { toAttributes } from "./otlp-values.ts";
import { RecordedSpan } from "./recorded-span.ts";
import type { OtlpSpan } from "./run-spans.ts";
import type { SendJson } from "./send-json.ts";

export interface OtlpTracer extends AsyncDisposable {
  readonly tracer: Tracer;
}

/** Spans of one request, and those that wait for a collector that is away; beyond that the oldest are given up. */
const spansAtOnce = 500;
const mostWaiting = 10_000;

/** Sends spans to the operator's collector, OTLP/HTTP in JSON, a moment after they ended. Nobody waits for it. */
export function createOtlpTracer({
  url,
  settings: { headers, resource: attributes },
  send,
  onError,
  delayMs = 1_000,
}: {
  url: string;
  settings: Pick<OtlpSettings, "headers" | "resource">;
  send: SendJson;
  onError: (error: unknown) => void;
  delayMs?: number;
}): OtlpTracer {
  const revealed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]));
  const resource = { attributes: toAttributes({ "service.version": version, ...attributes }) };
  const scope = { name: "rehearsal", version };
  const waiting: OtlpSpan[] = [];
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;

  /** One request at a time: what ends while a slow collector is waited for waits with the rest, and is bounded with it. */
  function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    return (sending ??= sendAll().finally(() => (sending = null)));
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const spans = waiting.splice(0, spansAtOnce);
      try {
        await send({ url, headers: revealed, body: { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] } });
      } catch (error) {
        onError(error);
      }
    }
  }

  function onEnd(span: OtlpSpan): void {
    if (waiting.length >= mostWaiting) waiting.shift();
    waiting.push(span);
    timer ??= setTimeout(() => void flush(), delayMs).unref();
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
