import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { redirect } from "../support/fake-provider/error-statuses.ts";
import { json } from "../support/fake-provider/replies.ts";
import { send, type Answer } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";
import { startTrapServer, type TrapServer } from "../support/trap-server.ts";
import { loopbackHosts, metadataHosts, notEndpoints, privateHosts } from "./support/addresses.ts";
import { report } from "./support/figures.ts";
import { startServe } from "./support/serve-process.ts";

const canary = "canary-9f8e7d6c5b4a";
let trap: TrapServer;
let provider: FakeProvider;

beforeAll(async () => {
  [trap, provider] = await Promise.all([startTrapServer(), startFakeProvider()]);
});
afterAll(async () => {
  await Promise.all([trap.close(), provider.close()]);
});

interface EvaluationBody {
  readonly code?: string;
  readonly results?: {
    scenarios: { attempts: { interactions: { agent_reply: string; error: { code: string } | null }[] }[] }[];
  };
}

function evaluate(
  services: { evaluation: string },
  endpoint: string,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  const test_batch = { id: "s", interactions: [{ id: "1", user_message: "Hello" }] };
  return send(`${services.evaluation}/evaluate`, { body: { test_batch, endpoint, model_id: "m", ...more } });
}

/** How an endpoint fared: the problem's code, the code of the failed interaction, or "answered". */
function outcomeOf({ status, body }: Answer): string {
  const { code, results } = body as EvaluationBody;
  if (status !== 200) return `${status} ${code}`;
  const [interaction] = results?.scenarios[0]?.attempts[0]?.interactions ?? [];
  return interaction?.error ? `${interaction.agent_reply}: ${interaction.error.code}` : "answered";
}

async function outcomes(services: RunningServices, endpoints: readonly string[]): Promise<Map<string, string>> {
  const results = new Map<string, string>();
  const queue = endpoints.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const endpoint of queue) results.set(endpoint, outcomeOf(await evaluate(services, endpoint)));
    }),
  );
  return results;
}

const refusals = [
  "403 endpoint_not_allowed",
  "422 endpoint_invalid",
  "422 validation_failed",
  "Request failed: endpoint_address_refused",
];

const secrets = {
  EVAL_ENDPOINT_ORIGIN: "https://models.example",
  EVAL_ENDPOINT_API_KEY: canary,
  OPENAI_API_KEY: canary,
};

test("policy public: no spelling of a private address is called", async () => {
  await using services = await runServices({ EVAL_ENDPOINT_POLICY: "public", ...secrets });
  const hosts = [...loopbackHosts, ...privateHosts, ...metadataHosts];
  const endpoints = [
    ...hosts.map((host) => `http://${host}:${trap.port}/v1`),
    ...notEndpoints(`127.0.0.1:${trap.port}`),
  ];
  const results = await outcomes(services, endpoints);
  const taken = [...results].filter(([, outcome]) => !refusals.includes(outcome));
  report("outbound, policy public", { "hostile endpoints": results.size, "connections to a trap": trap.hits });
  expect(results.size).toBeGreaterThanOrEqual(150);
  expect(taken).toEqual([]);
  expect(trap.hits).toBe(0);
});

test("policy local: metadata addresses and the service itself are not called, however they are written", async () => {
  await using services = await runServices(secrets);
  const own = new URL(services.evaluation).port;
  const endpoints = [
    ...metadataHosts.map((host) => `http://${host}/latest/meta-data`),
    ...loopbackHosts.map((host) => `http://${host}:${own}/evaluate`),
    ...notEndpoints(`127.0.0.1:${trap.port}`),
  ];
  const results = await outcomes(services, endpoints);
  report("outbound, policy local", { "hostile endpoints": results.size, "connections to a trap": trap.hits });
  expect([...results].filter(([, outcome]) => !refusals.includes(outcome))).toEqual([]);
  expect(trap.hits).toBe(0);
});

test("policy local: a model on this machine is called, however its address is written, and gets no key of others", async () => {
  await using services = await runServices(secrets);
  const { port } = new URL(provider.origin);
  const before = provider.requests.length;
  const hosts = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "[::ffff:127.0.0.1]",
  ];
  const results = await outcomes(services, [
    ...hosts.map((host) => `http://${host}:${port}/v1`),
    `http://127.0.0.1:${port}/v1/`,
    `http://127.0.0.1:${port}/v1/chat/completions`,
    `http://127.0.0.1:${port}/v1?api-version=2024-10-21`,
  ]);
  expect([...results].filter(([, outcome]) => outcome !== "answered")).toEqual([]);
  const seen = provider.requests.slice(before);
  expect(seen).toHaveLength(results.size);
  expect(JSON.stringify(seen)).not.toContain(canary);
});

test("a key is sent with the calls it is bound to, and to no other path of its origin", async () => {
  await using bound = await startFakeProvider();
  await using services = await runServices({ EVAL_ENDPOINT_ORIGIN: bound.origin, EVAL_ENDPOINT_API_KEY: canary });
  const foreign = ["/v1/fine_tuning/jobs/7/cancel", "/v1/x/..%2ffiles", "/v1/chat/completions", "//", "/v1/../admin"];
  const answers: Answer[] = [];
  for (const path of foreign) {
    bound.enqueue(json({ code: "auth_missing" }, 401));
    answers.push(await evaluate(services, `${bound.origin}${path}`, { protocol: "agent" }));
  }
  expect(bound.requests).toHaveLength(foreign.length);
  expect(JSON.stringify(bound.requests)).not.toContain(canary);
  expect(answers.map(outcomeOf)).toEqual(foreign.map(() => "Request failed: upstream_auth"));
  for (const { body } of answers) {
    expect(JSON.stringify(body)).toContain("The key bound to this origin is not sent to an agent at /");
  }

  expect(outcomeOf(await evaluate(services, bound.url))).toBe("answered");
  bound.enqueue(json({ content: "Hi" }));
  expect(outcomeOf(await evaluate(services, bound.origin, { protocol: "agent" }))).toBe("answered");
  const keys = bound.requests.slice(foreign.length).map(({ path, headers }) => [path, headers.authorization]);
  expect(keys).toEqual([
    ["/v1/chat/completions", `Bearer ${canary}`],
    ["/", `Bearer ${canary}`],
  ]);
});

test("behind a proxy as documented: no request reaches a private address, whichever of its models is there", async () => {
  const key = "k".repeat(43);
  await using services = await runServices({
    REHEARSAL_API_KEYS: `ci:${createHash("sha256").update(key).digest("hex")}:admin`,
    REHEARSAL_ALLOWED_HOSTS: "rehearsal.example.com,eval.example.com",
    REHEARSAL_EVAL_PUBLIC_URL: "https://eval.example.com",
    EVAL_ENDPOINT_ALLOW: provider.origin,
  });
  const test_batch = { id: "s", interactions: [{ id: "1", user_message: "Hello", reference_reply: "Hi" }] };
  const request = { test_batch, endpoint: provider.url, model_id: "m" };
  const hidden = { endpoint: `http://127.0.0.1:${trap.port}/v1`, model_id: "m" };
  const items = [{ user_message: "Hi", reply: "Hello", human: "pass" }];
  const headers = { authorization: `Bearer ${key}` };
  const answered = await send(`${services.evaluation}/evaluate`, { headers, body: request });
  expect(outcomeOf(answered)).toBe("answered");
  const { run_id } = answered.body as { run_id: string };
  const requests: [string, Record<string, unknown>][] = [
    ["evaluate", { ...request, ...hidden }],
    ["evaluate", { ...request, judge: hidden }],
    ["evaluate", { ...request, labeller: hidden }],
    ["estimate", { ...request, judge: hidden }],
    ["judges/audit", { judge: hidden, items }],
    ["compare", { baseline: "a", candidate: "b", judge: hidden }],
    [`runs/${run_id}/rescore`, { judge: hidden, ask_models: true }],
    [`runs/${run_id}/rescore`, { labeller: hidden, ask_models: true }],
  ];
  const answers = await Promise.all(
    requests.map(([path, body]) => send(`${services.evaluation}/${path}`, { headers, body })),
  );
  expect(answers.map((answer) => outcomeOf(answer))).toEqual(requests.map(() => "403 endpoint_not_allowed"));
  expect(trap.hits).toBe(0);
});

test("ordinary public addresses pass every policy that may take them", () => {
  const outbound = createOutbound({ allow: [] });
  const ordinary = [
    "https://api.openai.com/v1",
    "https://api.anthropic.com/v1/messages",
    "https://openrouter.ai/api/v1/chat/completions",
    "https://router.huggingface.co/v1",
    "https://my-resource.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
    "https://generativelanguage.googleapis.com/v1beta/openai",
    "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1",
    "https://models.example.co.uk:8443/v1",
    "https://bücher.example/v1",
    "https://xn--bcher-kva.example/v1",
    "http://8.8.8.8/v1",
    "https://1.1.1.1/v1",
    "https://[2606:4700:4700::1111]/v1",
    "http://172.32.0.1/v1",
    "http://100.128.0.1/v1",
    "http://169.253.255.255/v1",
    "http://11.0.0.1/v1",
    "http://192.169.0.1/v1",
    "http://127.0.0.1.example.com/v1",
    "http://localhost.example.com/v1",
    "http://10.example/v1",
  ];
  const local = [
    "http://192.168.1.20:11434/v1",
    "http://10.0.0.5:8000",
    "http://ollama:11434/v1",
    "http://[fd12::1]:8000/v1",
    "http://host.docker.internal:1234/v1",
  ];
  const checks = [
    ...ordinary.flatMap((url) => [
      outbound.checkEndpoint(url, { policy: "local" }),
      outbound.checkEndpoint(url, { policy: "public" }),
    ]),
    ...local.map((url) => outbound.checkEndpoint(url, { policy: "local" })),
  ];
  const refused = checks.filter(({ ok }) => !ok);
  report("outbound, must be accepted", { addresses: checks.length, refused: refused.length });
  expect(refused).toEqual([]);
});

describe("redirects", () => {
  test.each([301, 302, 303, 307, 308])("%i is not followed by either service", async (code) => {
    await using hub = await startFakeProvider({ behaviour: redirect(code, `${trap.origin}/v1/chat/completions`) });
    await using services = await runServices({ HUB_BASE_URL: hub.url, HUB_API_KEY: canary });
    expect(outcomeOf(await evaluate(services, hub.url))).toBe("Request failed: upstream_redirect");
    const turn = await send(`${services.agent}/`, {
      headers: { "x-model-id": "hub/m" },
      body: { messages: [{ type: "human", content: "Hi" }] },
    });
    expect([turn.status, (turn.body as EvaluationBody).code]).toEqual([502, "upstream_redirect"]);
    expect(JSON.stringify(turn.body)).not.toContain(String(trap.port));
    expect(trap.hits).toBe(0);
  });
});

describe("rebinding", () => {
  const ask = (outbound: ReturnType<typeof createOutbound>, policy: "public" | "local" = "public") =>
    outbound.request({
      url: `http://rebind.example:${trap.port}/v1`,
      method: "POST",
      body: "{}",
      policy,
      signal: AbortSignal.timeout(5000),
      retries: 0,
    });

  test.each([
    ["resolves to a private address", [["127.0.0.1"]]],
    ["has a private address among public ones", [["93.184.216.34", "127.0.0.1"]]],
    ["has an IPv6 spelling of a private address", [["::ffff:127.0.0.1"]]],
    ["has a metadata address", [["169.254.169.254"]]],
    ["is private from the second answer on", [["127.0.0.1"], ["127.0.0.1"]]],
  ])("a name that %s is not called", async (_what, answers) => {
    let asked = 0;
    await using outbound = createOutbound({
      timeouts: { connectMs: 200 },
      resolve: async () =>
        (answers[Math.min(asked++, answers.length - 1)] ?? []).map((address) => ({
          address,
          family: address.includes(":") ? 6 : 4,
        })),
    });
    for (const _ of answers) {
      const result = await ask(outbound);
      expect(result.ok ? "answered" : result.error.code).toBe("endpoint_address_refused");
    }
    expect(trap.hits).toBe(0);
  });

  test("a connection that policy local opened is not reused for policy public", async () => {
    await using outbound = createOutbound({ resolve: async () => [{ address: "127.0.0.1", family: 4 }] });
    const url = `http://rebind.example:${new URL(provider.origin).port}/v1/models`;
    const request = { url, method: "GET", signal: AbortSignal.timeout(5000), retries: 0 } as const;
    expect((await outbound.request({ ...request, policy: "local" })).ok).toBe(true);
    const result = await outbound.request({ ...request, policy: "public" });
    expect(result.ok ? "answered" : result.error.code).toBe("endpoint_address_refused");
  });
});

test("proxies named in the environment hear nothing", async () => {
  await using serve = await startServe({
    NODE_USE_ENV_PROXY: "1",
    HTTP_PROXY: trap.origin,
    HTTPS_PROXY: trap.origin,
    http_proxy: trap.origin,
    https_proxy: trap.origin,
    ALL_PROXY: trap.origin,
    HUB_BASE_URL: provider.url,
    HUB_API_KEY: canary,
    LOG_LEVEL: "silent",
  });
  expect(outcomeOf(await evaluate(serve, provider.url))).toBe("answered");
  const turn = await send(`${serve.agent}/`, {
    headers: { "x-model-id": "hub/m" },
    body: { messages: [{ type: "human", content: "Hi" }] },
  });
  expect(turn.status).toBe(200);
  report("outbound, proxies and redirects", {
    "connections to a trap": trap.hits,
    "secrets seen by a trap": trap.received.join("").includes(canary) ? 1 : 0,
  });
  expect(trap.hits).toBe(0);
});
