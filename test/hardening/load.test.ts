import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { Problem } from "../../src/contract/problem.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after } from "../support/fake-provider/behaviour.ts";
import { hang } from "../support/fake-provider/connection-faults.ts";
import { text } from "../support/fake-provider/replies.ts";
import { send, type Answer } from "../support/http.ts";
import { report } from "./support/figures.ts";
import { startServe } from "./support/serve-process.ts";

/** HARDENING_LOAD=full runs the whole size; what runs on every change is the same in small. */
const full = process.env["HARDENING_LOAD"] === "full";
const size = full
  ? { requests: 4000, connections: 1000, slowClients: 1500, stops: 100, disconnects: 1000 }
  : { requests: 400, connections: 100, slowClients: 300, stops: 2, disconnects: 100 };
const patience = full ? 1_800_000 : 60_000;

const request = (endpoint: string, turns = 1) => ({
  test_batch: {
    id: "s",
    interactions: Array.from({ length: turns }, (_, index) => ({ id: String(index), user_message: "Hi" })),
  },
  endpoint,
  model_id: "m",
});
/** "overloaded true" when it is the planned refusal, with the time to come back. */
const refusalOf = ({ body, headers }: Answer) => `${Problem.parse(body).code} ${headers.has("retry-after")}`;
const percentile = (values: readonly number[], share: number) =>
  Math.round(
    values.toSorted((left, right) => left - right)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0,
  );

async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; ms: number }> {
  const started = performance.now();
  const value = await work();
  return { value, ms: performance.now() - started };
}

test(
  "ten times more than it can do: everything is answered, and what was accepted is kept",
  { timeout: patience },
  async () => {
    await using provider = await startFakeProvider({ behaviour: after(20, text("Yes")) });
    await using serve = await startServe({
      LOG_LEVEL: "silent",
      REHEARSAL_HTTP_MAX_REQUESTS: "20",
      REHEARSAL_CONCURRENCY_PER_ORIGIN: "10",
    });
    const queue = Array.from({ length: size.requests }, (_, index) => index).values();
    const results: { outcome: string; ms: number; run: string | undefined }[] = [];
    await Promise.all(
      Array.from({ length: size.connections }, async () => {
        for (const _ of queue) {
          const { value, ms } = await timed(() =>
            send(`${serve.evaluation}/evaluate`, { body: request(provider.url) }).catch(() => null),
          );
          const run = value?.status === 200 ? (value.body as { run_id: string }).run_id : undefined;
          const outcome = run ? "answered" : value ? refusalOf(value) : "no answer";
          results.push({ outcome, ms, run });
        }
      }),
    );
    const accepted = results.filter(({ outcome }) => outcome === "answered");
    const refused = results.filter(({ outcome }) => outcome === "overloaded true");
    report("overload", {
      requests: results.length,
      "at once": size.connections,
      answered: accepted.length,
      "refused with 503": refused.length,
      "refusals p99, ms": percentile(
        refused.map(({ ms }) => ms),
        0.99,
      ),
      "connection errors": results.filter(({ outcome }) => outcome === "no answer").length,
    });
    expect(accepted.length + refused.length).toBe(size.requests);
    expect(accepted.length).toBeGreaterThan(0);
    for (const { run } of accepted.slice(0, 50)) {
      expect(((await send(`${serve.evaluation}/runs/${run}`)).body as { state: string }).state).toBe("completed");
    }
  },
);

test("clients that send slowly do not keep others waiting, and are dropped", { timeout: patience }, async () => {
  await using serve = await startServe({
    LOG_LEVEL: "silent",
    REHEARSAL_HTTP_HEADERS_TIMEOUT_MS: "1500",
    REHEARSAL_HTTP_REQUEST_TIMEOUT_MS: "2500",
  });
  const { port } = new URL(serve.evaluation);
  const closed: Promise<unknown>[] = [];
  const sockets: Socket[] = [];
  for (let index = 0; index < size.slowClients; index += 1) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    closed.push(once(socket.resume(), "close"));
    await once(socket, "connect");
    socket.write(
      index % 2 === 0
        ? "GET /healthz HTTP/1.1\r\nHost: localhost\r\nx: "
        : "POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
    );
    sockets.push(socket);
  }
  const good: number[] = [];
  for (let index = 0; index < 50; index += 1) {
    const { value, ms } = await timed(() => send(`${serve.evaluation}/healthz`));
    expect(value.status).toBe(200);
    good.push(ms);
  }
  await Promise.all(closed);
  report("slow clients", {
    clients: sockets.length,
    dropped: sockets.filter(({ destroyed }) => destroyed).length,
    "good client p99, ms": percentile(good, 0.99),
  });
  expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
});

test("SIGTERM under load cuts no request that was taken on", { timeout: patience }, async () => {
  // As many as are carried out at once: those that wait in line are another matter.
  const clients = 12;
  let resets = 0;
  let answered = 0;
  for (let stop = 0; stop < size.stops; stop += 1) {
    const arrived = Promise.withResolvers<void>();
    await using provider = await startFakeProvider({
      behaviour: (call) => {
        if (provider.requests.length >= clients) arrived.resolve();
        return after(300, text("Yes"))(call);
      },
    });
    await using serve = await startServe({ LOG_LEVEL: "silent" });
    const running = Array.from({ length: clients }, () =>
      send(`${serve.evaluation}/evaluate`, { body: request(provider.url) }),
    );
    const outcomes = Promise.allSettled(running);
    await arrived.promise;
    serve.child.kill("SIGTERM");
    for (const outcome of await outcomes) {
      if (outcome.status === "fulfilled" && outcome.value.status === 200) answered += 1;
      else if (outcome.status === "rejected") resets += 1;
    }
    expect(await serve.ended).toBe(0);
  }
  report("SIGTERM under load", { stops: size.stops, answered, resets });
  expect([answered, resets]).toEqual([clients * size.stops, 0]);
});

describe("clients that go away", () => {
  test("end the model calls made for them, and leave nothing behind", { timeout: patience }, async () => {
    let open = 0;
    let started = 0;
    await using provider = await startFakeProvider({
      behaviour: (call) => {
        open += 1;
        started += 1;
        call.response.once("close", () => (open -= 1));
        return hang(call);
      },
    });
    await using serve = await startServe({ LOG_LEVEL: "silent", HUB_BASE_URL: provider.url, REHEARSAL_DEMO: "off" });
    const clients = Array.from({ length: size.disconnects }, async () => {
      const leave = new AbortController();
      const asked = fetch(serve.agent, {
        method: "POST",
        headers: { "content-type": "application/json", "x-model-id": "hub/m" },
        body: JSON.stringify({ messages: [{ type: "human", content: "Hi" }] }),
        signal: leave.signal,
      }).catch(() => null);
      return { leave: () => leave.abort(), asked };
    });
    const asking = await Promise.all(clients);
    // The others may be waiting for their turn: they leave as well.
    while (started < 8) await new Promise((resolve) => setTimeout(resolve, 10));
    const { ms } = await timed(async () => {
      for (const { leave } of asking) leave();
      await Promise.all(asking.map(({ asked }) => asked));
      while (open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    });
    report("disconnect storm", {
      clients: size.disconnects,
      "calls left open": open,
      "until all were closed, ms": Math.round(ms),
    });
    expect((await send(`${serve.agent}/healthz`)).status).toBe(200);
  });
});
