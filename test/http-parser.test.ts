import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Problem } from "../src/contract/errors/problem.ts";
import { listen, type Listening } from "../src/services/http/listen.ts";
import { createLog } from "../src/services/http/log.ts";
import { readJson } from "../src/services/http/body/read-json.ts";
import { testShell } from "./support/test-shell.ts";
import { readSettings } from "../src/settings.ts";

const bodyLimit = 64 * 1024;
const log = createLog({ level: "silent" });
const defaults = readSettings({}).settings.http;

let server: Listening;
/** The same app with time limits short enough to wait for. */
let hasty: Listening;
let posts = 0;

function createApp() {
  const app = testShell();
  app.on("POST /", async (context) => {
    const body = await readJson(context, { bytes: bodyLimit, depth: 32, keys: 1000 });
    posts += 1;
    return context.json({ body });
  });
  return app;
}

beforeAll(async () => {
  const options = { host: "127.0.0.1", port: 0, log, version: "9.9.9" };
  server = await listen({ ...options, app: createApp(), limits: defaults });
  const limits = { ...defaults, headersTimeoutMs: 150, requestTimeoutMs: 300 };
  hasty = await listen({ ...options, app: createApp(), limits, checkIntervalMs: 25 });
});

afterAll(async () => {
  await Promise.all([server.close(0), hasty.close(0)]);
});

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends bytes as they are and reads until the server closes the connection. */
function exchange(to: Listening, ...parts: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket: Socket = connect(to.port, "127.0.0.1");
    socket.on("data", (chunk) => chunks.push(chunk));
    // A reset after the answer is fine: what was received before it counts.
    socket.on("error", () => {});
    socket.on("close", () => resolve(parseAnswer(Buffer.concat(chunks).toString("utf8"))));
    for (const part of parts) socket.write(part);
  });
}

function parseAnswer(text: string): RawAnswer {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body: rest.join("\r\n\r\n") };
}

/** A refusal is a problem of the contract, with our headers, on a connection that is then closed. */
function refusal(answer: RawAnswer) {
  const problem = Problem.safeParse(JSON.parse(answer.body)).data;
  return {
    status: answer.status,
    code: problem?.code,
    complete:
      problem?.request_id === /x-request-id: (\S+)/.exec(answer.head)?.[1] &&
      ["content-type: application/problem+json", "connection: close", "rehearsal-version: 9.9.9"].every((header) =>
        answer.head.includes(header),
      ),
  };
}

const headers = (count: number) => Array.from({ length: count }, (_, index) => `h${index}: v\r\n`).join("");
const get = (more: string, target = "/healthz") =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${more}Connection: close\r\n\r\n`;
const post = (more: string, body = "") =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n${body}`;
const closing = (more: string) => `Connection: close\r\n${more}`;

describe("what is refused", () => {
  test.each<[string, string, number, string]>([
    ["a NUL in a header", get("x: a\0b\r\n"), 400, "header_invalid"],
    ["a lone CR in a header", get("x: a\rb\r\n"), 400, "header_invalid"],
    ["a lone LF between headers", "GET / HTTP/1.1\nHost: localhost\n\n", 400, "header_invalid"],
    ["a header name with a space", get("x y: a\r\n"), 400, "header_invalid"],
    ["a folded header", get("x: a\r\n b\r\n"), 400, "header_invalid"],
    [
      "Content-Length beside Transfer-Encoding",
      post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      400,
      "header_invalid",
    ],
    ["two Content-Lengths", post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 400, "header_invalid"],
    ["a Content-Length list", post("Content-Length: 2, 2\r\n", "{}"), 400, "header_invalid"],
    ["a negative Content-Length", post("Content-Length: -1\r\n", "{}"), 400, "header_invalid"],
    ["an unknown Transfer-Encoding", post("Transfer-Encoding: gzip\r\n", "{}"), 400, "header_invalid"],
    ["a chunk size that is none", post("Transfer-Encoding: chunked\r\n", "xyz\r\n"), 400, "header_invalid"],
    ["an unknown method", "FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "header_invalid"],
    ["TLS on a plain port", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "header_invalid"],
    ["another protocol", "HELO there\r\n\r\n", 400, "header_invalid"],
    ["an unknown expectation", get("Expect: magic\r\n"), 400, "header_invalid"],
    ["CONNECT", "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "method_not_allowed"],
    ["a 20 KB header", get(`x: ${"a".repeat(20_000)}\r\n`), 431, "headers_too_large"],
    ["3,000 headers", get(headers(3000)), 431, "headers_too_large"],
    ["150 short headers", get(headers(150)), 431, "headers_too_large"],
    ["a 20 KB address", get("", `/${"a".repeat(20_000)}`), 414, "uri_too_long"],
    ["no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "header_invalid"],
    [
      "a Host that is no host",
      "GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
      400,
      "header_invalid",
    ],
    ["two Hosts", get("Host: localhost\r\n"), 400, "header_invalid"],
    ["two Origins", get("Origin: http://localhost\r\nOrigin: http://localhost\r\n"), 400, "header_invalid"],
    ["two x-model-id", get("x-model-id: a/b\r\nX-Model-Id: c/d\r\n"), 400, "model_id_invalid"],
    ["two Idempotency-Keys", get("Idempotency-Key: a\r\nidempotency-key: a\r\n"), 400, "idempotency_key_invalid"],
    ["two Authorizations", get("Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"), 400, "header_invalid"],
    [
      "two Content-Types",
      post(closing("Content-Type: text/plain\r\nContent-Length: 2\r\n"), "{}"),
      400,
      "header_invalid",
    ],
    [
      "a foreign Host",
      "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
      421,
      "host_not_allowed",
    ],
    ["an absolute address elsewhere", get("", "http://evil.example/healthz"), 421, "host_not_allowed"],
    ["TRACE", "TRACE /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405, "method_not_allowed"],
    ["a 9 KB address", get("", `/${"a".repeat(9000)}`), 414, "uri_too_long"],
  ])("%s", async (_name, text, status, code) => {
    expect(refusal(await exchange(server, Buffer.from(text, "latin1")))).toEqual({ status, code, complete: true });
  });

  test("bytes that are not UTF-8", async () => {
    const answer = await exchange(server, post(closing("Content-Length: 3\r\n")), new Uint8Array([0x22, 0xff, 0x22]));
    expect(refusal(answer)).toEqual({ status: 400, code: "encoding_invalid", complete: true });
  });

  test("a body that is declared too large", async () => {
    const body = JSON.stringify("x".repeat(bodyLimit));
    expect(refusal(await exchange(server, post(`Content-Length: ${body.length}\r\n`, body)))).toEqual({
      status: 413,
      code: "body_too_large",
      complete: true,
    });
  });

  test("a chunked body that goes on and on", async () => {
    const chunk = `${(32 * 1024).toString(16)}\r\n${"x".repeat(32 * 1024)}\r\n`;
    expect(refusal(await exchange(server, post("Transfer-Encoding: chunked\r\n"), chunk, chunk, chunk))).toEqual({
      status: 413,
      code: "body_too_large",
      complete: true,
    });
  });
});

test("garbage after an answered request is refused on the same connection", async () => {
  const { port } = server;
  const text = await new Promise<string>((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (chunk) => {
      if (received === "") socket.write("garbage\r\n\r\n");
      received += String(chunk);
    });
    socket.on("close", () => resolve(received));
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  });
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
});

describe("what is slow or goes away", () => {
  test("headers that do not arrive in time", async () => {
    expect(refusal(await exchange(hasty, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nx: "))).toEqual({
      status: 408,
      code: "request_timeout",
      complete: true,
    });
  });

  test("a body that does not arrive in time", async () => {
    const before = posts;
    expect(refusal(await exchange(hasty, post("Content-Length: 100\r\n", '{"a":')))).toEqual({
      status: 408,
      code: "request_timeout",
      complete: true,
    });
    expect(posts).toBe(before);
  });

  test("a client that leaves inside its body runs nothing and affects no other client", async () => {
    const before = posts;
    const socket = connect(server.port, "127.0.0.1");
    socket.end(post("Content-Length: 100\r\n", '{"a":'));
    await new Promise((resolve) => socket.resume().on("close", resolve));
    expect(posts).toBe(before);
    expect((await exchange(server, get(""))).status).toBe(200);
  });
});

describe("what is fine", () => {
  test("a chunked body, an absolute address of our own, HEAD, and a connection used twice", async () => {
    const chunked = post(closing("Transfer-Encoding: chunked\r\n"), '2\r\n{"\r\n5\r\na":1}\r\n0\r\n\r\n');
    expect(JSON.parse((await exchange(server, chunked)).body)).toEqual({ body: { a: 1 } });
    expect((await exchange(server, get("", `http://127.0.0.1:${server.port}/healthz`))).status).toBe(200);

    const head = await exchange(server, "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect([head.status, head.body]).toEqual([200, ""]);

    const twice = await exchange(server, `GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n${get("")}`);
    expect(twice.body.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  });
});
