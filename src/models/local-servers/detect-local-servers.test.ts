import { expect, test } from "vitest";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import type { Behaviour } from "../../../test/support/fake-provider/behaviour.ts";
import { serverError, unauthorized } from "../../../test/support/fake-provider/error-statuses.ts";
import { html, raw } from "../../../test/support/fake-provider/malformed-replies.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { createOutbound } from "../outbound/create-outbound.ts";
import { detectLocalServers, knownServers, type DetectOptions, type LocalServerKind } from "./detect-local-servers.ts";

const never: Behaviour = () => {};

async function detect(
  behaviour: Behaviour,
  { kind = "vllm", ...options }: Partial<DetectOptions> & { kind?: LocalServerKind; own?: boolean } = {},
) {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound();
  const port = Number(new URL(provider.origin).port);
  const { signal } = new AbortController();
  const servers = await detectLocalServers({
    outbound,
    signal,
    candidates: [{ kind, port }],
    ...(options.own && { ownPorts: [port] }),
    ...options,
  });
  return { servers, sent: provider.requests, base_url: provider.url };
}

test("the four servers are looked for where they listen by default", () => {
  expect(knownServers.map(({ kind, port }) => `${kind} ${port}`)).toEqual([
    "ollama 11434",
    "lm-studio 1234",
    "llama.cpp 8080",
    "vllm 8000",
  ]);
});

test("a server that lists its models is offered with them", async () => {
  const { servers, sent, base_url } = await detect(
    json({ object: "list", data: [{ id: "qwen3:4b", object: "model", owned_by: "library" }] }),
    { kind: "ollama" },
  );
  expect(servers).toEqual([
    { kind: "ollama", base_url, models: [{ id: "qwen3:4b", name: "qwen3:4b" }], needs_key: false },
  ]);
  expect(sent).toMatchObject([{ method: "GET", path: "/v1/models" }]);
});

test.each([
  ["vllm", "vllm"],
  ["llamacpp", "llama.cpp"],
  ["library", "ollama"],
  ["organization_owner", "lm-studio"],
  ["someone else", "vllm"],
])("a server whose models are owned by %j is %s, whatever its port", async (owned_by, kind) => {
  const { servers } = await detect(json({ data: [{ id: "m", owned_by }] }));
  expect(servers).toMatchObject([{ kind }]);
});

test("a server without models is there all the same", async () => {
  expect((await detect(json({ object: "list", data: null }))).servers).toMatchObject([{ models: [] }]);
  expect((await detect(json({ data: [] }))).servers).toMatchObject([{ models: [] }]);
});

test("a server that wants a key is there and says so", async () => {
  expect((await detect(unauthorized)).servers).toMatchObject([{ models: [], needs_key: true }]);
});

const ourselves = raw('{"data":[{"id":"demo/retrieval"}]}', { "rehearsal-version": "1.0.0" });

test.each<[string, Behaviour]>([
  ["a web page", html],
  ["a login page", raw("<form>", { "content-type": "text/html" }, 401)],
  ["an error", serverError],
  ["another JSON service", json({ status: "ok" })],
  ["no JSON", raw("pong")],
  ["the service itself", ourselves],
])("%s is no model server", async (_, behaviour) => {
  expect((await detect(behaviour)).servers).toEqual([]);
});

test("what does not answer is left out, without a second try", async () => {
  const { servers, sent } = await detect(never, { timeoutMs: 1_000 });
  expect(servers).toEqual([]);
  expect(sent).toHaveLength(1);
  await using outbound = createOutbound();
  await using provider = await startFakeProvider();
  const port = Number(new URL(provider.origin).port);
  await provider.close();
  const { signal } = new AbortController();
  expect(await detectLocalServers({ outbound, signal, candidates: [{ kind: "vllm", port }] })).toEqual([]);
});

test("our own ports are not asked", async () => {
  const { servers, sent } = await detect(json({ data: [] }), { own: true });
  expect(servers).toEqual([]);
  expect(sent).toEqual([]);
});

test("a client that may not call loopback finds nothing there", async () => {
  const { servers, sent } = await detect(json({ data: [] }), { policy: "public" });
  expect(servers).toEqual([]);
  expect(sent).toEqual([]);
});

test("a caller that gives up gets its own reason back", async () => {
  const controller = new AbortController();
  const giveUp: Behaviour = () => controller.abort(new Error("enough"));
  await expect(detect(giveUp, { signal: controller.signal })).rejects.toThrow("enough");
});
