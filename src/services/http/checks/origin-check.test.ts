import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testShell } from "../../../../test/support/test-shell.ts";
import { agentOperations } from "../../../services/agent/app.ts";
import { evaluationOperations } from "../../../services/evaluation/app.ts";
import { toOpenApi } from "../../../contract/operations/openapi.ts";
import { loopbackOrigins, corsResponseHeaders, corsRequestHeaders } from "./origin-check.ts";

let calls = 0;
const app = testShell({ allowedOrigins: () => loopbackOrigins(8000) });
app.on("POST /run", (context) => {
  calls += 1;
  return context.json({ ok: true });
});

const send = (method: string, headers: Record<string, string>, path = "/run") =>
  app.request(`http://localhost:8001${path}`, { method, headers });

test("needs no origin from callers that are not browsers", async () => {
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
])("runs nothing for a %s", async (_name, headers) => {
  const before = calls;
  const response = await send("POST", headers);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: "origin_not_allowed" });
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  expect(calls).toBe(before);
});

test("refuses reads of a foreign origin, but follows a link from another site", async () => {
  expect((await send("GET", { origin: "https://evil.example" }, "/healthz")).status).toBe(403);
  expect((await send("GET", { "sec-fetch-site": "cross-site" }, "/healthz")).status).toBe(200);
});

test("sends CORS headers to a listed page only, not to the service's own", async () => {
  const own = await send("POST", { origin: "http://localhost:8001", "sec-fetch-site": "same-origin" });
  expect([own.status, own.headers.get("access-control-allow-origin")]).toEqual([200, null]);

  const listed = await send("POST", { origin: "http://127.0.0.1:8000", "sec-fetch-site": "cross-site" });
  expect([listed.status, listed.headers.get("access-control-allow-origin")]).toEqual([200, "http://127.0.0.1:8000"]);
  expect(listed.headers.get("vary")).toContain("Origin");
});

test("answers preflights of listed origins only, which can also read errors", async () => {
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

const operations = [...agentOperations, ...evaluationOperations];

const folder = join(import.meta.dirname, "../..");
const sources = globSync("**/*.ts", { cwd: folder })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(folder, file), "utf8"))
  .join("\n");

const named = (pattern: RegExp) => Array.from(sources.matchAll(pattern), ([, name = ""]) => name);
const except = (names: readonly string[], others: readonly string[]) =>
  [...new Set(names)].filter((name) => !others.includes(name));

/** Set by the browser, useless to a page elsewhere, or refused unless it has its neutral value. */
const notForPages = [
  "accept-encoding",
  "access-control-request-method",
  "content-encoding",
  "content-length",
  "host",
  "if-none-match",
  "origin",
  "rehearsal-world",
  "sec-fetch-site",
  "transfer-encoding",
];

test("lets a page of an allowed origin send every header the services read", () => {
  const read = named(/req\.header\("([a-z-]+)"\)/g);
  const documented = operations.flatMap(({ headers = {} }) => Object.keys(headers));
  expect(read).toContain("x-thread-id");
  expect(documented).toContain("mcp-protocol-version");
  expect(except([...read, ...documented], [...corsRequestHeaders, ...notForPages])).toEqual([]);
});

/** Meant for browsers or proxies, or readable without permission. */
const notForPrograms =
  /^(?:access-control|cross-origin)-|^(?:cache-control|content-encoding|content-length|content-security-policy|content-type|referrer-policy|x-accel-buffering|x-content-type-options)$/;

test("lets it read every header they send", () => {
  const sent = [
    ...named(/"([a-z]+(?:-[a-z]+)+)":/g),
    ...named(/context\.header\("([a-z-]+)"/g),
    ...named(/\bheaders\["([a-z-]+)"\] = /g),
  ];
  expect(sent).toContain("x-run-id");
  expect(sent).toContain("location");
  expect(except(sent, corsResponseHeaders).filter((name) => !notForPrograms.test(name))).toEqual([]);
});

test("documents each of them in the OpenAPI document", () => {
  const { paths, components } = toOpenApi({ title: "Test", version: "1", description: "", operations });
  const answers = Object.values(paths)
    .flatMap((routes) => Object.values(routes))
    .flatMap(({ responses }) => Object.values(responses as Record<string, object>))
    .concat(Object.values(components.responses) as object[]);
  const documented = new Set(
    answers.flatMap((answer) => ("headers" in answer ? Object.keys(answer.headers as object) : [])),
  );
  // No route responds with 405: it is for the other methods of a path.
  expect([...documented, "allow"].toSorted()).toEqual(corsResponseHeaders);
});
