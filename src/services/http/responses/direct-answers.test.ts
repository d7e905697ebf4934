import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testShell } from "../../../../test/support/test-shell.ts";
import { readSettings } from "../../../settings.ts";
import { answerJson } from "./answer-json.ts";
import { answerEvents, streamEvents, type ServerEvent } from "./event-stream.ts";
import { EventWriter } from "./event-writer.ts";
import { listen } from "../listen.ts";
import { createLog } from "../log.ts";
import { readBody } from "../body/read-body.ts";
import { incomingOf } from "../environment/shell-environment.ts";

const log = createLog({ level: "silent" });

type App = ReturnType<typeof testShell>;

async function serve(app: App): Promise<string> {
  const limits = readSettings({}).settings.http;
  const server = await listen({ app, host: "127.0.0.1", port: 0, limits, log, version: "9.9.9" });
  onTestFinished(() => server.close(0));
  return server.url;
}

/** The responses of a real server, and of the app without one. */
async function bothWays(app: App, path: string, init: RequestInit = {}): Promise<[Response, Response]> {
  return [await fetch(`${await serve(app)}${path}`, init), await app.request(path, init)];
}

/** All headers except those of the connection. */
function headersOf(response: Response): Record<string, string> {
  const own = new Set(["connection", "keep-alive", "date", "content-length", "transfer-encoding"]);
  return Object.fromEntries([...response.headers].filter(([name]) => !own.has(name)));
}

test("writes the same JSON response directly as through the app", async () => {
  const app = testShell({ allowedOrigins: () => ["http://page.example"] });
  app.on("GET /json", (context) => answerJson(context, { text: "grüße" }, { "x-run-id": "7" }));
  const headers = { "x-request-id": "r1", origin: "http://page.example" };
  const [direct, plain] = await bothWays(app, "/json", { headers });
  expect(headersOf(direct)).toEqual(headersOf(plain));
  expect(direct.headers.get("content-length")).toBe("18");
  expect(headersOf(direct)).toMatchObject({
    "x-run-id": "7",
    "x-request-id": "r1",
    "rehearsal-version": "9.9.9",
    "cache-control": "no-store",
    "access-control-allow-origin": "http://page.example",
  });
  expect(await direct.json()).toEqual(await plain.json());
});

test("writes the same events directly as through the app", async () => {
  const app = testShell();
  app.on("GET /events", (context) => {
    const events = new EventWriter();
    events.send({ a: 1 }, "one");
    queueMicrotask(() => {
      events.send(2);
      events.end();
    });
    return answerEvents(context, events, { "x-run-id": "7" });
  });
  const [direct, plain] = await bothWays(app, "/events", { headers: { "x-request-id": "r1" } });
  expect(headersOf(direct)).toEqual(headersOf(plain));
  expect(direct.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(await direct.text()).toBe('event: one\ndata: {"a":1}\n\ndata: 2\n\n');
  expect(await plain.text()).toBe('event: one\ndata: {"a":1}\n\ndata: 2\n\n');
});

test("ends HEAD on an event route at once, and leaves nothing running", async () => {
  const app = testShell();
  const stopped = Promise.withResolvers<string>();
  async function* endless(): AsyncGenerator<ServerEvent> {
    for (;;) yield { event: "tick", data: null };
  }
  app.on("GET /events", (context) => streamEvents(context, endless(), { log, stop: () => stopped.resolve("stopped") }));
  const answer = await fetch(`${await serve(app)}/events`, { method: "HEAD" });
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  expect(await stopped.promise).toBe("stopped");
});

test("stops the events when the client disconnects", async () => {
  const app = testShell();
  const stopped = Promise.withResolvers<string>();
  async function* endless(): AsyncGenerator<ServerEvent> {
    for (;;) yield { event: "tick", data: "x".repeat(1000) };
  }
  app.on("GET /events", (context) => streamEvents(context, endless(), { log, stop: () => stopped.resolve("stopped") }));
  const leave = new AbortController();
  const answer = await fetch(`${await serve(app)}/events`, { signal: leave.signal });
  await answer.body?.getReader().read();
  leave.abort();
  expect(await stopped.promise).toBe("stopped");
});

test("stops the events when the client disconnected before they began", async () => {
  const app = testShell();
  const [came, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  async function* endless(): AsyncGenerator<ServerEvent> {
    for (;;) yield { event: "tick", data: null };
  }
  app.on("GET /events", async (context) => {
    came.resolve();
    await once(context.env.outgoing!, "close");
    return streamEvents(context, endless(), { log, stop: () => stopped.resolve("stopped") });
  });
  const client = new AbortController();
  const answer = fetch(`${await serve(app)}/events`, { signal: client.signal });
  await came.promise;
  client.abort();
  await expect(answer).rejects.toThrow("aborted");
  expect(await stopped.promise).toBe("stopped");
});

test("cuts the connection when events fail, and logs the reason once", async () => {
  const app = testShell();
  const lines: string[] = [];
  const told = createLog({ level: "info", write: (line) => void lines.push(line) });
  async function* failing(): AsyncGenerator<ServerEvent> {
    yield { event: "one", data: 1 };
    throw new Error("secret reason");
  }
  app.on("GET /events", (context) => streamEvents(context, failing(), { log: told }));
  const answer = await fetch(`${await serve(app)}/events`);
  await expect(answer.text()).rejects.toThrow(/terminated/);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      msg: "event stream failed",
      err: { message: "secret reason" },
      request_id: answer.headers.get("x-request-id"),
    },
  ]);
});

test("reads a body whose client disconnected after sending all of it, and no partial body", async () => {
  const app = testShell();
  const read: (string | null)[] = [];
  let told = () => {};
  app.on("POST /body", async (context) => {
    const body = await readBody(context, 100).catch(() => null);
    read.push(body && Buffer.from(body).toString());
    told();
    return context.body(null, 204);
  });
  const { port } = new URL(await serve(app));
  for (const [sent, expected] of [
    ["12345", "12345"],
    ["123", null],
  ] as const) {
    const heard = new Promise<void>((resolve) => (told = resolve));
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(`POST /body HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n${sent}`, () => socket.destroy());
    await heard;
    expect(read.at(-1)).toBe(expected);
  }
});

test("keeps no listener that holds the body after it was read", async () => {
  const app = testShell();
  const listening: number[] = [];
  app.on("POST /body", async (context) => {
    const incoming = incomingOf(context)!;
    const before = incoming.listenerCount("data");
    const reading = readBody(context, 100);
    listening.push(incoming.listenerCount("data") - before);
    await reading;
    listening.push(incoming.listenerCount("data") - before);
    return context.body(null, 204);
  });
  const answer = await fetch(`${await serve(app)}/body`, { method: "POST", body: "12345" });
  expect([answer.status, listening]).toEqual([204, [1, 0]]);
});
