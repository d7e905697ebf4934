import { expect, test } from "vitest";
import type { ModelProtocol } from "../../contract/schemas/evaluation-request.ts";
import type { Behaviour } from "../../../test/support/fake-provider/behaviour.ts";
import { status, unauthorized } from "../../../test/support/fake-provider/error-statuses.ts";
import { html } from "../../../test/support/fake-provider/malformed-replies.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { startTrapServer } from "../../../test/support/trap-server.ts";
import { createOutbound } from "../outbound/create-outbound.ts";
import { listProviderModels } from "./list-models.ts";

async function list(behaviour: Behaviour, path = "/v1", protocol: ModelProtocol = "openai-chat") {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const { signal } = new AbortController();
  const result = await listProviderModels({ outbound, baseUrl: `${provider.origin}${path}`, protocol, signal });
  const versions = provider.requests.map(({ headers }) => headers["anthropic-version"]);
  return { result, paths: provider.requests.map((request) => request.path), versions };
}

const expected = [
  { id: "id-1", name: "One" },
  { id: "id-2", name: "id-2" },
];

test.each([
  ["OpenAI", { object: "list", data: [{ id: "id-1", name: "One" }, { id: "id-2" }, { nothing: true }, null] }],
  ["models", { models: [{ uuid: "id-1", name: "One" }, "id-2"] }],
  ["bare array", [{ id: "id-1", display_name: "One" }, "id-2"]],
  ["name to id", { One: "id-1", "id-2": "id-2" }],
  ["name to id, one withdrawn", { One: "id-1", "id-2": "id-2", gone: null }],
  ["models by name", { models: { One: "id-1", "id-2": { id: "id-2" }, gone: null, odd: 7 } }],
  ["name to entry", { One: { id: "id-1", base_url: "http://a/v1" }, "id-2": { uuid: "id-2" } }],
])("reads the %s format", async (_, body) => {
  expect((await list(json(body))).result).toEqual({ ok: true, models: expected });
});

test("reads null as an empty list", async () => {
  expect((await list(json({ object: "list", data: null }))).result).toEqual({ ok: true, models: [] });
});

test.each([
  ["", "/v1/models"],
  ["/api/v1/", "/api/v1/models"],
  ["/v1/chat/completions", "/v1/models"],
  ["/v1/models?x=1", "/v1/models?x=1"],
])("lists a base URL ending in %j at %s", async (path, called) => {
  expect((await list(json([]), path)).paths).toEqual([called]);
});

test("follows pages by cursor and link, each model once", async () => {
  const pages: Record<string, unknown> = {
    "/v1/models": { data: [{ id: "a" }], has_more: true, last_id: "a" },
    "/v1/models?after=a": { data: [{ id: "b" }, { id: "a" }], next: "/v1/models?page=3" },
    "/v1/models?page=3": { data: [{ id: "c" }] },
  };
  const { result, paths } = await list((call) => json(pages[call.request.path])(call));
  expect(result).toMatchObject({ ok: true, models: [{ id: "a" }, { id: "b" }, { id: "c" }] });
  expect(paths).toEqual(Object.keys(pages));
});

test.each<[string, object, string, object]>([
  ["the id of its last item", { data: [{ id: "a" }], has_more: true }, "after=a", { data: [{ id: "b" }] }],
  ["a cursor", { data: [{ id: "a" }], next_cursor: "c 1" }, "cursor=c+1", { data: [{ id: "b" }], next_cursor: null }],
  ["a page token", { data: [{ id: "a" }], next_page_token: "t" }, "page_token=t", { data: [{ id: "b" }] }],
  [
    "the number of its page",
    { data: [{ id: "a" }], page: 1, total_pages: 2 },
    "page=2",
    { data: [{ id: "b" }], page: 2, total_pages: 2 },
  ],
  ["a cursor after an empty page", { data: [], next_cursor: "c" }, "cursor=c", { data: [{ id: "a" }, { id: "b" }] }],
])("follows a list by %s", async (_, first, query, second) => {
  const { result, paths } = await list((call) => json(call.request.path === "/v1/models" ? first : second)(call));
  expect(result).toMatchObject({ ok: true, models: [{ id: "a" }, { id: "b" }] });
  expect(paths).toEqual(["/v1/models", `/v1/models?${query}`]);
});

test.each([
  ["", "/v1/models"],
  ["/v1", "/v1/models"],
  ["/anthropic", "/anthropic/v1/models"],
  ["/anthropic/v1/messages", "/anthropic/v1/models"],
])("lists the messages API at %j at %s", async (path, called) => {
  const first = { data: [{ type: "model", id: "a", display_name: "A" }], first_id: "a", last_id: "a", has_more: true };
  const last = { data: [{ type: "model", id: "b" }], first_id: "b", last_id: "b", has_more: false };
  const { result, paths, versions } = await list(
    (call) => json(call.request.path === called ? first : last)(call),
    path,
    "anthropic-messages",
  );
  expect(result).toMatchObject({ ok: true, models: [{ id: "a" }, { id: "b" }] });
  expect(paths).toEqual([called, `${called}?after_id=a`]);
  expect(versions).toEqual(["2023-06-01", "2023-06-01"]);
});

test("stops when a server ignores or refuses the next page", async () => {
  const page = { data: [{ id: "a" }], has_more: true };
  expect(await list(json(page))).toMatchObject({ result: { ok: true, models: [{ id: "a" }] }, paths: { length: 2 } });
  const refusing: Behaviour = (call) => (call.request.path === "/v1/models" ? json(page) : status(400))(call);
  expect((await list(refusing)).result).toMatchObject({ ok: true, models: [{ id: "a" }] });
  const failing: Behaviour = (call) => (call.request.path === "/v1/models" ? json(page) : status(500))(call);
  expect((await list(failing)).result).toMatchObject({ ok: false, error: { code: "upstream_error" } });
});

test("reads at most fifty pages, and a repeated page once", async () => {
  let page = 0;
  const endless: Behaviour = (call) =>
    json({ data: [{ id: `m${(page += 1)}` }], has_more: true, last_id: `m${page}` })(call);
  expect((await list(endless)).paths).toHaveLength(50);
  expect((await list(json({ data: [{ id: "a" }], has_more: true, last_id: "a" }))).paths).toHaveLength(2);
  expect((await list(json({ data: [], next_cursor: "a" }))).paths).toHaveLength(2);
});

test("does not fetch a next page on another origin", async () => {
  await using trap = await startTrapServer();
  const { result } = await list(json({ data: [{ id: "a" }], next: `${trap.url}/models` }));
  expect(result).toMatchObject({ ok: true, models: [{ id: "a" }] });
  expect(trap.hits).toBe(0);
});

test("explains why models cannot be listed", async () => {
  expect((await list(unauthorized)).result).toMatchObject({ ok: false, error: { code: "upstream_auth" } });
  expect((await list(html)).result).toMatchObject({ ok: false, error: { code: "upstream_invalid_reply" } });
  for (const body of [{ data: "x", more: 1 }, { result: null }]) {
    expect((await list(json(body))).result).toMatchObject({ ok: false });
  }
  expect((await list(json({ error: { code: 429 } }))).result).toMatchObject({
    error: { code: "upstream_rate_limited" },
  });
});

test("fails for an unusable base URL", async () => {
  await using outbound = createOutbound();
  const { signal } = new AbortController();
  expect(await listProviderModels({ outbound, baseUrl: "not a url", signal })).toMatchObject({
    ok: false,
    error: { code: "endpoint_invalid" },
  });
});
