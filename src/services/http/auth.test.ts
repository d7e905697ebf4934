import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { ApiKey, Scope } from "../../settings/api-keys.ts";
import { requireScope } from "./auth.ts";
import { testShell } from "./test-shell.ts";

const key = (name: string, ...scopes: Scope[]): ApiKey => ({
  name,
  sha256: createHash("sha256").update(`${name}-secret`).digest("hex"),
  scopes: new Set(scopes),
});

const app = testShell({ apiKeys: [key("ci", "evaluate"), key("boss", "admin"), key("reader", "models:read")] });
app.post("/evaluate", requireScope("evaluate"), (context) => context.json({ caller: context.get("caller").name }));
app.get("/open-to-any-key", (context) => context.text("ok"));

const post = async (headers: Record<string, string>) => {
  const response = await app.request("/evaluate", { method: "POST", headers });
  return {
    status: response.status,
    headers: response.headers,
    ...((await response.json()) as { code?: string; caller?: string }),
  };
};

test("both headers and any case of the scheme lead to the same key", async () => {
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
])("%j is answered 401 with a challenge", async (headers, code) => {
  const answer = await post(headers);
  expect(answer).toMatchObject({ status: 401, code });
  expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
});

test("a key without the scope is refused, and admin has every scope", async () => {
  expect(await post({ "x-api-key": "reader-secret" })).toMatchObject({ status: 403, code: "scope_missing" });
  expect(await post({ "x-api-key": "boss-secret" })).toMatchObject({ status: 200, caller: "boss" });
});

test("a route that forgot to ask for a scope is still closed, and unknown routes do not show themselves", async () => {
  expect((await app.request("/open-to-any-key")).status).toBe(401);
  expect((await app.request("/nowhere")).status).toBe(401);
});

test("health and documentation need no key", async () => {
  for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs"])
    expect((await app.request(path)).status).toBe(200);
});

test("without configured keys everybody may do everything, whatever key they send", async () => {
  const open = testShell();
  open.post("/evaluate", requireScope("evaluate"), (context) => context.text("ok"));
  expect((await open.request("/evaluate", { method: "POST", headers: { authorization: "Bearer dummy" } })).status).toBe(
    200,
  );
});
