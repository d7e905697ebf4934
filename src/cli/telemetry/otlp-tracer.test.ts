import { setTimeout as sleep } from "node:timers/promises";
import { context, defaultTextMapGetter, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { expect, test, vi } from "vitest";
import { Secret } from "../../base/secret.ts";
import { DeliveryError } from "./json-sender.ts";
import { createOtlpTracer } from "./otlp-tracer.ts";
import type { OtlpSpan } from "./otlp-values.ts";

const url = "http://collector.example/v1/traces";
const settings = {
  headers: { authorization: new Secret("Bearer k") },
  resource: { "service.name": "mine" },
};

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };
}

function collector({ fail = false } = {}) {
  const sent: Sent[] = [];
  const errors: unknown[] = [];
  const otlp = createOtlpTracer({
    url,
    settings,
    send: async (request) => {
      sent.push(request as Sent);
      if (fail) throw new Error("away");
      return "";
    },
    onError: (error) => errors.push(error),
  });
  return { otlp, sent, errors, spans: () => sent.flatMap(({ body }) => body.resourceSpans[0]!.scopeSpans[0]!.spans) };
}

test("sends ended spans as part of the caller's trace", async () => {
  const { otlp, sent, spans } = collector();
  const headers = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
  const parent = otlp.propagator.extract(context.active(), headers, defaultTextMapGetter);
  const agent = otlp.tracer.startSpan("invoke_agent", { attributes: { "gen_ai.usage.input_tokens": 7 } }, parent);
  const chat = otlp.tracer.startSpan("chat", { kind: SpanKind.CLIENT }, trace.setSpan(parent, agent));
  chat.setAttribute("error.type", "x").setStatus({ code: SpanStatusCode.ERROR }).end();
  agent.end();
  agent.end();
  otlp.tracer.startSpan("never ended");
  await otlp[Symbol.asyncDispose]();
  expect(sent[0]).toMatchObject({ url: "http://collector.example/v1/traces", headers: { authorization: "Bearer k" } });
  const [inner, outer, ...others] = spans();
  expect(others).toEqual([]);
  expect(outer).toMatchObject({ traceId: "a".repeat(32), parentSpanId: "b".repeat(16), kind: 1, status: { code: 0 } });
  expect(outer?.attributes).toEqual([{ key: "gen_ai.usage.input_tokens", value: { intValue: "7" } }]);
  expect(inner).toMatchObject({ traceId: "a".repeat(32), parentSpanId: outer?.spanId, kind: 3, status: { code: 2 } });
});

test("only reports an unavailable collector", async () => {
  const { otlp, errors } = collector({ fail: true });
  otlp.tracer.startSpan("one").end();
  await otlp[Symbol.asyncDispose]();
  expect(errors).toHaveLength(1);
});

test("queues spans while a collector does not answer, up to a limit", async () => {
  const answer = Promise.withResolvers<string>();
  const sent: Sent[] = [];
  const send = (request: object) => (sent.push(request as Sent), answer.promise);
  const otlp = createOtlpTracer({ url, settings, send, onError: () => {}, delayMs: 1 });
  for (let round = 0; round < 4; round += 1) {
    for (let count = 0; count < 4_000; count += 1) otlp.tracer.startSpan(`${round}`).end();
    await sleep(10);
  }
  expect(sent).toHaveLength(1);
  answer.resolve("");
  await otlp[Symbol.asyncDispose]();
  const names = sent.flatMap(({ body }) => body.resourceSpans[0]!.scopeSpans[0]!.spans.map(({ name }) => name));
  expect(names).toHaveLength(500 + 10_000);
  expect(names.at(-1)).toBe("3");
});

/** A collector that answers the first requests like this and accepts all others. */
function choosy(...failures: readonly (Error | null)[]) {
  const taken: (readonly string[])[] = [];
  const errors: unknown[] = [];
  const send = async (request: object) => {
    const failure = failures[taken.length + errors.length] ?? null;
    if (failure) throw failure;
    taken.push((request as Sent).body.resourceSpans[0]!.scopeSpans[0]!.spans.map(({ name }) => name));
    return "";
  };
  const onError = (error: unknown) => void errors.push(error);
  const otlp = createOtlpTracer({ url, settings, send, onError, delayMs: 1, retryMs: 5 });
  return { otlp, taken, errors };
}

const away = new DeliveryError(url, { detail: "HTTP 503", retryable: true });
const refused = new DeliveryError(url, { detail: "HTTP 400", retryable: false });

test("sends spans again after an outage, in order, but not those the collector refused", async () => {
  const { otlp, taken, errors } = choosy(away, new DOMException("late", "TimeoutError"), null, refused);
  otlp.tracer.startSpan("one").end();
  while (errors.length === 0) await sleep(1);
  otlp.tracer.startSpan("two").end();
  while (taken.length === 0) await sleep(1);
  expect(taken).toEqual([["one", "two"]]);
  otlp.tracer.startSpan("three").end();
  while (errors.length < 3) await sleep(1);
  otlp.tracer.startSpan("four").end();
  await otlp[Symbol.asyncDispose]();
  expect(taken).toEqual([["one", "two"], ["four"]]);
});

test("stops without waiting for an unavailable collector", async () => {
  const { otlp, taken, errors } = choosy(away);
  for (let count = 0; count < 2_000; count += 1) otlp.tracer.startSpan("one").end();
  await otlp[Symbol.asyncDispose]();
  expect([taken, errors]).toEqual([[], [away]]);
});

test("limits requests and the queue by the size of message content", async () => {
  const said = { attributes: { "gen_ai.input.messages": "x".repeat(1024 * 1024) } };
  const { otlp, taken } = choosy(away);
  for (let count = 0; count < 70; count += 1) otlp.tracer.startSpan(`${count}`, said).end();
  await otlp[Symbol.asyncDispose]();
  await otlp[Symbol.asyncDispose]();
  expect(taken.map((names) => names.length)).toEqual(Array.from({ length: 16 }, () => 4));
  expect(taken[0]?.[0]).toBe("6");
});

test.each([3_600_000, -3_600_000])(
  "spans have the time of day, also after the clock was moved by %i ms",
  async (ms) => {
    const { otlp, spans } = collector();
    const open = otlp.tracer.startSpan("open");
    const before = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: before + ms });
    try {
      otlp.tracer.startSpan("after").end();
      open.end();
    } finally {
      vi.useRealTimers();
    }
    await otlp[Symbol.asyncDispose]();
    const [after, moved] = spans().map(({ startTimeUnixNano, endTimeUnixNano }) => ({
      start: Number(startTimeUnixNano) / 1e6,
      took: (Number(endTimeUnixNano) - Number(startTimeUnixNano)) / 1e6,
    }));
    expect(Math.abs(after!.start - before - ms)).toBeLessThan(60_000);
    expect(Math.abs(moved!.start - before)).toBeLessThan(60_000);
    for (const { took } of [after!, moved!]) expect(took >= 0 && took < 60_000).toBe(true);
  },
);

test("does not record a trace that its caller does not sample", async () => {
  const { otlp, sent } = collector();
  const headers = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-00` };
  const parent = otlp.propagator.extract(context.active(), headers, defaultTextMapGetter);
  const agent = otlp.tracer.startSpan("invoke_agent", {}, parent);
  otlp.tracer.startSpan("chat", {}, trace.setSpan(parent, agent)).end();
  agent.end();
  await otlp[Symbol.asyncDispose]();
  expect(sent).toEqual([]);
});
