import { trace, TraceFlags, type Tracer } from "@opentelemetry/api";
import type { OtlpSettings } from "../../settings/telemetry-settings.ts";
import { version } from "../version.ts";
import { toAttributes } from "./otlp-values.ts";
import { RecordedSpan } from "./recorded-span.ts";
import type { OtlpSpan } from "./run-spans.ts";
import { NotTaken, type SendJson } from "./send-json.ts";

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
