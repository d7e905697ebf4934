import { propagation } from "@opentelemetry/api";
import type { Logger } from "pino";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { traceTurns } from "../../services/agent/observers/trace-turns.ts";
import type { TurnObserver } from "../../services/agent/turns/turn.ts";
import { readTelemetrySettings } from "../../settings/telemetry-settings.ts";
import { createOtlpTracer } from "../telemetry/otlp-tracer.ts";
import { jsonSender } from "../telemetry/send-json.ts";
import { traceParentPropagator } from "../telemetry/trace-parent.ts";

/** Who is told of turns as spans. */
interface Tracing extends AsyncDisposable {
  /** undefined: whatever the process itself has registered with OpenTelemetry. */
  readonly observers: readonly TurnObserver[] | undefined;
}

/** OpenTelemetry's own time for one request to a collector. */
const sendMs = 10_000;

/** Sends the spans of every turn to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, where it is set. */
export function createTracing({ outbound, log }: { outbound: Outbound; log: Logger }): Tracing {
  const { otlp } = readTelemetrySettings(process.env);
  if (!otlp || otlp.traces === null || otlp.isDisabled)
    return { observers: undefined, [Symbol.asyncDispose]: async () => {} };
  const stop = new AbortController();
  const { tracer, [Symbol.asyncDispose]: flush } = createOtlpTracer({
    url: otlp.traces,
    settings: otlp,
    send: (request) => jsonSender(outbound, AbortSignal.any([stop.signal, AbortSignal.timeout(sendMs)]))(request),
    onError: (error) => log.warn({ err: error }, "spans could not be sent"),
  });
  // Has no effect where the process has a propagator of its own.
  propagation.setGlobalPropagator(traceParentPropagator);
  return {
    observers: [traceTurns({ tracer, captureContent: otlp.captureContent })],
    async [Symbol.asyncDispose]() {
      const timer = setTimeout(() => stop.abort(new Error("The service has stopped.")), 2_000).unref();
      await flush();
      clearTimeout(timer);
    },
  };
}
