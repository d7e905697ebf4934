import { createServer as createTlsServer } from "node:https";
import { createServer, type AddressInfo } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  drip,
  gzipBomb,
  hang,
  headersThenSilence,
  hugeBody,
  resetMidBody,
  truncatedBody,
} from "../../../test/support/fake-provider/connection-faults.ts";
import { raw } from "../../../test/support/fake-provider/malformed-replies.ts";
import { rawStream, stream } from "../../../test/support/fake-provider/streams.ts";
import type { Behaviour } from "../../../test/support/fake-provider/behaviour.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { createOutbound } from "./create-outbound.ts";
import { StreamFailure } from "./failure.ts";
import type { OutboundOptions } from "./outbound-options.ts";
import type { OutboundRequest } from "./outbound.ts";

const { signal } = new AbortController();

async function ask(behaviour: Behaviour, options: OutboundOptions = {}, request: Partial<OutboundRequest> = {}) {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 }, ...options });
  return await outbound.request({ url: provider.url, method: "POST", body: "{}", signal, ...request });
}

test("ends a silent call at the first-byte limit and reports it to onRefused", async () => {
  const heard: unknown[] = [];
  const onRefused = (wait: unknown): void => void heard.push(wait);
  expect(await ask(hang, { timeouts: { firstByteMs: 60 } }, { onRefused })).toMatchObject({
    ok: false,
    error: { code: "upstream_timeout", detail: expect.stringContaining("first byte"), upstream_status: null, tries: 1 },
  });
  expect(heard).toEqual([undefined]);
});

test("does not count headers as the first byte", async () => {
  const headersThen =
    (milliseconds: number): Behaviour =>
    ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      setTimeout(() => response.end("data: [DONE]\n\n"), milliseconds);
    };
  expect(await ask(headersThen(150), { timeouts: { idleMs: 50, firstByteMs: 5000 } })).toMatchObject({ ok: true });
  expect(await ask(headersThen(5000), { timeouts: { firstByteMs: 1000 } })).toMatchObject({
    error: { code: "upstream_timeout", detail: expect.stringContaining("first byte"), upstream_status: 200 },
  });
});

test("ends an answer when there is no memory left for it", async () => {
  const admitted: number[] = [];
  const admitBytes = (bytes: number) => admitted.push(bytes) < 2;
  const result = await ask(hugeBody(4 * 1024 * 1024), {}, { admitBytes });
  expect(result).toMatchObject({ ok: false, error: { code: "overloaded", retryable: true, tries: 1 } });
  expect(admitted).toHaveLength(2);
  expect(await ask(hugeBody(1000), {}, { admitBytes: () => true })).toMatchObject({ ok: true });
});

test("ends a stalled answer at the idle limit", async () => {
  expect(await ask(headersThenSilence, { timeouts: { idleMs: 60 } })).toMatchObject({
    error: { code: "upstream_timeout", detail: expect.stringContaining("idle"), upstream_status: 200 },
  });
});

test("ends a dripping answer at the total limit", async () => {
  expect(await ask(drip(10), { timeouts: { idleMs: 5000, totalMs: 150 } })).toMatchObject({
    error: { code: "upstream_timeout", detail: expect.stringContaining("total") },
  });
});

// The limit is long enough for a busy machine to send the request before it.
test.each([{ firstByteMs: 1000 }, { totalMs: 1000 }])(
  "reads data that arrived while the process was suspended: %o",
  async (timeouts) => {
    const whileAllStandStill: Behaviour = ({ response }) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
      response.end("{}");
    };
    expect(await ask(whileAllStandStill, { timeouts })).toMatchObject({ ok: true, tries: 1 });
  },
);

test("ends a silent DNS lookup at the connect limit", async () => {
  await using outbound = createOutbound({
    retry: { maximum: 0 },
    timeouts: { connectMs: 60 },
    resolve: () => new Promise(() => {}),
  });
  expect(await outbound.request({ url: "http://slow.example/", method: "GET", signal })).toMatchObject({
    error: { code: "upstream_timeout", detail: expect.stringContaining("connect") },
  });
});

test.each(["ENOTFOUND", "EAI_AGAIN"])("reports an unresolvable name (%s) as upstream_dns", async (code) => {
  await using outbound = createOutbound({
    retry: { maximum: 0 },
    resolve: () => Promise.reject(Object.assign(new Error("no"), { code })),
  });
  expect(await outbound.request({ url: "http://nowhere.example/", method: "GET", signal })).toMatchObject({
    error: { code: "upstream_dns", detail: "The name nowhere.example does not resolve." },
  });
});

test("reports https to an http port as upstream_tls", async () => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const url = provider.url.replace("http:", "https:");
  expect(await outbound.request({ url, method: "GET", signal })).toMatchObject({ error: { code: "upstream_tls" } });
});

test("reports a failed TLS handshake as upstream_tls", async () => {
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  for (const server of [createServer((socket) => socket.destroy()), createTlsServer()]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await outbound.request({ url, method: "GET", signal })).toMatchObject({ error: { code: "upstream_tls" } });
    await new Promise((resolve) => server.close(resolve));
  }
});

test.each([
  ["what is not HTTP", "SSH-2.0-OpenSSH_9.9\r\n"],
  ["headers beyond the limit", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(40_000)}\r\n\r\n`],
  ["a length that is stated twice", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}"],
  ["a length beside chunks", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n"],
  ["a status below 100", "HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\n{}"],
  ["another protocol", "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n"],
])("reports %s as upstream_invalid_reply without a retry", async (_, bytes) => {
  const server = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(bytes)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await using outbound = createOutbound({ retry: { baseMs: 1 } });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await outbound.request({ url, method: "GET", signal })).toMatchObject({
    error: { code: "upstream_invalid_reply", tries: 1 },
  });
  await outbound.close();
  await new Promise((resolve) => server.close(resolve));
});

test("skips interim responses, requested or not", async () => {
  const answer = "HTTP/1.1 200 OK\r\ncontent-length: 22\r\n\r\nHTTP/1.1 100 Continue!";
  const server = createServer((socket) =>
    socket.on("data", () => {
      socket.write("HTTP/1.1 100 Continue\r\n\r\n");
      setImmediate(() =>
        socket.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${answer}`),
      );
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const body of ["{}", "[]"]) {
    expect(await outbound.request({ url, method: "POST", body, signal })).toMatchObject({
      status: 200,
      body: "HTTP/1.1 100 Continue!",
    });
  }
  await outbound.close();
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  ["reset", resetMidBody],
  ["truncated", truncatedBody],
])("reports a body that is %s as upstream_reset", async (_, behaviour) => {
  expect(await ask(behaviour)).toMatchObject({ error: { code: "upstream_reset", upstream_status: 200 } });
});

test("drops a body over the cap while it arrives", async () => {
  const gigabyte = 1024 ** 3;
  expect(await ask(hugeBody(10 * gigabyte))).toMatchObject({ error: { code: "upstream_reply_too_large" } });
  expect(await ask(gzipBomb(10 * gigabyte))).toMatchObject({ error: { code: "upstream_reply_too_large" } });
});

test("accepts a body of exactly the cap, and not one byte more", async () => {
  expect(await ask(hugeBody(1000), { maxReplyBytes: 1000 })).toMatchObject({ ok: true });
  expect(await ask(hugeBody(1001), { maxReplyBytes: 1000 })).toMatchObject({ ok: false });
  expect(await ask(hugeBody(1001), {}, { maxReplyBytes: 1000 })).toMatchObject({ ok: false });
  const packed = gzipSync(Buffer.alloc(1001, " "));
  expect(await ask(raw(packed, { "content-encoding": "gzip" }), { maxReplyBytes: 1000 })).toMatchObject({ ok: false });
});

const text = '{"greeting":"héllo 😀"}';
test.each([
  ["gzip", gzipSync(text)],
  ["x-gzip", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["br", brotliCompressSync(text)],
  ["identity", Buffer.from(text)],
  ["GZIP", gzipSync(text)],
])("undoes the content encoding %s", async (encoding, bytes) => {
  expect(await ask(raw(bytes, { "content-encoding": encoding }))).toMatchObject({ ok: true, body: text });
});

test("undoes a transfer encoding too", async () => {
  const encoded: Behaviour = ({ response }) => {
    response.writeHead(200, { "transfer-encoding": "gzip, chunked" });
    response.end(gzipSync(text));
  };
  expect(await ask(encoded)).toMatchObject({ ok: true, body: text });
});

test.each([
  ["gzip, gzip", gzipSync(gzipSync(text))],
  ["gzip, gzip, gzip, gzip, gzip, gzip", gzipSync(text)],
  ["zstd", Buffer.from(text)],
  ["rot13", Buffer.from(text)],
  ["gzip", Buffer.from(text)],
  ["gzip", gzipSync(text).subarray(0, 20)],
])("reports a damaged content encoding %s as upstream_invalid_reply", async (encoding, bytes) => {
  expect(await ask(raw(bytes, { "content-encoding": encoding }))).toMatchObject({
    error: { code: "upstream_invalid_reply" },
  });
});

test("keeps an error status with an unreadable body", async () => {
  expect(await ask(raw("x", { "content-encoding": "gzip" }, 403))).toMatchObject({ error: { code: "upstream_auth" } });
  expect(await ask(raw("x", { "content-encoding": "rot13" }, 403))).toMatchObject({ error: { code: "upstream_auth" } });
});

test("passes the declared charset to a custom decoder", async () => {
  const decodeBody: OutboundRequest["decodeBody"] = (bytes, { declared }) => `${bytes.length} bytes, ${declared}`;
  const named = raw(Buffer.from("caf\xe9", "latin1"), { "content-type": "text/html; Charset=ISO-8859-1" });
  expect(await ask(named, {}, { decodeBody })).toMatchObject({ body: "4 bytes, iso-8859-1" });
  expect(await ask(raw("café", { "content-type": "text/html" }), {}, { decodeBody })).toMatchObject({
    body: "5 bytes, undefined",
  });
});

test("decodes other charsets, and an unknown one as UTF-8", async () => {
  const latin = raw(Buffer.from("caf\xe9", "latin1"), { "content-type": "text/html; charset=iso-8859-1" });
  expect(await ask(latin)).toMatchObject({ body: "café" });
  expect(await ask(raw("café", { "content-type": "text/html; charset=nonsense" }))).toMatchObject({ body: "café" });
});

test.each(["iso-8859-1", "us-ascii", "windows-1252"])(
  "UTF-8 that is called %s is read as what it is",
  async (charset) => {
    const text = '{"text":"café 日本語 😀"}';
    expect(await ask(raw(text, { "content-type": `application/json; charset=${charset}` }))).toMatchObject({
      body: text,
    });
  },
);

test("rejects with the reason as soon as the signal aborts", async () => {
  await using provider = await startFakeProvider({ behaviour: hang });
  await using outbound = createOutbound();
  const controller = new AbortController();
  const call = outbound.request({ url: provider.url, method: "POST", body: "{}", signal: controller.signal });
  await expect.poll(() => provider.requests.length).toBe(1);
  controller.abort(new Error("changed my mind"));
  await expect(call).rejects.toThrow("changed my mind");
  await expect(outbound.request({ url: provider.url, method: "GET", signal: controller.signal })).rejects.toThrow(
    "changed my mind",
  );
  expect(provider.requests).toHaveLength(1);
});

test("fails open calls when the client closes", async () => {
  await using provider = await startFakeProvider({ behaviour: hang });
  const outbound = createOutbound();
  const call = outbound.request({ url: provider.url, method: "POST", body: "{}", signal });
  await expect.poll(() => provider.requests.length).toBe(1);
  await outbound.close();
  expect(await call).toMatchObject({ error: { code: "shutting_down", tries: 1 } });
  expect(await outbound.request({ url: provider.url, method: "GET", signal })).toMatchObject({
    error: { code: "shutting_down" },
  });
});

async function readAll(behaviour: Behaviour, options: OutboundOptions = {}) {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 }, ...options });
  const result = await outbound.request({ url: provider.url, method: "POST", body: "{}", signal, acceptStream: true });
  if (!result.ok || result.kind !== "stream") throw new Error("expected a stream");
  const chunks: Uint8Array[] = [];
  for await (const chunk of result.stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("streams every byte", async () => {
  const body = `data: ${"é".repeat(500_000)}\n\n`;
  expect(await readAll(rawStream(body))).toBe(body);
});

test.each([
  ["breaks off", stream("a b", { end: "reset" }), {}, "upstream_reset"],
  ["never ends", stream("a b", { end: "endless" }), { timeouts: { totalMs: 150 } }, "upstream_timeout"],
  ["is too long", rawStream(Buffer.alloc(2000, "a")), { maxReplyBytes: 1000 }, "upstream_reply_too_large"],
] as const)("a stream that %s throws its failure after what came before", async (_, behaviour, options, code) => {
  const error = await readAll(behaviour, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StreamFailure);
  expect(error).toMatchObject({ error: { code, tries: 1, upstream_status: 200 } });
});

test("reuses the connection after a reader stops early", async () => {
  await using provider = await startFakeProvider({ behaviour: stream("one two three") });
  await using outbound = createOutbound();
  for (let call = 0; call < 3; call += 1) {
    const result = await outbound.request({
      url: provider.url,
      method: "POST",
      body: "{}",
      signal,
      acceptStream: true,
    });
    if (!result.ok || result.kind !== "stream") throw new Error("expected a stream");
    for await (const _ of result.stream) break;
  }
  expect(provider.requests).toHaveLength(3);
});
