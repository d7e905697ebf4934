import { createServer, request as forward } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { spawn } from "node:child_process";
import { expect, test, vi } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { commandLine } from "../support/command-line.ts";
import { send } from "../support/http.ts";
import { serviceEnvironment } from "../support/service-environment.ts";
import { runServices } from "../support/services.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { isDeep } from "../support/sizes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startWorldAgent } from "../support/world-agent.ts";

const parameters = { type: "object", properties: {} };
const scenarios = Array.from({ length: 4 }, (_, index) => ({
  id: `s${index}`,
  world: { state: { done: 0 }, tools: [{ name: "act", parameters, answers: [{ set: { "/done": 1 }, result: "ok" }] }] },
  interactions: [{ id: "1", user_message: "Act." }],
  expect: { state: { "/done": 1 } },
}));

/** A proxy that sends every request to the next service. */
async function startRoundRobin() {
  const origins: string[] = [];
  let next = 0;
  const server = createServer((request, response) => {
    const origin = new URL(origins[next++ % origins.length]!);
    const onward = forward(
      { host: origin.hostname, port: origin.port, path: request.url, method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origins,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const startAgent = () =>
  startWorldAgent(async (world) => {
    await world.listTools();
    await world.callTool({ name: "act", arguments: {} });
    return { reply: "Done." };
  });

async function outcomes(evaluation: string, agent: string): Promise<readonly unknown[]> {
  const { status, body } = await send(`${evaluation}/evaluate`, {
    body: {
      test_batch: scenarios,
      endpoint: agent,
      protocol: "agent",
      model_id: "m",
      world_address: { header: "x-my-world" },
      attempts: 3,
      concurrency: 12,
    },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const { results, warnings } = EvaluationResponse.parse(body);
  expect(warnings ?? []).toEqual([]);
  return results.scenarios.flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome?.value));
}

const allPassed = Array.from({ length: 12 }, () => 1);

test.each(isDeep ? ["PostgreSQL", "SQLite"] : ["PostgreSQL"])(
  "two services and a worker on one store behind a proxy: every call reaches the world of its attempt (%s)",
  async (store) => {
    await using folder = await temporaryFolder();
    await using database = store === "SQLite" ? null : await createTestDatabase();
    await using proxy = await startRoundRobin();
    await using agent = await startAgent();
    const environment = {
      DATABASE_URL: database?.url ?? `sqlite:${folder.file("shared.db")}`,
      // Few places each, so that every process gets attempts.
      REHEARSAL_CONCURRENCY_GLOBAL: "4",
      REHEARSAL_DEMO: "off",
    };
    // A worker is not told the public address: it is stored with the run.
    const worker = spawn(process.execPath, [commandLine, "serve", "--worker", "-j", "4"], {
      cwd: folder.path,
      env: { ...serviceEnvironment, ...environment },
    });
    const gone = once(worker, "exit");
    try {
      await once(worker.stdout, "data");
      const behindProxy = { ...environment, REHEARSAL_EVAL_PUBLIC_URL: proxy.url };
      await using first = await runServices(behindProxy);
      await using second = await runServices(behindProxy);
      proxy.origins.push(first.evaluation, second.evaluation);
      expect(await outcomes(first.evaluation, agent.url)).toEqual(allPassed);
      expect(new Set(agent.worlds.map((url) => new URL(url).origin))).toEqual(new Set([proxy.url]));
      // The last ones are closed in the store a moment later.
      const address = agent.worlds[0]!;
      const late = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "act", arguments: {} } };
      await vi.waitFor(async () => expect((await send(address, { body: late })).status).toBe(410), 60_000);
      expect((await send(address, { body: late })).status).toBe(410);
      expect((await send(address.replace(/worlds\/..../, "worlds/AAAA"), { body: late })).status).toBe(404);
    } finally {
      worker.kill("SIGTERM");
      await gone;
    }
  },
);

test("a run whose agent could not reach its world is refused, and told what to set", async () => {
  await using services = await runServices();
  const body = {
    test_batch: scenarios,
    endpoint: "http://192.0.2.7:8090/",
    protocol: "agent",
    model_id: "m",
    world_address: { header: "x-my-world" },
  };
  const { status, body: problem } = await send(`${services.evaluation}/evaluate`, { body });
  expect([status, problem]).toMatchObject([
    422,
    { errors: [{ pointer: "/world_address", message: expect.stringContaining("set REHEARSAL_EVAL_PUBLIC_URL") }] },
  ]);
});
