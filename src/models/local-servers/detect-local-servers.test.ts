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

test("looks for four servers at their default ports", () => {
  expect(knownServers.map(({ kind, port }) => `${kind} ${port}`)).toEqual([
    "ollama 11434",
    "lm-studio 1234",
    "llama.cpp 8080",
    "vllm 8000",
  ]);
});

test("returns a server with its models", async () => {
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
])("recognizes a server by the owner of its models (%j: %s)", async (owned_by, kind) => {
  const { servers } = await detect(json({ data: [{ id: "m", owned_by }] }));
  expect(servers).toMatchObject([{ kind }]);
});

test("returns a server without models", async () => {
  expect((await detect(json({ object: "list", data: null }))).servers).toMatchObject([{ models: [] }]);
  expect((await detect(json({ data: [] }))).servers).toMatchObject([{ models: [] }]);
});

test("returns a server that requires a key", async () => {
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
])("does not take %s for a model server", async (_, behaviour) => {
  expect((await detect(behaviour)).servers).toEqual([]);
});

test("leaves out a silent port without a second try", async () => {
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

test("skips its own ports", async () => {
  const { servers, sent } = await detect(json({ data: [] }), { own: true });
  expect(servers).toEqual([]);
  expect(sent).toEqual([]);
});

test("finds nothing for a client that may not call loopback", async () => {
  const { servers, sent } = await detect(json({ data: [] }), { policy: "public" });
  expect(servers).toEqual([]);
  expect(sent).toEqual([]);
});

test("rejects with the caller's reason on abort", async () => {
  const controller = new AbortController();
  const giveUp: Behaviour = () => controller.abort(new Error("enough"));
  await expect(detect(giveUp, { signal: controller.signal })).rejects.toThrow("enough");
});
