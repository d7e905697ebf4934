import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { createRouter } from "../../models/routing/router.ts";
import { parseHubProviders } from "../../models/routing/hub-providers.ts";
import { readSettings } from "../../settings.ts";
import { createClients } from "./clients.ts";
import { createProviders, readModelAliases, studioLister } from "./providers.ts";

const one = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
const two = "9b2f6c1e-0000-4000-8000-000000000002";

async function studioModels(body: unknown) {
  await using provider = await startFakeProvider({ behaviour: json(body) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const { settings } = readSettings({ STUDIO_BASE_URL: provider.url });
  const providers = createProviders({ settings, hubProviders: [], outbound, demo: null });
  return { ...(await studioLister(providers)()).models };
}

test("uses separate keys for providers at one origin, for their models and their lists", async () => {
  await using provider = await startFakeProvider({ behaviour: json({ data: [{ id: one }], content: "Hi" }) });
  const { settings } = readSettings({
    HUB_BASE_URL: provider.url,
    HUB_API_KEY: "sk-hub",
    STUDIO_BASE_URL: provider.url,
    STUDIO_API_KEY: "sk-studio",
  });
  const table = {
    a: { base_url: provider.url, key_env: "KEY_A" },
    b: { base_url: provider.url, key_env: "KEY_B" },
    claude: { base_url: provider.url, key_env: "KEY_C", protocol: "anthropic-messages" },
  };
  const hubProviders = parseHubProviders(JSON.stringify(table), { KEY_A: "sk-a", KEY_B: "sk-b", KEY_C: "sk-c" });
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders });
  const providers = createProviders({ settings, hubProviders, outbound: clients.agent, demo: null });
  const router = createRouter(providers);

  const keysOf = async (work: () => Promise<unknown>) => {
    const before = provider.requests.length;
    await work();
    const { headers } = provider.requests[before] ?? {};
    return [headers?.authorization, headers?.["x-api-key"]];
  };
  const ask = async (id: string) => {
    const { model } = await router.route(id);
    await model({ messages: [{ role: "user", content: "Hello" }] }, { signal: new AbortController().signal });
  };
  expect(await keysOf(() => ask("any/model"))).toEqual(["Bearer sk-hub", undefined]);
  expect(await keysOf(() => ask(one))).toEqual(["Bearer sk-studio", undefined]);
  expect(await keysOf(() => ask("a/model"))).toEqual(["Bearer sk-a", undefined]);
  expect(await keysOf(() => ask("b/model"))).toEqual(["Bearer sk-b", undefined]);
  expect(await keysOf(() => ask("claude/model"))).toEqual([undefined, "sk-c"]);
  expect(await keysOf(studioLister(providers))).toEqual(["Bearer sk-studio", undefined]);

  const before = provider.requests.length;
  await providers.listHubModels?.();
  const lists = provider.requests.slice(before).map(({ headers }) => headers["x-api-key"] ?? headers.authorization);
  expect(lists.toSorted()).toEqual(["Bearer sk-a", "Bearer sk-b", "Bearer sk-hub", "sk-c"]);
});

test("sends the studio's key to models of the models file at its own origin only", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider();
  await using other = await startFakeProvider();
  const entries = { a: { id: one, base_url: `${provider.origin}/a/v1` }, b: { id: two, base_url: other.url } };
  await writeFile(folder.file("models.json"), JSON.stringify(entries));
  const { settings } = readSettings({
    STUDIO_BASE_URL: provider.url,
    STUDIO_API_KEY: "sk-studio",
    STUDIO_MODELS_FILE: folder.file("models.json"),
  });
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders: [] });
  const router = createRouter(createProviders({ settings, hubProviders: [], outbound: clients.agent, demo: null }));
  for (const id of [one, two]) {
    const { model } = await router.route(id);
    await model({ messages: [{ role: "user", content: "Hello" }] }, { signal: new AbortController().signal });
  }
  expect(provider.requests).toMatchObject([
    { path: "/a/v1/chat/completions", headers: { authorization: "Bearer sk-studio" } },
  ]);
  expect(other.requests).toHaveLength(1);
  expect(other.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("lists the models of a hub in its protocol", async () => {
  await using provider = await startFakeProvider({ behaviour: json({ data: [{ id: "claude" }] }) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const table = { own: { base_url: `${provider.origin}/anthropic`, protocol: "anthropic-messages" } };
  const hubProviders = parseHubProviders(JSON.stringify(table), {});
  const { listHubModels } = createProviders({
    settings: readSettings({}).settings,
    hubProviders,
    outbound,
    demo: null,
  });
  expect(await listHubModels?.()).toEqual(["own/claude"]);
  expect(provider.requests).toMatchObject([
    { path: "/anthropic/v1/models", headers: { "anthropic-version": "2023-06-01" } },
  ]);
});

test.each<[string, unknown, object]>([
  [
    "a UUID beside another id",
    { data: [{ id: "support-v1", uuid: one }, { id: "base-model" }] },
    { "support-v1": one },
  ],
  [
    "two names for one UUID",
    {
      data: [
        { id: one, name: "a" },
        { id: one, name: "b" },
      ],
    },
    { a: one, b: one },
  ],
  ["a map of entries, as a models file has it", { alpha: { id: one }, beta: { id: two } }, { alpha: one, beta: two }],
])("lists fine-tuned models from %s", async (_, body, expected) => {
  expect(await studioModels(body)).toEqual(expected);
});

test("accepts aliases of hub models and fine-tuned models", () => {
  const uuid = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
  expect(readModelAliases(["fast = groq/llama:free=1", `support=${uuid}`])).toEqual({
    fast: "groq/llama:free=1",
    support: uuid,
  });
  expect(readModelAliases([])).toEqual({});
});

test.each([
  ["fast", "is neither a UUID nor <provider>/<model_name>"],
  ["fast=other", "is neither a UUID nor <provider>/<model_name>"],
  ["a/b=groq/llama", "may not contain a slash"],
  ["=groq/llama", "printable ASCII"],
])("refuses %j and says why", (entry, reason) => {
  expect(() => readModelAliases([entry])).toThrow(/^AGENT_MODEL_ALIASES is not a list of alias=model\. [^\n]+$/);
  expect(() => readModelAliases([entry])).toThrow(reason);
});

test("refuses an alias with two models", () => {
  expect(() => readModelAliases(["a=b/c", "a=d/e"])).toThrow("AGENT_MODEL_ALIASES names an alias twice");
});
