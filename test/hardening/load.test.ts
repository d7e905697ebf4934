import { Agent, createServer, request } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Problem } from "../../src/contract/errors/problem.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after, type RecordedRequest } from "../support/fake-provider/behaviour.ts";
import { hang } from "../support/fake-provider/connection-faults.ts";
import { text } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { patienceMs, sized, sizes } from "../support/sizes.ts";
import { report } from "./support/figures.ts";
import { createLoadClient, evaluationOf, percentile, timed, type LoadAnswer, type LoadClient } from "./support/load.ts";
import { startServe } from "./support/serve-process.ts";
import { deepTest } from "../support/deep-test.ts";

const size = sizes.load;

describe("ten times the capacity", () => {
  const atOnce = 20;

  /** Responses per second with exactly as many clients as are served at the same time. */
  async function measureCapacity(client: LoadClient, body: string): Promise<number> {
    const queue = Array.from({ length: atOnce * 15 }).values();
    const { ms } = await timed(() =>
      Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (const _ of queue) await client.post("/evaluate", body);
        }),
      ),
    );
    return (atOnce * 15) / (ms / 1000);
  }

  /** Sends at a steady rate, whether or not the responses keep up. */
  async function askAtRate(
    client: LoadClient,
    body: string,
    { perSecond, seconds }: { perSecond: number; seconds: number },
  ): Promise<(LoadAnswer | null)[]> {
    const asked: Promise<LoadAnswer | null>[] = [];
    const started = performance.now();
    for (let now = 0; now < seconds; now = (performance.now() - started) / 1000) {
      while (asked.length < now * perSecond) asked.push(client.post("/evaluate", body));
      await wait(5);
    }
    return Promise.all(asked);
  }

  test(
    "refuses requests over the limit with 503, and answers and stores the accepted ones",
    { timeout: patienceMs },
    async () => {
      await using provider = await startFakeProvider({ behaviour: after(20, text("Yes")) });
      await using serve = await startServe(
        { LOG_LEVEL: "silent", REHEARSAL_CONCURRENCY_PER_ORIGIN: String(atOnce) },
        { limits: { http_max_requests: atOnce } },
      );
      await using client = createLoadClient(serve.evaluation, { connections: size.connections });
      const body = JSON.stringify(evaluationOf(provider.url));
      // Newly loaded code is slow to answer and to refuse, which would distort the ratio of the two.
      if (size.warmUpSeconds > 0) {
        const cold = await measureCapacity(client, body);
        await askAtRate(client, body, { perSecond: cold * 10, seconds: size.warmUpSeconds });
        await measureCapacity(client, body);
      }
      const capacity = await measureCapacity(client, body);
      const { value: results, ms } = await timed(() =>
        askAtRate(client, body, { perSecond: capacity * 10, seconds: size.seconds }),
      );

      const accepted = results.flatMap((answer) => (answer?.status === 200 ? [String(answer.body["run_id"])] : []));
      const refused = results.filter((answer) => answer !== null && isPlannedRefusal(answer));
      const goodput = accepted.length / (ms / 1000);
      report(sized("overload"), {
        requests: results.length,
        connections: size.connections,
        "capacity, per s": Math.round(capacity),
        answered: accepted.length,
        "refused with 503": refused.length,
        "refusals p99, ms": percentile(
          refused.map((answer) => answer?.ms ?? 0),
          0.99,
        ),
        "goodput of capacity": `${Math.round((100 * goodput) / capacity)} %`,
        "without an answer": results.filter((answer) => answer === null).length,
      });
      expect(results.length - accepted.length - refused.length).toBe(0);
      expect(accepted.length).toBeGreaterThan(0);
      expect(await completedOf(serve.evaluation, accepted)).toBe(accepted.length);
    },
  );

  /** `overloaded` with a `Retry-After`. */
  function isPlannedRefusal({ status, retryAfter, body }: LoadAnswer): boolean {
    return status === 503 && retryAfter && Problem.parse(body).code === "overloaded";
  }

  /** The number of these runs that are stored as completed. */
  async function completedOf(evaluation: string, ids: readonly string[]): Promise<number> {
    const stored = new Set<string>();
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const list = (await send(`${evaluation}/runs?limit=200&state=completed${page}`)).body as {
        runs: { run_id: string }[];
        next_cursor: string | null;
      };
      for (const { run_id } of list.runs) stored.add(run_id);
      cursor = list.next_cursor;
    }
    return ids.filter((id) => stored.has(id)).length;
  }
});

deepTest("refuses new work while the process lags, stays healthy, and recovers", { timeout: patienceMs }, async () => {
  await using provider = await startFakeProvider();
  await using serve = await startServe({ LOG_LEVEL: "silent" }, { limits: { shed_event_loop_lag_ms: 100 } });
  const refused = "503 overloaded";
  const ask = async () => {
    const { status, body } = await send(`${serve.evaluation}/evaluate`, { body: evaluationOf(provider.url) });
    return status === 200 ? "200" : `${status} ${Problem.parse(body).code}`;
  };
  const untilTaken = async () => {
    while ((await ask()) !== "200") await wait(50);
  };
  await untilTaken();
  // Stopped most of the time, as on an overloaded machine.
  const answers = new Map<string, number>();
  const health = new Set<number>();
  for (const started = performance.now(); performance.now() - started < size.lateMs || !answers.has(refused);) {
    serve.child.kill("SIGSTOP");
    await wait(500);
    serve.child.kill("SIGCONT");
    const answer = await ask();
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    health.add((await send(`${serve.evaluation}/healthz`)).status);
  }
  const { ms } = await timed(untilTaken);
  report(sized("event-loop lag"), {
    answers: [...answers].map(([answer, times]) => `${answer}×${times}`).join(" "),
    "until it takes work again, ms": Math.round(ms),
  });
  expect([...answers.keys()].filter((answer) => answer !== "200")).toEqual([refused]);
  expect([...health]).toEqual([200]);
});

describe("more bodies at once than fit into memory", () => {
  /** English with one CJK character: V8 then stores every character in two bytes. */
  const long = `${"word ".repeat(size.largeBodyBytes / 5)}漢`;
  const scenario = { id: "s", interactions: [{ id: "1", user_message: long }] };
  const requestsTo = (endpoint: string) => {
    const evaluation = { ...evaluationOf(endpoint), test_batch: scenario };
    return [
      {
        path: "/",
        headers: { "x-model-id": "hub/m" },
        body: { messages: [{ type: "human", content: long }] },
      },
      { path: "/v1/chat/completions", body: { model: "hub/m", messages: [{ role: "user", content: long }] } },
      { path: "/evaluate", body: evaluation },
      { path: "/evaluate", headers: { prefer: "respond-async" }, body: evaluation },
      { path: "/scenarios/import", body: { text: JSON.stringify([scenario]), format: "auto", dry_run: true } },
    ];
  };

  /** A slow provider that discards what it is sent. */
  async function startForgetfulProvider(): Promise<AsyncDisposable & { url: string }> {
    const reply = text("Yes");
    const server = createServer((incoming, response) => {
      const request = { body: null } as RecordedRequest;
      incoming.resume().on("end", () => after(500, reply)({ request, response }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  test("refuses the rest, survives, and completes what it accepted", { timeout: patienceMs }, async () => {
    await using provider = await startForgetfulProvider();
    await using serve = await startServe(
      { LOG_LEVEL: "silent", HUB_BASE_URL: provider.url },
      { nodeOptions: [`--max-old-space-size=${size.heapMegabytes}`] },
    );
    let peak = 0;
    const watch = setInterval(async () => (peak = Math.max(peak, await serve.memory().catch(() => 0))), 50);
    let answered = 0;
    const refusals: number[] = [];
    const others: (number | undefined)[] = [];
    for (const { path, headers, body } of requestsTo(provider.url)) {
      const base = path === "/" || path.startsWith("/v1/") ? serve.agent : serve.evaluation;
      await using client = createLoadClient(base, { connections: size.largeBodies });
      const bytes = Buffer.from(JSON.stringify(body));
      const post = () => client.post(path, bytes, headers);
      // Work of the previous route may still hold all the memory.
      while ((await post())?.status === 503) await wait(100);
      const all = await Promise.all(Array.from({ length: size.largeBodies }, post));
      const accepted = all.filter((answer) => answer?.status === 200 || answer?.status === 202);
      answered += accepted.length;
      for (const answer of all) {
        if (answer?.status === 503 && answer.retryAfter) refusals.push(answer.ms);
        else if (answer === null || !accepted.includes(answer)) others.push(answer?.status);
      }
    }
    clearInterval(watch);
    report(sized("bodies beyond memory"), {
      requests: answered + refusals.length + others.length,
      "MB each": size.largeBodyBytes / 1e6,
      "heap, MB": size.heapMegabytes,
      answered,
      "refused with 503": refusals.length,
      "refusals p99, ms": percentile(refusals, 0.99),
      "peak RSS, MB": Math.round(peak / 1e6),
    });
    expect(others).toEqual([]);
    const unfinished = async (state: string) =>
      (await send(`${serve.evaluation}/runs?state=${state}`)).body as { runs?: unknown[] };
    const isBusy = async () =>
      (await unfinished("running")).runs?.length !== 0 || (await unfinished("queued")).runs?.length !== 0;
    while (await isBusy()) await wait(100);
    expect((await send(`${serve.agent}/healthz`)).status).toBe(200);
  });
});

deepTest("returns to its earlier memory after imports of large YAML files", { timeout: patienceMs }, async () => {
  await using serve = await startServe({ LOG_LEVEL: "silent" });
  const yaml = yamlScenarios(size.yamlBytes);
  const importYaml = () =>
    send(`${serve.evaluation}/scenarios/import`, {
      body: { text: yaml, name: "large.yaml", format: "auto", dry_run: true },
    });
  const before = await serve.memory();
  let peak = before;
  for (let round = 0; round < 3; round += 1) {
    expect((await importYaml()).status).toBe(200);
    peak = Math.max(peak, await serve.memory());
  }
  // V8 returns the pages of an ended thread some seconds later.
  const { ms } = await timed(async () => {
    while ((await serve.memory()) > before + 128 * 2 ** 20) await wait(250);
  });
  report(sized("large YAML imports"), {
    "MB each": size.yamlBytes / 1e6,
    "memory before, MB": Math.round(before / 1e6),
    "peak, MB": Math.round(peak / 1e6),
    "until it was returned, ms": Math.round(ms),
  });
});

function yamlScenarios(bytes: number): string {
  const message = "some words that make it long ".repeat(40);
  const scenario = (index: number) =>
    `- id: s${index}\n  interactions:\n    - { id: "1", user_message: "${message}" }\n`;
  const count = Math.ceil(bytes / scenario(0).length);
  return Array.from({ length: count }, (_, index) => scenario(index)).join("");
}

deepTest("disconnects slow clients, which do not delay others", { timeout: patienceMs }, async () => {
  await using serve = await startServe({ LOG_LEVEL: "silent" }, { limits: { http_request_timeout_ms: 2500 } });
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
  report(sized("slow clients"), {
    clients: sockets.length,
    dropped: sockets.filter(({ destroyed }) => destroyed).length,
    "good client p99, ms": percentile(good, 0.99),
  });
  expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
});

test("answers every accepted request when SIGTERM arrives under load", { timeout: patienceMs }, async () => {
  // As many as run at the same time: none waits in a queue.
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
    await using serve = await startServe({ LOG_LEVEL: "silent", HUB_BASE_URL: provider.url });
    const running = Array.from({ length: clients }, (_, index) =>
      index % 2 === 0
        ? send(`${serve.evaluation}/evaluate`, { body: evaluationOf(provider.url) })
        : send(`${serve.agent}/`, {
            headers: { "x-model-id": "hub/m" },
            body: { messages: [{ type: "human", content: "Hi" }] },
          }),
    );
    const outcomes = Promise.allSettled(running);
    // A refused request never arrives; it is counted below.
    await Promise.race([arrived.promise, outcomes]);
    serve.child.kill("SIGTERM");
    for (const outcome of await outcomes) {
      if (outcome.status === "fulfilled" && outcome.value.status === 200) answered += 1;
      else if (outcome.status === "rejected") resets += 1;
    }
    expect(await serve.ended).toBe(0);
  }
  report(sized("SIGTERM under load"), { stops: size.stops, answered, resets });
  expect([answered, resets]).toEqual([clients * size.stops, 0]);
});

deepTest(
  "clients that move on to another service when one refuses them see no failure while that one stops",
  async () => {
    const wanted = 1_000;
    await using provider = await startFakeProvider({ behaviour: text("Yes") });
    const environment = { LOG_LEVEL: "silent", HUB_BASE_URL: provider.url };
    for (const keepAlive of [false, true]) {
      await using stopped = await startServe(environment);
      await using other = await startServe(environment);
      const agent = new Agent({ keepAlive, maxSockets: 16 });
      const failures: string[] = [];
      let asked = 0;
      const client = async (): Promise<void> => {
        let url = stopped.agent;
        while (asked < wanted) {
          asked += 1;
          if (asked === wanted / 4) stopped.child.kill("SIGTERM");
          await askWith(url, agent).catch(async (error: NodeJS.ErrnoException) => {
            if (error.code !== "ECONNREFUSED") return failures.push(error.code ?? String(error));
            url = other.agent;
            return askWith(url, agent);
          });
        }
      };
      await Promise.all(Array.from({ length: 16 }, client));
      agent.destroy();
      report("SIGTERM with another service", {
        "keep-alive": String(keepAlive),
        requests: asked,
        failed: failures.length,
      });
      expect(failures).toEqual([]);
      expect(await stopped.ended).toBe(0);
    }
  },
);

/** A turn of the agent, answered with 200. */
function askWith(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-model-id": "hub/m" };
    const outgoing = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume().on("error", reject);
      response.on("end", () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))));
    });
    outgoing.on("error", reject).end(JSON.stringify({ messages: [{ type: "human", content: "Hi" }] }));
  });
}

describe("clients that go away", () => {
  test("end their model calls, and leave nothing behind", { timeout: patienceMs }, async () => {
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
    await using serve = await startServe({ LOG_LEVEL: "silent", HUB_BASE_URL: provider.url });
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
    // The others may be queued; they leave as well.
    while (started < 8) await wait(10);
    const { ms } = await timed(async () => {
      for (const { leave } of asking) leave();
      await Promise.all(asking.map(({ asked }) => asked));
      while (open > 0) await wait(5);
    });
    report(sized("disconnect storm"), {
      clients: size.disconnects,
      "calls left open": open,
      "until all were closed, ms": Math.round(ms),
    });
    expect((await send(`${serve.agent}/healthz`)).status).toBe(200);
  });
});
