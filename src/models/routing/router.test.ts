import { expect, test } from "vitest";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { createStudioRegistry, type StudioModel } from "../studio/studio-registry.ts";
import { createRouter } from "./router.ts";
import type { ModelFactory, StudioProvider } from "./providers.ts";

const first = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
const second = "9b2f6c1e-0000-4000-8000-000000000002";

const silent: ChatModel = () => Promise.reject(new Error("routing must not call a model"));

/** A provider that notes which upstream models it was asked to make. */
function fakeProvider(): ModelFactory & { made: string[] } {
  const made: string[] = [];
  const create = (upstreamModel: string) => {
    made.push(upstreamModel);
    return silent;
  };
  return Object.assign(create, { made });
}

function fakeStudio(models: readonly StudioModel[] | Error, parts: Partial<StudioProvider> = {}): StudioProvider {
  const list = () => (models instanceof Error ? Promise.reject(models) : Promise.resolve(models));
  return { registry: createStudioRegistry({ source: { list } }), fromFile: true, ...parts };
}

const demo = {
  hub: { "demo/scripted": silent, "demo/retrieval": silent },
  studio: { "demo-support-v1": { id: first, model: silent } },
};

test.each([
  first.toUpperCase(),
  "00000000-0000-0000-0000-000000000000",
  `urn:uuid:${first}`,
  first.replaceAll("-", ""),
])("sends %s to the fine-tuned provider unchanged, without loading its list", async (id) => {
  const create = fakeProvider();
  const studio = fakeStudio(new Error("not asked"), { fromFile: false, create });
  const routed = await createRouter({ studio, hub: fakeProvider() }).route(id);
  expect(routed).toMatchObject({ provider: "fine-tuned", resolved: id, upstreamModel: id });
  expect(create.made).toEqual([id]);
});

test("sends the hub the whole value with slashes and tag", async () => {
  const hub = fakeProvider();
  const routed = await createRouter({ hub }).route("hf/meta-llama/Llama-3.1-8B:free");
  expect(routed).toMatchObject({ provider: "hub", resolved: "hf/meta-llama/Llama-3.1-8B:free" });
  expect(hub.made).toEqual(["hf/meta-llama/Llama-3.1-8B:free"]);
});

test("sends a named provider the part after the first slash", async () => {
  const [hub, local] = [fakeProvider(), fakeProvider()];
  const routed = await createRouter({ hub, hubProviders: { local } }).route("local/org/model");
  expect(routed).toMatchObject({ provider: "hub", resolved: "local/org/model", upstreamModel: "org/model" });
  expect([hub.made, local.made]).toEqual([[], ["org/model"]]);
});

test("routes an alias to its target and reports the target", async () => {
  const hub = fakeProvider();
  const router = createRouter({ hub, aliases: { default: "openai/gpt-4o" } });
  expect(await router.route("default")).toMatchObject({ resolved: "openai/gpt-4o" });
  expect(hub.made).toEqual(["openai/gpt-4o"]);
});

test("refuses an alias in the form of a model id at start-up", () => {
  expect(() => createRouter({ aliases: { "a/b": first } })).toThrow(/may not contain a slash/);
});

test("routes a unique name of a fine-tuned model to its UUID", async () => {
  const create = fakeProvider();
  const router = createRouter({ studio: fakeStudio([{ name: "support", id: second }], { fromFile: false, create }) });
  expect(await router.route("support")).toMatchObject({ provider: "fine-tuned", resolved: second });
  expect(create.made).toEqual([second]);
});

test("refuses an ambiguous name with both UUIDs", async () => {
  const models = [first, second].map((id) => ({ name: "support", id }));
  const router = createRouter({ studio: fakeStudio(models, { create: fakeProvider() }) });
  await expect(router.route("support")).rejects.toMatchObject({
    code: "model_id_invalid",
    suggestions: [first, second],
  });
});

test("refuses an unknown value with suggestions, without creating a model", async () => {
  const [hub, create] = [fakeProvider(), fakeProvider()];
  const router = createRouter({
    hub,
    knownHubModels: () => ["openai/gpt-4o", "openai/o3"],
    aliases: { default: "openai/gpt-4o" },
    studio: fakeStudio([{ name: "support-v2", id: second }], { create }),
  });
  await expect(router.route("suport-v2")).rejects.toMatchObject({
    code: "model_id_invalid",
    message: expect.stringMatching(/UUID of a fine-tuned model .* or <provider>\/<model_name>/),
    suggestions: expect.arrayContaining(["support-v2"]),
  });
  await expect(router.route("gpt-4o")).rejects.toMatchObject({
    suggestions: ["openai/gpt-4o", expect.anything(), expect.anything(), expect.anything()],
  });
  expect([hub.made, create.made]).toEqual([[], []]);
});

test("suggests the UUID of a name that the header cannot carry", async () => {
  const studio = fakeStudio([{ name: "Support Bot", id: second }], { create: fakeProvider() });
  await expect(createRouter({ studio }).route("support-bot")).rejects.toMatchObject({ suggestions: [second] });
});

test("refuses an unknown name when the list cannot be read", async () => {
  const router = createRouter({ studio: fakeStudio(new Error("down"), { create: fakeProvider() }) });
  await expect(router.route("plain")).rejects.toMatchObject({
    code: "model_id_invalid",
    message: expect.stringContaining("could not be read just now"),
  });
});

test.each(["toString", "__proto__", "constructor"])("does not find %s unless it is configured", async (name) => {
  const router = createRouter({ demo, aliases: {}, hubProviders: {} });
  await expect(router.route(name)).rejects.toMatchObject({ code: "model_id_invalid" });
  await expect(router.route(`${name}/x`)).rejects.toMatchObject({ code: "model_not_found" });
});

test("names the setting for a hub model without a hub", async () => {
  await expect(createRouter({}).route("openai/gpt-4o")).rejects.toMatchObject({
    code: "model_not_found",
    message: 'No provider serves "openai/gpt-4o": no hub is configured',
    hint: expect.stringContaining("HUB_BASE_URL"),
  });
  await expect(createRouter({ demo }).route("openai/gpt-4o")).rejects.toMatchObject({
    message: 'No provider serves "openai/gpt-4o": the providers here are demo',
  });
});

test("suggests the nearest id for an unknown demo model", async () => {
  const failure = await createRouter({ demo })
    .route("demo/script")
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "model_not_found", message: expect.stringContaining('"demo" has no such') });
  expect(failure).toHaveProperty("suggestions.0", "demo/scripted");
});

test("serves demo models by id, UUID and name", async () => {
  const router = createRouter({ demo });
  expect(await router.route("demo/scripted")).toMatchObject({ provider: "demo", resolved: "demo/scripted" });
  expect(await router.route(`{${first.toUpperCase()}}`)).toMatchObject({ provider: "demo" });
  expect(await router.route("demo-support-v1")).toMatchObject({ provider: "demo", resolved: first });
});

test("does not find a UUID outside a complete list", async () => {
  await expect(createRouter({ demo }).route(second)).rejects.toMatchObject({
    code: "model_not_found",
    suggestions: [first],
  });
  const createAt = () => fakeProvider();
  const studio = fakeStudio([{ name: "a", id: first, base_url: "http://127.0.0.1:9/v1" }], { createAt });
  await expect(createRouter({ studio }).route(second)).rejects.toMatchObject({
    code: "model_not_found",
    message: expect.stringContaining("GET /studio/models does not list it"),
  });
  await expect(createRouter({}).route(second)).rejects.toMatchObject({
    message: expect.stringContaining("no fine-tuned provider is configured"),
  });
});

test("sends each model of a models file to its own address and name", async () => {
  const [create, own] = [fakeProvider(), fakeProvider()];
  const addresses: string[] = [];
  const createAt = (baseUrl: string) => {
    addresses.push(baseUrl);
    return own;
  };
  const models = [
    { name: "a", id: first, base_url: "http://127.0.0.1:9/v1", model: "ft:a" },
    { name: "b", id: second, model: "ft:b" },
  ];
  const router = createRouter({ studio: fakeStudio(models, { create, createAt }) });
  expect(await router.route(first.toUpperCase())).toMatchObject({
    resolved: first.toUpperCase(),
    upstreamModel: "ft:a",
  });
  expect(await router.route("b")).toMatchObject({ resolved: second, upstreamModel: "ft:b" });
  await router.route("00000000-0000-0000-0000-000000000000");
  expect(addresses).toEqual(["http://127.0.0.1:9/v1"]);
  expect([own.made, create.made]).toEqual([["ft:a"], ["ft:b", "00000000-0000-0000-0000-000000000000"]]);
});

test("names the missing address of a listed model", async () => {
  const router = createRouter({ studio: fakeStudio([{ name: "a", id: first }]) });
  await expect(router.route("a")).rejects.toMatchObject({
    code: "model_not_found",
    hint: "Give its entry a base_url, or set STUDIO_BASE_URL.",
  });
});

test("distinguishes a missing header from an invalid one", async () => {
  const router = createRouter({ hub: fakeProvider() });
  await expect(router.route(undefined)).rejects.toMatchObject({ code: "model_id_missing" });
  await expect(router.route("a/b, c/d")).rejects.toMatchObject({ code: "model_id_invalid" });
  expect(() => router.check("a/b, c/d")).toThrow(expect.objectContaining({ code: "model_id_invalid" }));
});

test("limits the length of an id to the operator's setting", async () => {
  const router = createRouter({ hub: fakeProvider() }, { longestId: 600 });
  const id = (length: number) => `a/${"b".repeat(length - 2)}`;
  expect(await router.route(id(600))).toMatchObject({ resolved: id(600) });
  await expect(router.route(id(601))).rejects.toThrow("is longer than 600 characters");
});
