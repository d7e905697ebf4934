import { once } from "node:events";
import { Agent, request, type IncomingMessage, type RequestOptions } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { readSettings } from "../../settings.ts";
import { listen } from "./listen.ts";
import { createLog } from "./log.ts";
import { testShell } from "../../../test/support/test-shell.ts";

const limits = readSettings({}).settings.http;

/** A server that refuses every request, with the number of requests its app saw. */
async function fullServer() {
  const seen: string[] = [];
  const log = createLog({ level: "info", terminal: false, write: (line) => seen.push(line) });
  const overload = { requests: 0, lagMs: 250, rssBytes: 5000, load: () => ({ lagMs: 0, rssBytes: 0, heapShare: 0 }) };
  let refused = 0;
  const app = testShell({ log, overload, onRefusal: () => (refused += 1) });
  const server = await listen({ app, host: "127.0.0.1", port: 0, limits, log, version: "9.9.9" });
  onTestFinished(() => server.close(0));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());

  async function ask(path: string, { body, ...options }: RequestOptions & { body?: string } = {}) {
    const outgoing = request(`${server.url}${path}`, { agent, ...options }).end(body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer), answer };
  }
  // The app handles the first request, and with it checks the host.
  await ask("/quick");
  return { ask, app, port: server.port, seen: () => seen.length, refused: () => refused };
}

/** Headers that differ by connection. */
const own = new Set(["connection", "keep-alive", "date", "content-length", "transfer-encoding"]);
const shared = (headers: Iterable<readonly [string, unknown]>) =>
  Object.fromEntries([...headers].filter(([name]) => !own.has(name)));

test.each(["/quick", "/quick?a=b", "/v1/chat/completions", "/v1/models?limit=1"])(
  "refuses %s with the app's own response, and without the app",
  async (path) => {
    const { ask, app, seen, refused } = await fullServer();
    const before = { seen: seen(), refused: refused() };
    const headers = { "x-request-id": "r1", "content-type": "application/json" };
    const { status, text: body, headers: sent } = await ask(path, { method: "POST", headers, body: "{}" });
    expect([seen(), refused()]).toEqual([before.seen, before.refused + 1]);

    const byApp = await app.request(path, { method: "POST", headers, body: "{}" });
    expect([status, body]).toEqual([byApp.status, await byApp.text()]);
    expect(shared(Object.entries(sent))).toEqual(shared(byApp.headers));
    expect(sent).toMatchObject({ "retry-after": "2", "x-request-id": "r1", "content-length": String(body.length) });
  },
);

test("says that the process is alive with the app's own answer and log line, and without the app", async () => {
  const { ask, app, seen } = await fullServer();
  const before = seen();
  const headers = { "x-request-id": "r1" };
  const early = await ask("/healthz", { headers });
  expect(seen()).toBe(before + 1);
  const byApp = await app.request("/healthz", { headers });
  expect([early.status, early.text]).toEqual([byApp.status, await byApp.text()]);
  expect(shared(Object.entries(early.headers))).toEqual(shared(byApp.headers));
  expect((await ask("/healthz", { method: "HEAD" })).text).toBe("");
  expect((await ask("/healthz", { headers: { host: "evil.example" } })).status).toBe(421);
  expect((await ask("/healthz", { method: "POST" })).status).toBe(503);
});

test("leaves exempt requests and other refusals to the app", async () => {
  const { ask } = await fullServer();
  const statusOf = async (path: string, options: RequestOptions = {}) => (await ask(path, options)).status;
  expect(await statusOf("/healthz")).toBe(200);
  expect(await statusOf("/readyz?full=1")).toBe(200);
  expect(await statusOf("/docs/../healthz")).toBe(200);
  expect(await statusOf("/quick", { headers: { host: "evil.example" } })).toBe(421);
  expect(await statusOf("/quick", { headers: { origin: "http://evil.example" } })).toBe(403);
  expect(await statusOf("/quick", { method: "POST", headers: { "sec-fetch-site": "cross-site" } })).toBe(403);
  expect(await statusOf("/quick", { headers: { "x-api-key": ["a", "b"] } })).toBe(400);
  const head = await ask("/quick", { method: "HEAD" });
  expect([head.status, head.text]).toEqual([503, ""]);
});

test("drops a body unread and keeps its connection", async () => {
  const { ask } = await fullServer();
  const body = "x".repeat(1_000_000);
  const first = await ask("/quick", { method: "POST", body });
  const second = await ask("/quick", { method: "POST", body });
  expect([first.status, second.status]).toEqual([503, 503]);
  expect(second.answer.socket).toBe(first.answer.socket);
});

test.each([
  ["announced", "content-length: 1000000000000\r\n\r\n"],
  ["in pieces", "transfer-encoding: chunked\r\n\r\n"],
])("responds to an endless sender and then disconnects it: %s", async (_name, head) => {
  const { port } = await fullServer();
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  let answer = "";
  socket.on("data", (chunk) => (answer += String(chunk)));
  const closed = once(socket, "close");
  socket.write(`POST /quick HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${head}`);
  const timer = setInterval(() => socket.write(`3e8\r\n${"x".repeat(1000)}\r\n`), 5);
  await closed;
  clearInterval(timer);
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
});
