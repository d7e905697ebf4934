import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { SpanPart, SpanStore } from "../../../contract/ports/spans.ts";
import { traceIdOf } from "../../../runs/execute/trace-ids.ts";
import { otlpRequest, type WrittenSpan } from "../../../../test/support/traced-agent.ts";
import { createSpanReceiver, type OtlpRequest } from "./receiver.ts";

const key = { prefix: "00112233445566aa", secret: "ab".repeat(32) };
const attempt = { scenario_index: 0, attempt: 1 };
const heard = { traceId: traceIdOf(key, { ...attempt, pass: "first" }), parentId: "cd".repeat(8) };

function receiverOf({ fails = false } = {}) {
  const stored: SpanPart[] = [];
  const hints: string[] = [];
  const spans: SpanStore = {
    runOf: async (prefix) => (prefix === key.prefix ? { run_id: "r", key, underWay: [{ id: "a", ...attempt }] } : null),
    isUnderWay: async () => true,
    async add(_, parts) {
      if (fails) throw new Error("the disk is full");
      stored.push(...parts);
      return 0;
    },
    async addLate() {},
    areSeen: async () => true,
    count: async () => stored.length,
    ofTrace: async () => [],
  };
  const receiver = createSpanReceiver({ spans, onForeign: (hint) => hints.push(hint), onError() {} });
  const send = async (
    body: Uint8Array | string,
    headers: Record<string, string> = {},
    signal: OtlpRequest["signal"] = "traces",
  ) => {
    const all: Record<string, string> = { "content-type": "application/json", ...headers };
    const answer = await receiver.answer({ signal, header: (name) => all[name], body: async () => Buffer.from(body) });
    return {
      status: answer.status,
      type: answer.headers.get("content-type"),
      body: Buffer.from(await answer.arrayBuffer()),
    };
  };
  return { send, stored, hints };
}

const requestOf = (...spans: readonly WrittenSpan[]): string => JSON.stringify(otlpRequest(heard, spans));

test("reads JSON, also compressed, and stores before it answers", async () => {
  const { send, stored } = receiverOf();
  const request = requestOf({
    name: "a",
    id: "aa".repeat(8),
    attributes: { n: 7, list: ["x", true], deep: { y: 1.5 } },
    failed: "no",
  });
  expect(await send(gzipSync(request), { "content-encoding": "gzip" })).toMatchObject({
    status: 200,
    type: "application/json",
  });
  expect(stored).toMatchObject([
    {
      part: "",
      span: { id: "aa".repeat(8), parent: heard.parentId, name: "a", failed: "no", service: "desk", scope: "test" },
    },
  ]);
  expect(stored[0]).toMatchObject({ span: { attributes: { n: 7, list: ["x", true], deep: { y: 1.5 } } } });
});

/** A request of opentelemetry-sdk 1.45 for Python with its OTLP exporter: a server span, a tool below it, and a lookup that raised. */
const fromPython = Buffer.from(
  "CoYKCsUBCiIKFnRlbGVtZXRyeS5zZGsubGFuZ3VhZ2USCAoGcHl0aG9uCiUKEnRlbGVtZXRyeS5zZGsubmFtZRIPCg1vcGVudGVsZW1ldHJ5Ci" +
    "EKFXRlbGVtZXRyeS5zZGsudmVyc2lvbhIICgYxLjQ1LjIKPQoTc2VydmljZS5pbnN0YW5jZS5pZBImCiQxYTA2ZDVkNi01MDNkLTQ4OWEtOWZj" +
    "OS0wZGM2NTFiMjFlNTYKFgoMc2VydmljZS5uYW1lEgYKBGRlc2sSuwgKBgoEZGVzaxLeBQoQABEiM0RVZqrgKaw4sSiNshIIRxovYW1wWKsiCP" +
    "g28m64vjfnKgZsb29rdXAwATnOtSgj15vpGEGA/0Aj15vpGFr9BAnRdkAj15vpGBIJZXhjZXB0aW9uGhwKDmV4Y2VwdGlvbi50eXBlEgoKCEtl" +
    "eUVycm9yGh0KEWV4Y2VwdGlvbi5tZXNzYWdlEggKBicxMDQyJxqLBAoUZXhjZXB0aW9uLnN0YWNrdHJhY2US8gMK7wNUcmFjZWJhY2sgKG1vc3" +
    "QgcmVjZW50IGNhbGwgbGFzdCk6CiAgRmlsZSAiL3RtcC9zcGFucy93L2xpYi9weXRob24zLjExL3NpdGUtcGFja2FnZXMvb3BlbnRlbGVtZXRy" +
    "eS90cmFjZS9fX2luaXRfXy5weSIsIGxpbmUgNjAyLCBpbiB1c2Vfc3BhbgogICAgeWllbGQgc3BhbgogIEZpbGUgIi90bXAvc3BhbnMvdy9saW" +
    "IvcHl0aG9uMy4xMS9zaXRlLXBhY2thZ2VzL29wZW50ZWxlbWV0cnkvc2RrL3RyYWNlL19faW5pdF9fLnB5IiwgbGluZSAxMTM2LCBpbiBzdGFy" +
    "dF9hc19jdXJyZW50X3NwYW4KICAgIHlpZWxkIHNwYW4KICBGaWxlICIvdG1wL3NwYW5zL3JlYy5weSIsIGxpbmUgMjcsIGluIDxtb2R1bGU+Ci" +
    "AgICB3aXRoIHQuc3RhcnRfYXNfY3VycmVudF9zcGFuKCJsb29rdXAiKTogcmFpc2UgS2V5RXJyb3IoIjEwNDIiKQogICAgICAgICAgICAgICAg" +
    "ICAgICAgICAgICAgICAgICAgICAgICAgICAgIF5eXl5eXl5eXl5eXl5eXl5eXl5eXl4KS2V5RXJyb3I6ICcxMDQyJwoaHAoRZXhjZXB0aW9uLm" +
    "VzY2FwZWQSBwoFRmFsc2V6FBIQS2V5RXJyb3I6ICcxMDQyJxgChQEAAQAAEv8BChAAESIzRFVmquAprDixKI2yEgj4NvJuuL435yIIRf5UU2mI" +
    "Mg4qFmV4ZWN1dGVfdG9vbCBnZXRfb3JkZXIwATnQlyYj15vpGEHRH0Ij15vpGEonChVnZW5fYWkub3BlcmF0aW9uLm5hbWUSDgoMZXhlY3V0ZV" +
    "90b29sSh8KEGdlbl9haS50b29sLm5hbWUSCwoJZ2V0X29yZGVySjQKGmdlbl9haS50b29sLmNhbGwuYXJndW1lbnRzEhYKFHsib3JkZXJfaWQi" +
    "OiAiMTA0MiJ9ShUKB3JldHJpZXMSCioICgIYAQoCGAJKDAoGY2FjaGVkEgIQAHoAhQEAAQAAEk4KEAARIjNEVWaq4CmsOLEojbISCEX+VFNpiD" +
    "IOIgjNzc3Nzc3NzSoKUE9TVCAvY2hhdDACOVxYJSPXm+kYQQBgQiPXm+kYegCFAQADAAA=",
  "base64",
);

test("reads what the exporter of Python's SDK sends", async () => {
  const { send, stored } = receiverOf();
  const answer = await send(gzipSync(fromPython), {
    "content-type": "application/x-protobuf",
    "content-encoding": "gzip",
  });
  expect(answer).toMatchObject({ status: 200, type: "application/x-protobuf", body: Buffer.alloc(0) });
  const spans = stored.map((part) => ("span" in part ? part.span : null));
  expect(spans.map((span) => span?.name)).toEqual(["lookup", "execute_tool get_order", "POST /chat"]);
  expect(spans[0]).toMatchObject({ failed: "KeyError: '1042'", events: [{ name: "exception" }] });
  expect(spans[1]).toMatchObject({
    service: "desk",
    parent: spans[2]?.id,
    attributes: { "gen_ai.tool.call.arguments": '{"order_id": "1042"}', retries: [1, 2], cached: false },
  });
  expect(spans[2]).toMatchObject({ parent: heard.parentId });
  expect(spans[2]?.end).toBeGreaterThanOrEqual(spans[2]?.start ?? Number.POSITIVE_INFINITY);
});

test("long values are cut with a mark, and attributes are limited", async () => {
  const { send, stored } = receiverOf();
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`a${index}`, 1]));
  await send(requestOf({ name: "a", attributes: { long: "x".repeat(10_000_000) } }, { name: "b", attributes: many }));
  const [long, wide] = stored.map((part) => ("span" in part ? part.span.attributes : {}));
  expect(String(long?.["long"])).toMatch(/^x{100000}… \[cut: 10000000 characters\]$/);
  expect(Object.keys(wide ?? {})).toHaveLength(1_024);
});

test.each<[string, Uint8Array | string, Record<string, string>, number]>([
  ["no JSON", "{", {}, 400],
  ["JSON of another kind", '{"resourceSpans": 7}', {}, 400],
  ["JSON nested without end", "[".repeat(200_000), {}, 400],
  ["no protobuf", Buffer.from([0x0a, 0xff, 0x01]), { "content-type": "application/x-protobuf" }, 400],
  ["no gzip", "{}", { "content-encoding": "gzip" }, 400],
  ["gzip of too much", gzipSync(Buffer.alloc(20_000_000)), { "content-encoding": "gzip" }, 413],
  ["another compression", "{}", { "content-encoding": "zstd" }, 415],
  ["another type", "{}", { "content-type": "text/plain" }, 415],
])("%s is refused with a status in the encoding of the request", async (_, body, headers, status) => {
  const { send } = receiverOf();
  const answer = await send(body, headers);
  // google.rpc.Status: in protobuf, field 2 is the message.
  const [type, begin] =
    headers["content-type"] === "application/x-protobuf"
      ? ["application/x-protobuf", /^..The body/s]
      : ["application/json", /^\{"message":\s*"\w/];
  expect(answer).toMatchObject({ status, type });
  expect(answer.body.toString()).toMatch(begin);
});

test("what the store refuses is to be sent again", async () => {
  const { send } = receiverOf({ fails: true });
  expect((await send(requestOf({ name: "a" }))).status).toBe(503);
});

test("spans of other traces are counted, with one hint, and those without ids are rejected", async () => {
  const { send, hints, stored } = receiverOf();
  const foreign = JSON.stringify(otlpRequest({ ...heard, traceId: "ff".repeat(16) }, [{ name: "a" }, { name: "b" }]));
  for (let times = 0; times < 3; times += 1)
    expect(JSON.parse((await send(foreign)).body.toString())).toMatchObject({ partialSuccess: { rejectedSpans: "2" } });
  expect(hints).toHaveLength(1);
  const nameless = requestOf({ name: "a", id: "zz" }, { name: "b" });
  expect(JSON.parse((await send(nameless)).body.toString())).toMatchObject({ partialSuccess: { rejectedSpans: "1" } });
  expect(stored).toHaveLength(1);
});

test("metrics are accepted, and kept nowhere", async () => {
  const { send, stored } = receiverOf();
  expect(await send("{}", {}, "metrics")).toMatchObject({ status: 200 });
  expect(stored).toEqual([]);
});
