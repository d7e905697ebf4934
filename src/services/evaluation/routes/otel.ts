import type { RouteDeclaration } from "../../../contract/operations/operation.ts";
import { readBody } from "../../http/body/read-body.ts";
import { defineRoute, type Route } from "../../http/route.ts";
import { otelPath, type SpanReceiver } from "../otel/receiver.ts";

/** The id of a trace is its key. What is sent is defined by OpenTelemetry, and no part of the public API. */
const signalAt = (signal: string) =>
  ({ address: `POST ${otelPath}/v1/${signal}`, scope: "public" }) as const satisfies RouteDeclaration;

/** Where agents under test send their spans. */
export const otelRoutes: readonly Route<SpanReceiver>[] = (["traces", "logs", "metrics"] as const).map((signal) =>
  defineRoute(
    signalAt(signal),
    (receiver: SpanReceiver) =>
      ({ context }) =>
        receiver.answer({
          signal,
          header: (name) => context.req.header(name),
          body: (mostBytes) => readBody(context, mostBytes),
        }),
  ),
);
