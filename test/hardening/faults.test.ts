import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deepTest } from "../support/deep-test.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { unavailable } from "../support/fake-provider/error-statuses.ts";
import { echo } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";
import { upstreamFaults } from "../support/upstream-faults.ts";
import { report } from "./support/figures.ts";
import { startServe, type ServeProcess } from "./support/serve-process.ts";

const canary = "canary-0f1e2d3c4b5a";
const megabyte = 1024 ** 2;
/** For upstreams that never end. All others get as long as a busy machine needs. */
const shortWaits = { firstByteTimeoutMs: 1500, idleTimeoutMs: 1500, totalTimeoutMs: 3000 };

let provider: FakeProvider;
let serve: ServeProcess;
let impatient: RunningServices;

beforeAll(async () => {
  // The hub is asked for the whole id, an endpoint under test for what the request names.
  const models = Object.fromEntries(
    Object.values(upstreamFaults).flatMap(({ behaviour }, index) => [
      [`m${index}`, behaviour],
      [`hub/m${index}`, behaviour],
    ]),
  );
  provider = await startFakeProvider({ models });
  const hub = { HUB_BASE_URL: provider.url, HUB_API_KEY: canary };
  [serve, impatient] = await Promise.all([
    startServe(
      { ...hub, NODE_OPTIONS: "--max-old-space-size=512", LOG_LEVEL: "silent" },
      { limits: { upstream_retry_base_ms: 1 } },
    ),
    runServices(hub, { upstream: shortWaits }),
  ]);
});
afterAll(async () => {
  await Promise.all([serve, impatient].map((services) => services[Symbol.asyncDispose]()));
  await provider.close();
});

interface Interaction {
  readonly agent_reply: string;
  readonly error: { code: string; tries: number } | null;
}

async function evaluate(
  services: { evaluation: string },
  model_id: string,
  turns = 1,
  attempts = 1,
): Promise<Interaction[]> {
  const interactions = Array.from({ length: turns }, (_, index) => ({ id: String(index), user_message: "Hello" }));
  const body = { test_batch: { id: "s", interactions }, endpoint: provider.url, model_id, attempts };
  const answer = await send(`${services.evaluation}/evaluate`, { body });
  expect(answer.status).toBe(200);
  const { results } = answer.body as { results: { scenarios: { attempts: { interactions: Interaction[] }[] }[] } };
  return results.scenarios.flatMap((scenario) => scenario.attempts.flatMap((attempt) => attempt.interactions));
}

const turn = (agent: string, model: string) =>
  send(`${agent}/`, { headers: { "x-model-id": model }, body: { messages: [{ type: "human", content: "Hello" }] } });

describe.concurrent.each(
  Object.entries(upstreamFaults).map(([name, fault], index) => ({ name, ...fault, model: `m${index}` })),
)("$name", ({ code, model }) => {
  const services = () => (code === "upstream_timeout" ? impatient : serve);

  test(`is ${code} in an evaluation, and the run goes on`, async () => {
    const [first] = await evaluate(services(), model);
    expect([first?.agent_reply, first?.error?.code]).toEqual(["Request failed", code]);
    expect(first?.error?.tries).toBeLessThanOrEqual(4);
    expect(JSON.stringify(first)).not.toContain(canary);
  });
});

deepTest("ten gigabytes at once cost less than 64 MB at their peak", async () => {
  const names = Object.keys(upstreamFaults);
  const large = names.flatMap((name, index) => (/10 GB|million/.test(name) ? [`m${index}`] : []));
  const attack = () =>
    Promise.all(large.flatMap((model) => [evaluate(serve, model), turn(serve.agent, `hub/${model}`)]));
  // The first round brings the process to its working size; what comes on top of that is what an attack costs.
  await attack();
  const before = await serve.memory();
  let peak = before;
  let running = true;
  const watching = (async () => {
    while (running) {
      peak = Math.max(peak, await serve.memory());
      await wait(10);
    }
  })();
  for (let round = 0; round < 3; round += 1) await attack();
  running = false;
  await watching;
  const grown = (peak - before) / megabyte;
  report("upstream faults", {
    behaviours: names.length,
    services: 2,
    "memory before, MB": Math.round(before / megabyte),
    "peak growth, MB": Math.round(grown),
  });
  expect(grown).toBeLessThan(64);
  expect((await send(`${serve.evaluation}/healthz`)).status).toBe(200);
  expect(serve.child.exitCode).toBeNull();
});

describe("an upstream that is down", () => {
  let services: RunningServices;
  beforeAll(async () => {
    services = await runServices({}, { breaker: { openMs: 300 } });
  });
  afterAll(() => services[Symbol.asyncDispose]());

  test("is called no more than 1.2 times per interaction, and is used again once it is back", async () => {
    provider.setModelBehaviour("down", unavailable);
    const before = provider.requests.length;
    const failed = await evaluate(services, "down", 10, 20);
    const calls = provider.requests.length - before;
    const circuitOpen = failed.filter(({ error }) => error?.code === "upstream_circuit_open").length;
    report("upstream down", {
      interactions: failed.length,
      calls,
      "calls per interaction": (calls / failed.length).toFixed(2),
      "not called, breaker open": circuitOpen,
    });
    expect(failed.every(({ agent_reply }) => agent_reply === "Request failed")).toBe(true);
    expect(calls / failed.length).toBeLessThanOrEqual(1.2);
    expect(circuitOpen).toBeGreaterThan(0);

    provider.setModelBehaviour("down", echo);
    let answered: Interaction[] = [];
    while (answered[0]?.error !== null) {
      await wait(50);
      answered = await evaluate(services, "down");
    }
    expect(answered[0]?.agent_reply).toBe("You said: Hello");
  });
});
