import { expect, test } from "vitest";
import { loopbackOrigins } from "./origin-check.ts";
import { testShell } from "../../../test/support/test-shell.ts";

let calls = 0;
const app = testShell({ allowedOrigins: () => loopbackOrigins(8000) });
app.post("/run", (context) => {
  calls += 1;
  return context.json({ ok: true });
});

const send = (method: string, headers: Record<string, string>, path = "/run") =>
  app.request(`http://localhost:8001${path}`, { method, headers });

test("a caller that is no browser is not asked for an origin", async () => {
  expect((await send("POST", {})).status).toBe(200);
});

test.each<[string, Record<string, string>]>([
  ["foreign origin", { origin: "https://evil.example" }],
  ["null origin", { origin: "null" }],
  ["other port of this machine", { origin: "http://localhost:3000" }],
  ["https twin of the page", { origin: "https://localhost:8000" }],
  ["cross-site without origin", { "sec-fetch-site": "cross-site" }],
  ["own origin but cross-site", { origin: "http://localhost:8001", "sec-fetch-site": "cross-site" }],
  ["malformed origin", { origin: "localhost:8001" }],
])("nothing runs for a %s", async (_name, headers) => {
  const before = calls;
  const response = await send("POST", headers);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: "origin_not_allowed" });
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  expect(calls).toBe(before);
});

test("a foreign origin may not even read, while a link from another site works", async () => {
  expect((await send("GET", { origin: "https://evil.example" }, "/healthz")).status).toBe(403);
  expect((await send("GET", { "sec-fetch-site": "cross-site" }, "/healthz")).status).toBe(200);
});

test("the service's own page needs no permission, the listed page gets exactly its own", async () => {
  const own = await send("POST", { origin: "http://localhost:8001", "sec-fetch-site": "same-origin" });
  expect([own.status, own.headers.get("access-control-allow-origin")]).toEqual([200, null]);

  const listed = await send("POST", { origin: "http://127.0.0.1:8000", "sec-fetch-site": "cross-site" });
  expect([listed.status, listed.headers.get("access-control-allow-origin")]).toEqual([200, "http://127.0.0.1:8000"]);
  expect(listed.headers.get("vary")).toContain("Origin");
});

test("a preflight is answered for a listed origin only, and an error can be read there too", async () => {
  const ask = { "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
  const allowed = await send("OPTIONS", { origin: "http://localhost:8000", ...ask });
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("http://localhost:8000");
  const mayBeSent = allowed.headers.get("access-control-allow-headers")?.split(", ");
  expect(mayBeSent).toEqual(expect.arrayContaining(["x-thread-id", "authorization", "*"]));
  expect((await send("OPTIONS", { origin: "https://evil.example", ...ask })).status).toBe(403);

  const missing = await send("GET", { origin: "http://localhost:8000" }, "/nowhere");
  expect([missing.status, missing.headers.get("access-control-allow-origin")]).toEqual([404, "http://localhost:8000"]);
  expect(missing.headers.get("access-control-expose-headers")).toContain("x-run-id");
});
