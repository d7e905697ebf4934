import { randomBytes } from "node:crypto";
import {
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Attributes,
  type AttributeValue,
  type Span,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
} from "@opentelemetry/api";
import { integer, nanoseconds, toAttributes } from "./otlp-values.ts";
import type { OtlpSpan } from "./run-spans.ts";

/** How far the time of day and the steady clock, which has the fractions, may be apart before the first one counts. */
const toleratedMs = 50;
let offset = performance.timeOrigin;

/** The time of day: a machine that slept, or whose clock was set right since the start, has moved away from its steady clock. */
function timeOfDay(steady: number): number {
  const drift = Date.now() - (steady + offset);
  if (Math.abs(drift) > toleratedMs) offset += drift;
  return steady + offset;
}

/** A span that is handed on when it ends. What our own spans do not use of the interface does nothing. */
export class RecordedSpan implements Span {
  readonly #context: SpanContext;
  readonly #parent: SpanContext | undefined;
  readonly #kind: SpanKind;
  readonly #startedAt = performance.now();
  readonly #startMs = timeOfDay(this.#startedAt);
  readonly #attributes: Attributes;
  readonly #onEnd: (span: OtlpSpan) => void;
  #name: string;
  #status: SpanStatus = { code: SpanStatusCode.UNSET };
  #ended = false;

  constructor(
    name: string,
    { kind = SpanKind.INTERNAL, attributes = {} }: SpanOptions,
    { parent, onEnd }: { parent: SpanContext | undefined; onEnd: (span: OtlpSpan) => void },
  ) {
    this.#name = name;
    this.#kind = kind;
    this.#attributes = { ...attributes };
    this.#parent = parent;
    this.#onEnd = onEnd;
    this.#context = {
      traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
      spanId: randomBytes(8).toString("hex"),
      traceFlags: TraceFlags.SAMPLED,
    };
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  setAttribute(key: string, value: AttributeValue): this {
    this.#attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    Object.assign(this.#attributes, attributes);
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.#status = status;
    return this;
  }

  updateName(name: string): this {
    this.#name = name;
    return this;
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  recordException(): void {}

  isRecording(): boolean {
    return !this.#ended;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { traceId, spanId } = this.#context;
    this.#onEnd({
      traceId,
      spanId,
      ...(this.#parent && { parentSpanId: this.#parent.spanId }),
      name: this.#name,
      kind: this.#kind === SpanKind.CLIENT ? 3 : 1,
      startTimeUnixNano: nanoseconds(this.#startMs),
      endTimeUnixNano: nanoseconds(this.#startMs + performance.now() - this.#startedAt),
      attributes: toAttributes(Object.fromEntries(Object.entries(this.#attributes).map(toEntry))),
      status: { code: this.#status.code === SpanStatusCode.ERROR ? 2 : 0 },
    });
  }
}

function toEntry([key, value]: [string, AttributeValue | undefined]): [
  string,
  Parameters<typeof toAttributes>[0][string],
] {
  if (Array.isArray(value)) return [key, value.map(String)];
  if (typeof value === "number") return [key, Number.isInteger(value) ? integer(value) : value];
  return [key, value as string | boolean | undefined];
}
