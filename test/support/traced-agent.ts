import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as a test writes it. Its parent is the span named, or that of the turn. */
export interface WrittenSpan {
  readonly name: string;
  readonly id?: string;
  readonly parent?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly events?: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly failed?: string;
  /** Milliseconds after the request. */
  readonly at?: number;
  readonly ms?: number;
}

/** The trace context of a request. */
export interface HeardTrace {
  readonly traceId: string;
  readonly parentId: string;
  readonly baggage: string;
  readonly text: string;
}

export interface TracedAgent extends AsyncDisposable {
  readonly url: string;
  readonly heard: readonly HeardTrace[];
}

/** An agent over HTTP. `act` gets the trace context of each request, and may send spans before or after it has answered. */
export async function startTracedAgent(act: (heard: HeardTrace) => Promise<string>): Promise<TracedAgent> {
  const heard: HeardTrace[] = [];
  const server = createServer((request, response) => {
    void answer(request).then((body) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
  });

  async function answer(request: IncomingMessage): Promise<object> {
    const body = JSON.parse((await Array.fromAsync(request)).join("")) as { say: string; calls?: true };
    const [, traceId = "", parentId = ""] = String(request.headers["traceparent"]).split("-");
    const one = { traceId, parentId, baggage: String(request.headers["baggage"]), text: body.say };
    heard.push(one);
    const text = await act(one);
    return body.calls ? { text, calls: [{ name: "get_order", arguments: { order_id: "1042" } }] } : { text };
  }

  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

export const spanId = (): string => randomBytes(8).toString("hex");

/** Spans below the span of a turn, as a request of OTLP in JSON. */
export function otlpRequest(
  { traceId, parentId }: Pick<HeardTrace, "traceId" | "parentId">,
  spans: readonly WrittenSpan[],
) {
  const now = Date.now();
  return {
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "desk" } }] },
        scopeSpans: [
          {
            scope: { name: "test" },
            spans: spans.map(
              ({ name, id = spanId(), parent = parentId, attributes = {}, events = [], failed, at = 0, ms = 5 }) => ({
                traceId,
                spanId: id,
                parentSpanId: parent,
                name,
                kind: 1,
                startTimeUnixNano: `${now + at}000000`,
                endTimeUnixNano: `${now + at + ms}000000`,
                attributes: keyValues(attributes),
                events: events.map((event) => ({ name: event.name, attributes: keyValues(event.attributes) })),
                status: failed === undefined ? {} : { code: 2, message: failed },
              }),
            ),
          },
        ],
      },
    ],
  };
}

const keyValues = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: unknown): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: keyValues(value as Readonly<Record<string, unknown>>) } };
}

export async function sendSpans(service: string, request: object): Promise<{ status: number; body: object }> {
  const response = await fetch(`${service}/otel/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  return { status: response.status, body: (await response.json()) as object };
}
