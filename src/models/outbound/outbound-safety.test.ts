import { inspect } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import type { PolicyName, RunPolicy } from "../../contract/schemas/shared/endpoint-policy.ts";
import { Secret } from "../../base/secret.ts";
import { echoTheKey, redirect } from "../../../test/support/fake-provider/error-statuses.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { startTrapServer } from "../../../test/support/trap-server.ts";
import { bindCredential } from "./credentials.ts";
import { createOutbound } from "./create-outbound.ts";
import type { OutboundOptions } from "./outbound-options.ts";

const canary = "canary-5f2c9d71-secret";
const { signal } = new AbortController();
const bind = (url: string, header?: string) => bindCredential({ url, header, secret: new Secret(canary) });

afterEach(() => vi.unstubAllEnvs());

test("sends a credential to its own origin only", async () => {
  await using provider = await startFakeProvider();
  await using trap = await startTrapServer();
  await using outbound = createOutbound({ credentials: [bind(provider.url)] });
  const port = new URL(provider.origin).port;
  const list = { method: "GET", operation: "models", signal } as const;

  await outbound.request({ ...list, url: `${provider.url}/models` });
  for (const url of [`${trap.url}/models`, `http://localhost:${trap.port}/`, `${trap.url}/?to=${provider.origin}`]) {
    await outbound.request({ url, method: "POST", operation: "agent", body: "{}", signal });
  }
  // The same server under another name is another origin.
  await outbound.request({ ...list, url: `http://localhost:${port}/v1/models` });
  // A request that does not say what it does is no call of a model.
  await outbound.request({ url: `${provider.url}/models`, method: "GET", signal });

  expect(provider.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${canary}` });
  expect(provider.requests).toHaveLength(3);
  expect(JSON.stringify(provider.requests.slice(1))).not.toContain(canary);
  expect(trap.hits).toBe(3);
  expect(trap.received.join()).not.toContain(canary);
});

test("prefers a request's own credential, and sends it to its own origin only", async () => {
  await using provider = await startFakeProvider();
  await using trap = await startTrapServer();
  const other = bindCredential({ url: provider.url, secret: new Secret("of-the-origin") });
  await using outbound = createOutbound({ credentials: [other] });
  const credential = bind(provider.url, "x-api-key");

  const list = { method: "GET", operation: "models", credential, signal } as const;
  await outbound.request({ ...list, url: `${provider.url}/models` });
  await outbound.request({ ...list, url: `${trap.url}/models` });

  expect(provider.requests[0]?.headers).toMatchObject({ "x-api-key": canary });
  expect(provider.requests[0]?.headers).not.toHaveProperty("authorization");
  expect(trap.hits).toBe(1);
  expect(trap.received.join()).not.toContain(canary);
});

test.each([301, 302, 303, 307, 308])("does not follow a %i redirect and leaks nothing", async (code) => {
  await using trap = await startTrapServer();
  await using provider = await startFakeProvider({ behaviour: redirect(code, `${trap.url}/stolen`) });
  await using outbound = createOutbound({ credentials: [bind(provider.url, "x-api-key")] });
  const result = await outbound.request({
    url: `${provider.url}/chat/completions`,
    method: "POST",
    operation: "chat/completions",
    body: "{}",
    signal,
  });
  expect(result).toMatchObject({
    ok: false,
    error: {
      code: "upstream_redirect",
      detail: expect.stringContaining("use the final address"),
      upstream_status: code,
      tries: 1,
    },
    redirect_to: `${trap.url}/stolen`,
  });
  expect(trap.hits).toBe(0);
});

test("ignores proxies named in the environment", async () => {
  await using trap = await startTrapServer();
  await using provider = await startFakeProvider();
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]) {
    vi.stubEnv(name, trap.origin);
  }
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  await using outbound = createOutbound();
  expect(await outbound.request({ url: `${provider.url}/models`, method: "GET", signal })).toMatchObject({ ok: true });
  expect(trap.hits).toBe(0);
});

test("never repeats a key from an error text", async () => {
  await using provider = await startFakeProvider({ behaviour: echoTheKey });
  const binding = bind(provider.url);
  await using outbound = createOutbound({ credentials: [binding] });
  const result = await outbound.request({
    url: `${provider.url}/chat/completions`,
    method: "POST",
    operation: "chat/completions",
    body: "{}",
    signal,
  });
  expect(result).toMatchObject({ ok: false, error: { code: "upstream_auth", upstream_status: 401 } });
  expect(inspect([result, binding, outbound], { depth: 10, showHidden: true })).not.toContain(canary);
  expect(JSON.stringify([result, binding])).not.toContain(canary);
});

test("explains a 401 without a bound credential", async () => {
  await using provider = await startFakeProvider({ behaviour: echoTheKey });
  await using outbound = createOutbound();
  const result = await outbound.request({ url: `${provider.url}/models`, method: "GET", signal });
  expect(result).toMatchObject({ error: { code: "upstream_auth", detail: expect.stringContaining("none is bound") } });
});

test("names the missing setting for a 401 without a credential only", async () => {
  await using provider = await startFakeProvider({ behaviour: echoTheKey });
  const { origin } = provider;
  const ask = async (options: OutboundOptions) => {
    await using outbound = createOutbound({ ...options, keyVariable: (of) => `KEY_OF_${of}` });
    return await outbound.request({ url: `${provider.url}/models`, method: "GET", operation: "models", signal });
  };
  expect(await ask({})).toMatchObject({
    error: {
      detail: `HTTP 401: ${origin} wants a credential, and none is bound to this origin: set KEY_OF_${origin}.`,
    },
  });
  await using outbound = createOutbound({ keyVariable: (of) => `KEY_OF_${of}` });
  const call = { url: `${provider.url}/models`, method: "GET", operation: "agent", signal } as const;
  expect(await outbound.request(call)).toMatchObject({
    error: { detail: expect.stringMatching(new RegExp(`: set KEY_OF_${call.url}\\.$`)) },
  });
  const bound = await ask({ credentials: [bindCredential({ url: origin, secret: new Secret("sk-1") })] });
  expect(bound).toMatchObject({
    error: { detail: `HTTP 401: ${origin} refused the credential that was sent.` },
  });
  const elsewhere = await ask({ credentials: [bind(`${origin}/v2`)] });
  expect(elsewhere).toMatchObject({
    error: {
      detail:
        `HTTP 401: ${origin} wants a credential. The key bound to this origin is not sent to /v1/models: ` +
        `to send one there, set KEY_OF_${origin}/v1.`,
    },
  });
});

test.each<[PolicyName, RunPolicy | null, string]>([
  ["local", null, "answered"],
  ["local", { name: "local", allow: [] }, "answered"],
  ["local", { name: "public", allow: [] }, "endpoint_address_refused"],
  ["local", { name: "allowlist", allow: [] }, "endpoint_not_allowed"],
  ["local", { name: "allowlist", allow: ["here"] }, "answered"],
  ["allowlist", { name: "local", allow: [] }, "endpoint_not_allowed"],
  ["allowlist", { name: "allowlist", allow: ["here"] }, "endpoint_not_allowed"],
  ["public", { name: "allowlist", allow: ["here"] }, "endpoint_address_refused"],
])("policy %s for a run accepted under %j: a private address is %s", async (policy, accepted, outcome) => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound({ policy });
  const runPolicy = accepted && { ...accepted, allow: accepted.allow.map(() => provider.origin) };
  const url = `${provider.url}/models`;
  const result = await outbound.request({ url, method: "GET", runPolicy, signal });
  expect(result.ok ? "answered" : result.error.code).toBe(outcome);
  expect(outbound.checkEndpoint(url, { runPolicy }).ok).toBe(outcome === "answered");
  expect(provider.requests).toHaveLength(outcome === "answered" ? 1 : 0);
});

test("extends a run's allowlist by the client's own", async () => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound({ allow: [provider.origin] });
  const runPolicy: RunPolicy = { name: "allowlist", allow: ["https://models.example"] };
  expect(outbound.checkEndpoint(provider.url, { runPolicy }).ok).toBe(true);
});

test("refuses a private address for a public run, even over an open connection", async () => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound({ resolve: async () => [{ address: "127.0.0.1", family: 4 }] });
  const url = `http://models.example:${new URL(provider.origin).port}/v1/models`;
  const ask = (runPolicy: RunPolicy | null) => outbound.request({ url, method: "GET", runPolicy, signal });
  expect((await ask(null)).ok).toBe(true);
  expect(await ask({ name: "public", allow: [] })).toMatchObject({ error: { code: "endpoint_address_refused" } });
  expect(provider.requests).toHaveLength(1);
});
