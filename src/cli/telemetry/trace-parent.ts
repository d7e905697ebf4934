import { trace, TraceFlags, type TextMapPropagator } from "@opentelemetry/api";

const form = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/;

/** Reads the `traceparent` of a request (W3C Trace Context), so that our spans belong to the caller's trace. */
export const traceParentPropagator: TextMapPropagator = {
  inject() {},
  extract(context, carrier, getter) {
    const [, traceId, spanId, flags] = form.exec(String(getter.get(carrier, "traceparent") ?? "")) ?? [];
    if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return context;
    const traceFlags = Number.parseInt(flags ?? "0", 16) & TraceFlags.SAMPLED;
    return trace.setSpanContext(context, { traceId, spanId, traceFlags, isRemote: true });
  },
  fields: () => ["traceparent"],
};
