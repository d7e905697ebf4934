import { createHash } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { testShell } from "../../../../test/support/test-shell.ts";
import type { Scope } from "../../../contract/operations/operation.ts";
import type { ApiKey } from "../../../settings/api-keys.ts";
import { defineRoute } from "../route.ts";
import { createConcurrencyPerKey } from "./auth.ts";

const key = (name: string, ...scopes: Scope[]): ApiKey => ({
  name,
  sha256: createHash("sha256").update(`${name}-secret`).digest("hex"),
  scopes: new Set(scopes),
});

const app = testShell({ apiKeys: [key("ci", "evaluate"), key("boss", "admin"), key("reader", "models:read")] });
app.on("POST /evaluate", (context) => context.json({ caller: context.get("caller").owner }), { scope: "evaluate" });

const post = async (headers: Record<string, string>) => {
  const response = await app.request("/evaluate", { method: "POST", headers });
  return {
    status: response.status,
    headers: response.headers,
    ...((await response.json()) as { code?: string; caller?: string }),
  };
};

test("accepts the key in either header, with any case of the scheme", async () => {
  expect(await post({ authorization: "Bearer ci-secret" })).toMatchObject({ status: 200, caller: "ci" });
  expect(await post({ authorization: "bearer ci-secret" })).toMatchObject({ status: 200, caller: "ci" });
  expect(await post({ "x-api-key": "ci-secret" })).toMatchObject({ status: 200, caller: "ci" });
  expect(await post({ "x-api-key": "ci-secret", authorization: "Bearer ci-secret" })).toMatchObject({ status: 200 });
});

test.each<[Record<string, string>, string]>([
  [{}, "auth_missing"],
  [{ "x-api-key": "" }, "auth_missing"],
  [{ "x-api-key": "wrong" }, "auth_invalid"],
  [{ authorization: "Basic Y2k6eA==" }, "auth_invalid"],
  [{ authorization: "Bearer" }, "auth_invalid"],
  [{ authorization: "Bearer wrong", "x-api-key": "ci-secret" }, "auth_invalid"],
  [{ authorization: "Bearer ci-secret", "x-api-key": "boss-secret" }, "auth_invalid"],
])("responds 401 with a challenge to %j", async (headers, code) => {
  const answer = await post(headers);
  expect(answer).toMatchObject({ status: 401, code });
  expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
});

test("refuses a key without the scope; admin has every scope", async () => {
  expect(await post({ "x-api-key": "reader-secret" })).toMatchObject({ status: 403, code: "scope_missing" });
  expect(await post({ "x-api-key": "boss-secret" })).toMatchObject({ status: 200, caller: "boss" });
});

test("does not reveal unknown routes, and refuses them to any key", async () => {
  expect((await app.request("/nowhere")).status).toBe(401);
  expect((await app.request("/nowhere", { headers: { "x-api-key": "boss-secret" } })).status).toBe(404);
});

test("needs no key for health and documentation", async () => {
  for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs"])
    expect((await app.request(path)).status).toBe(200);
});

test("allows everything when no keys are configured, whatever key is sent", async () => {
  const open = testShell();
  open.on("POST /evaluate", (context) => context.text("ok"), { scope: "evaluate" });
  expect((await open.request("/evaluate", { method: "POST", headers: { authorization: "Bearer dummy" } })).status).toBe(
    200,
  );
});

test("refuses guesses after ten wrong keys in a minute, but still accepts a generated key", async () => {
  const made = `rh_abcdefgh_${"x".repeat(43)}`;
  const strong: ApiKey = { ...key("strong", "admin"), sha256: createHash("sha256").update(made).digest("hex") };
  const guarded = testShell({ apiKeys: [key("ci", "admin"), strong] });
  guarded.on("GET /who", (context) => context.text(context.get("caller").owner ?? ""));
  const ask = async (secret?: string) =>
    (await guarded.request("/who", { headers: secret === undefined ? {} : { "x-api-key": secret } })).status;
  for (let index = 0; index < 10; index += 1) expect(await ask(`guess-${index}`)).toBe(401);
  expect([await ask("guess-11"), await ask("ci-secret"), await ask(`${made.slice(0, -1)}y`)]).toEqual([429, 429, 429]);
  expect(await ask(made)).toBe(200);
  // A request without a key is not a guess: the page must be able to ask for one.
  expect(await ask()).toBe(401);
});

test("requires the scope that the route declares", async () => {
  const table = testShell({ apiKeys: [key("reader", "runs:read"), key("writer", "runs:write")] });
  table.on("POST /runs/{run_id}/cancel", (context) => context.text("cancelled"), { scope: "runs:write" });
  const ask = async (name: string) =>
    (await table.request("/runs/7/cancel", { method: "POST", headers: { "x-api-key": `${name}-secret` } })).status;
  expect([await ask("reader"), await ask("writer")]).toEqual([403, 200]);
});

test("a route without a scope does not compile", () => {
  const answer = () => () => new Response();
  // @ts-expect-error: `scope` is missing
  const forgotten = defineRoute({ address: "GET /forgotten" }, answer);
  const declared = defineRoute({ address: "GET /declared", scope: "public" }, answer);
  expect([forgotten.declared.scope, declared.declared.scope]).toEqual([undefined, "public"]);
});

test("names the wait to a key over its rate limit, and serves other keys and routes", async () => {
  const limited = testShell({
    apiKeys: [key("one", "evaluate", "runs:read"), key("two", "evaluate")],
    rateLimits: { evaluate: 3 },
  });
  limited.on("POST /evaluate", (context) => context.text("ok"), { scope: "evaluate" });
  limited.on("POST /other", (context) => context.text("ok"));
  const ask = (name: string, path = "/evaluate") =>
    limited.request(path, { method: "POST", headers: { "x-api-key": `${name}-secret` } });
  for (let index = 0; index < 3; index += 1) expect((await ask("one")).status).toBe(200);
  const refused = await ask("one");
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect([(await ask("two")).status, (await ask("one", "/other")).status]).toEqual([200, 200]);
});

test.each(["GET", "HEAD"])("counts open responses to %s for their key", async (method) => {
  const overload = {
    requests: 9,
    requestsPerKey: 1,
    lagMs: 1,
    rssBytes: 1,
    load: () => ({ lagMs: 0, rssBytes: 0, heapShare: 0 }),
  };
  const limited = testShell({ apiKeys: [key("one", "evaluate"), key("two", "evaluate")], overload });
  limited.on("GET /", (context) => context.text("ok"), { scope: "evaluate" });
  const ask = async (name: string) => {
    const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
    const init = { method, headers: { "x-api-key": `${name}-secret` } };
    return { status: (await limited.request("/", init, { outgoing })).status, end: () => outgoing.emit("close") };
  };
  const first = await ask("one");
  expect([first.status, (await ask("one")).status, (await ask("two")).status]).toEqual([200, 429, 200]);
  first.end();
  expect((await ask("one")).status).toBe(200);
});

const answer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

test("limits the open responses of a key, whatever other keys have", () => {
  const open = createConcurrencyPerKey(2);
  const [first, second] = [answer(), answer()];
  open(first, "a");
  open(second, "a");
  expect(() => open(answer(), "a")).toThrow("This key already has 2 requests in progress");
  expect(() => open(answer(), "b")).not.toThrow();
  first.emit("close");
  expect(() => open(answer(), "a")).not.toThrow();
  expect(() => open(answer(), "a")).toThrow("2 requests");
});

test("has no limit when none is configured", () => {
  const open = createConcurrencyPerKey(0);
  for (let index = 0; index < 5000; index += 1) expect(() => open(answer(), "a")).not.toThrow();
});
