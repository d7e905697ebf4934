import { once } from "node:events";
import { request, Agent } from "node:http";
import { connect, Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { readSettings } from "../../settings.ts";
import { listen, ListenError, type Listening, type ListenOptions } from "./listen.ts";
import { createLog } from "./log.ts";
import { testShell } from "../../../test/support/test-shell.ts";

const limits = readSettings({}).settings.http;

async function start(app = testShell(), options: Partial<ListenOptions> = {}): Promise<Listening> {
  const log = createLog({ level: "silent" });
  const server = await listen({ app, host: "127.0.0.1", port: 0, limits, log, version: "9.9.9", ...options });
  onTestFinished(() => server.close(0));
  return server;
}

/** One request on a keep-alive connection. */
function get(
  url: string,
  agent: Agent,
): Promise<{ status: number | undefined; connection: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode, connection: response.headers.connection, body }));
    });
    outgoing.on("error", reject).end();
  });
}

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ family }) => family === "IPv6"),
);

// A machine without IPv6 can still listen on `::`, but has no `::1`.
test.each(["127.0.0.1", "0.0.0.0", ...(hasIpv6 ? ["::"] : [])])("finds and reports a free port on %s", async (host) => {
  const { url, port } = await start(testShell(), { host });
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("reports a port in use and a foreign address in one line", async () => {
  const { port } = await start();
  await expect(start(testShell(), { port })).rejects.toBeInstanceOf(ListenError);
  await expect(start(testShell(), { port })).rejects.toThrow(
    new RegExp(`^Cannot listen: port ${port} on 127.0.0.1 is in use: .*$`),
  );
  await expect(start(testShell(), { host: "192.0.2.1" })).rejects.toThrow(
    /^Cannot listen: 192\.0\.2\.1 is not an address of this machine$/,
  );
});

test.each([
  [80, "one above 1023"],
  [8000, "another"],
])("names what to choose instead of the reserved port %i", async (port, instead) => {
  const refuse = vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server) {
    queueMicrotask(() => this.emit("error", Object.assign(new Error("listen EACCES"), { code: "EACCES" })));
    return this;
  });
  onTestFinished(() => refuse.mockRestore());
  await expect(start(testShell(), { port })).rejects.toThrow(
    `Cannot listen: port ${port} may not be used by this user: choose ${instead}`,
  );
});

test("lets a running request finish on close, closes idle connections and accepts no more", async () => {
  const app = testShell();
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  app.on("GET /slow", async (context) => {
    entered.resolve();
    await release.promise;
    return context.text("finished");
  });
  const server = await start(app);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());

  await get(`${server.url}/healthz`, agent);
  const idle = await get(`${server.url}/healthz`, new Agent({ keepAlive: true }));
  expect(idle.connection).toBe("keep-alive");
  const slow = get(`${server.url}/slow`, agent);
  await entered.promise;
  // Longer than a timer allows.
  const closed = server.close(2 ** 31);
  await vi.waitFor(() => expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed"), 60_000);
  release.resolve();
  expect((await slow).body).toBe("finished");
  await closed;
});

test("a stop answers connections that wait to be accepted, and those whose request is still on its way", async () => {
  const server = await start();
  const ask = (socket: Socket) =>
    new Promise<string>((resolve, reject) => {
      let received = "";
      socket.on("data", (data) => (received += String(data)));
      socket.on("error", reject).on("close", () => resolve(received));
    });
  const head = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
  const accepted = connect(server.port, "127.0.0.1");
  await once(accepted, "connect");
  await get(`${server.url}/healthz`, new Agent());
  const waiting = Array.from({ length: 50 }, () => connect(server.port, "127.0.0.1"));
  for (const socket of waiting) socket.write(head);
  const closed = server.close(60_000);
  const answers = [accepted, ...waiting].map(ask);
  await wait(20);
  accepted.write(head);
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/^connection: close\r$/im);
  }
  await closed;
});

test("applies a second, shorter grace", async () => {
  const app = testShell();
  const entered = Promise.withResolvers<void>();
  app.on("GET /forever", () => {
    entered.resolve();
    return new Promise(() => {});
  });
  const server = await start(app);
  const forever = fetch(`${server.url}/forever`).catch(() => "cut");
  await entered.promise;
  const patient = server.close(600_000);
  await server.close(0);
  await patient;
  expect(await forever).toBe("cut");
});

test("cuts requests that do not finish within the grace", async () => {
  const app = testShell();
  const entered = Promise.withResolvers<AbortSignal>();
  app.on("GET /forever", (context) => {
    entered.resolve(context.req.raw.signal);
    return new Promise(() => {});
  });
  const server = await start(app);
  const forever = fetch(`${server.url}/forever`).catch(() => "cut");
  const signal = await entered.promise;
  const aborted = once(signal, "abort");
  await server.close(10);
  expect(await forever).toBe("cut");
  await aborted;
});

test("disconnects a client that does not read, and stops its response", async () => {
  const app = testShell();
  const given = Promise.withResolvers<string>();
  app.on("GET /endless", (context) => {
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(64 * 1024));
    return context.body(new ReadableStream({ pull, cancel: () => given.resolve("given up") }));
  });
  const server = await start(app, { stalledMs: 50 });
  const client = connect(server.port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => void client.destroy());
  client.write("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await given.promise).toBe("given up");
});

test("waits for a slow response", async () => {
  const app = testShell();
  app.on("GET /slow", async (context) => {
    await wait(200);
    return context.text("finished");
  });
  const server = await start(app, { stalledMs: 20 });
  expect(await (await fetch(`${server.url}/slow`)).text()).toBe("finished");
});

test("answers a few pipelined requests in order, and refuses more", async () => {
  const app = testShell();
  let begun = 0;
  app.on("GET /large", (context) => {
    begun += 1;
    return context.text("x".repeat(100_000));
  });
  const { port } = await start(app);
  const ask = async (count: number) => {
    const client = connect(port, "127.0.0.1").on("error", () => {});
    onTestFinished(() => void client.destroy());
    client.write("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(count - 1));
    client.write("GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let text = "";
    client.on("data", (chunk) => (text += String(chunk)));
    await new Promise((resolve) => client.on("close", resolve));
    return text.split("HTTP/1.1 200").length - 1;
  };
  for (let round = 0; round < 5; round += 1) expect(await ask(5)).toBe(5);
  begun = 0;
  await ask(1000);
  expect(begun).toBeLessThanOrEqual(10);
});
