import { writeFile } from "node:fs/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { toolRefusal, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import {
  AgentUpstreams,
  LocalServers,
  ModelProviderList,
  type ConnectionTest,
} from "../../src/contract/schemas/agent/models.ts";
import { createRouter } from "../../src/models/routing/router.ts";
import { createRouteLimits } from "../../src/models/routing/route-limits.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { json, text } from "../support/fake-provider/replies.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { post, runAgentApp, scripted } from "./agent-support.ts";

const human = (content: string) => ({ messages: [{ type: "human", content }] });
const ask = (agent: string, model: string) =>
  send(`${agent}/`, { headers: { "x-model-id": model }, body: human("What is 6 * 7?") });
const read = async (agent: string) => AgentUpstreams.parse((await send(`${agent}/agent/upstreams`)).body);

test("providers, their health and the use of tools are reported as observed", async () => {
  await using hub = await startFakeProvider();
  await using mine = await startFakeProvider({ behaviour: json({ error: { message: "no" } }, 401) });
  await using services = await runServices({
    HUB_BASE_URL: hub.url,
    HUB_PROVIDERS: JSON.stringify({ mine: { base_url: mine.url } }),
  });
  const before = await read(services.agent);
  expect(before.providers?.map(({ name, health }) => [name, health])).toEqual([
    ["hub", "unknown"],
    ["mine", "unknown"],
  ]);
  await ask(services.agent, "some/model");
  await ask(services.agent, "mine/model");
  const seen = await read(services.agent);
  expect(seen.providers).toMatchObject([
    { name: "hub", kind: "hub", origin: hub.origin, health: "ok", calls: 1, last_error: null },
    { name: "mine", health: "failing", failures: 1, last_error: { code: "upstream_auth" } },
  ]);
  expect(seen.tool_support).toMatchObject([{ model_id: "some/model", mode: "native" }]);
});

test("a server that takes no tools gets them in the prompt, whatever its status", async () => {
  const refusal = json({ error: { code: 500, message: "tools param requires --jinja flag" } }, 500);
  await using hub = await startFakeProvider({
    behaviour: (call) => (call.request.body?.["tools"] ? refusal : text("42"))(call),
  });
  await using services = await runServices({ HUB_BASE_URL: hub.url });
  expect(await ask(services.agent, "some/model")).toMatchObject({ status: 200, body: { content: "42" } });
  expect(hub.requests).toHaveLength(2);
  expect((await read(services.agent)).tool_support).toMatchObject([{ model_id: "some/model", mode: "prompted" }]);
});

test("a client's broken tool is the client's to mend, and changes nothing for others", async () => {
  const message = "Invalid schema for function 'w': array schema missing items.";
  const refusal = json({ error: { message, param: "tools[3].function.parameters" } }, 400);
  await using hub = await startFakeProvider({
    behaviour: (call) => (JSON.stringify(call.request.body?.["tools"])?.includes('"w"') ? refusal : text("42"))(call),
  });
  await using services = await runServices({ HUB_BASE_URL: hub.url });
  const tools = [{ type: "function", function: { name: "w", parameters: { type: "array" } } }];
  const body = { model: "some/model", messages: [{ role: "user", content: "Hi" }], tools };
  const answer = await send(`${services.agent}/v1/chat/completions`, { body });
  expect(answer).toMatchObject({
    status: 502,
    body: {
      error: {
        code: "upstream_rejected",
        message: expect.stringContaining(message),
        param: "tools[3].function.parameters",
      },
    },
  });
  expect(hub.requests).toHaveLength(1);
  expect((await read(services.agent)).tool_support).toEqual([]);
});

test("model servers on this machine are searched for on request", async () => {
  await using services = await runServices();
  const { servers } = LocalServers.parse((await send(`${services.agent}/agent/local-servers`)).body);
  // Our own services answer like one, and are none.
  expect(servers.map(({ base_url }) => new URL(base_url).port)).not.toContain(new URL(services.agent).port);
});

test("the cost of a run is reported, and a run at its cost limit answers without tools", async () => {
  await using folder = await temporaryFolder();
  await using hub = await startFakeProvider({
    behaviour: (call) =>
      (call.request.body?.["tools"] ? toolCalls({ name: "calculator", arguments: { expression: "6*7" } }) : text("42"))(
        call,
      ),
  });
  await writeFile(folder.file("prices.json"), JSON.stringify({ "some/model": { input: 1, output: 2 } }));
  await using services = await runServices(
    {
      HUB_BASE_URL: hub.url,
      REHEARSAL_PRICES_FILE: folder.file("prices.json"),
    },
    { agent: { maxCost: 0.00004 } },
  );
  const answer = await ask(services.agent, "some/model");
  // Each call is 9 tokens in and 3 out: 15 millionths. The third call reaches the limit, its tools do not run.
  expect(answer.body).toMatchObject({ content: "42", response_metadata: { finish_reason: "cost_limit" } });
  expect(Number(answer.headers.get("x-cost"))).toBeCloseTo(60 / 1e6, 12);
  expect(answer.headers.get("x-tool-calls")).toBe("2");
  const { body } = await send(`${services.agent}/agent/runs/${answer.headers.get("x-run-id")}`);
  expect(body).toMatchObject({ finish_reason: "cost_limit", model_calls: 4 });
  const free = await ask(services.agent, "other/model");
  expect(free.headers.get("x-cost")).toBeNull();
});

test("an alias resolves to its model", async () => {
  await using hub = await startFakeProvider();
  await using services = await runServices({ HUB_BASE_URL: hub.url, AGENT_MODEL_ALIASES: "fast=some/model" });
  const answer = await ask(services.agent, "fast");
  expect([answer.status, answer.headers.get("x-model-resolved")]).toEqual([200, "some/model"]);
  expect(hub.requests.at(-1)?.body).toMatchObject({ model: "some/model" });
  const { body } = await send(`${services.agent}/v1/models`);
  expect(body).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id: "fast", owned_by: "alias" })]),
  });
});

test("refuses a model id over the limit", async () => {
  await using hub = await startFakeProvider();
  await using services = await runServices({ HUB_BASE_URL: hub.url }, { limits: { modelIdChars: 40 } });
  const id = (length: number) => `a/${"b".repeat(length - 2)}`;
  expect((await ask(services.agent, id(40))).status).toBe(200);
  expect(await ask(services.agent, id(41))).toMatchObject({ status: 400, body: { code: "model_id_invalid" } });
});

test("a fallback is paid at its own price, and a run with a model of unknown price has no cost", async () => {
  await using folder = await temporaryFolder();
  await using hub = await startFakeProvider({
    models: {
      "dear/model": json({ error: { message: "no" } }, 500),
      "cheap/model": text("Hi"),
      "odd/model": text("Hi"),
    },
  });
  await writeFile(
    folder.file("prices.json"),
    JSON.stringify({ "dear/model": { input: 100, output: 100 }, "cheap/model": { input: 1, output: 2 } }),
  );
  await using services = await runServices({
    HUB_BASE_URL: hub.url,
    REHEARSAL_PRICES_FILE: folder.file("prices.json"),
  });
  const askWith = (fallback: string) =>
    send(`${services.agent}/`, {
      headers: { "x-model-id": "dear/model", "x-model-fallbacks": fallback },
      body: human("Hi"),
    });
  const cheap = await askWith("cheap/model");
  expect(cheap.headers.get("x-model-resolved")).toBe("cheap/model");
  expect(Number(cheap.headers.get("x-cost"))).toBeCloseTo(15 / 1e6, 12);
  expect((await askWith("odd/model")).headers.get("x-cost")).toBeNull();
});

test("how tools are used and what waits can be looked up", async () => {
  const refuses: ScriptedTurn = ({ tools }) => (tools ? toolRefusal : "Hi");
  const routeLimits = createRouteLimits({ concurrency: 1 });
  const router = createRouter({ demo: { hub: scripted(refuses).models, studio: {} } }, { limits: routeLimits });
  await using agent = await runAgentApp({}, { router, routeLimits });
  expect((await post(agent.url, human("Hi"))).status).toBe(200);
  expect((await send(`${agent.url}/agent/upstreams`)).body).toMatchObject({
    breakers: [],
    routes: [],
    tool_support: [{ model_id: "test/model", mode: "prompted" }],
  });
});

test("providers are listed without their keys, and a connection is tested with the key of the environment", async () => {
  await using mine = await startFakeProvider({ behaviour: text("ready") });
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("MINE_KEY", "sk-of-mine");
  await using services = await runServices({
    HUB_PROVIDERS: JSON.stringify({ mine: { base_url: mine.url, key_env: "MINE_KEY" } }),
    OPENAI_API_KEY: "sk-never-shown",
  });
  const list = await send(`${services.agent}/agent/providers`);
  const { providers } = ModelProviderList.parse(list.body);
  expect(providers.filter(({ connected }) => connected).map(({ id }) => id)).toEqual(["openai", "mine"]);
  expect(JSON.stringify(list.body)).not.toMatch(/sk-/);

  const tested = async (body: object) =>
    (await send(`${services.agent}/agent/providers/test`, { body })).body as ConnectionTest;
  expect(await tested({ provider: "mine", model: "m" })).toMatchObject({ ok: true, reply: "ready", models: [] });
  expect(mine.requests.at(-1)?.headers["authorization"]).toBe("Bearer sk-of-mine");
  // Nothing listens on port 9.
  expect(await tested({ base_url: "http://127.0.0.1:9/v1" })).toMatchObject({
    ok: false,
    error: { code: "upstream_unreachable" },
  });
  for (const [body, pointer] of [
    [{}, "/provider"],
    [{ provider: "nobody" }, "/provider"],
    [{ provider: "azure" }, "/provider"],
    [{ base_url: "http://127.0.0.1:9/v1", key: "sk-typed" }, ""],
  ] as const) {
    const refused = await send(`${services.agent}/agent/providers/test`, { body });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
    expect(JSON.stringify(refused.body)).not.toContain("sk-typed");
  }
});
