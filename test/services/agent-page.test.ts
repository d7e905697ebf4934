import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { get, type IncomingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiKey } from "../../src/settings/api-keys.ts";
import { defineRoute } from "../../src/services/http/route.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runAgentApp, scripted, type AgentUnderTest } from "./agent-support.ts";

const code = "const answer = 42;\n".repeat(1000);
const servedConfig = (host: string) => ({
  evaluation: `http://beside.${host}`,
  version: "0",
  demo: false,
  hub_models: [],
  limits: [],
});
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let open: AgentUnderTest;
let guarded: AgentUnderTest;

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(folder.file("index.html"), "<title>The page</title>");
  await mkdir(folder.file("assets"));
  await writeFile(folder.file("assets/code.js"), code);
  await writeFile(folder.file("icon.png"), code);
  const page = { folder: folder.path, config: servedConfig };
  const key: ApiKey = {
    name: "one",
    sha256: createHash("sha256").update("secret").digest("hex"),
    scopes: new Set(["agent"] as const),
  };
  const { models } = scripted("Hi");
  open = await runAgentApp(models, { page });
  guarded = await runAgentApp(models, { page, apiKeys: [key] });
  const forgotten = defineRoute(
    { address: "GET /forgotten", scope: "agent" },
    () =>
      ({ context }) =>
        context.text("secret"),
  );
  guarded.app.mount(forgotten, undefined);
});

afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await guarded[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const visit = (agent: AgentUnderTest, path: string, headers: Record<string, string> = browser) =>
  fetch(`${agent.url}${path}`, { headers });

test("every screen of the page has an address of its own, which a bookmark or a reload finds", async () => {
  const routes = (await readFile("web/app.tsx", "utf8")).matchAll(/<Route path="([^"]+)">/g);
  const paths = [...routes].map(([, path = ""]) => path.replaceAll(":", ""));
  const answers = await Promise.all(paths.map((path) => visit(open, path, { accept: "*/*" })));
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((_, index) => answers[index]?.status !== 200)).toEqual([]);
});

test.each(["/nope", "/nope/deeper", "/nope.txt"])(
  "a browser that opens %s gets the page, with or without keys",
  async (path) => {
    for (const agent of [open, guarded]) {
      const answer = await visit(agent, path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toContain("text/html");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(await answer.text()).toContain("The page");
    }
  },
);

test.each(["/v1/nope", "/agent/nope", "/studio/nope", "/docs/nope", "/demo/v1/nope", "//nope"])(
  "where programs ask, a page is never the answer: %s",
  async (path) => {
    const answer = await visit(open, path);
    expect([answer.status, answer.headers.get("content-type")?.includes("json")]).toEqual([404, true]);
    expect((await visit(guarded, path)).status).toBe(path.startsWith("/docs") ? 404 : 401);
  },
);

test("a program that asks for no page gets none, and a route stays closed to browsers without a key", async () => {
  expect((await visit(open, "/nope", { accept: "*/*" })).headers.get("content-type")).toContain("problem+json");
  expect((await visit(guarded, "/nope", { accept: "*/*" })).status).toBe(401);
  for (const path of ["/agent/runs", "/metrics", "/mcp", "/v1/models"])
    expect((await visit(guarded, path)).status).toBe(401);
  expect((await visit(guarded, "/forgotten")).status).toBe(401);
  expect((await visit(open, "/chat/anything")).status).toBe(200);
});

test("HEAD is answered as GET is, and the methods of / are all named", async () => {
  for (const agent of [open, guarded]) {
    const head = await fetch(`${agent.url}/`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  }
  for (const method of ["OPTIONS", "PUT"]) {
    const { headers } = await fetch(`${open.url}/`, { method });
    expect(headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
  }
});

/** As it comes over the wire: `fetch` would unpack it. */
const ask = (path: string, headers: Record<string, string>) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    get(`${open.url}${path}`, { headers }, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
    }).on("error", reject);
  });

test.each([
  ["gzip", "gzip", gunzipSync],
  ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
  ["br;q=1, gzip;q=0.5", "br", brotliDecompressSync],
  ["br;q=0, gzip", "gzip", gunzipSync],
] as const)("a browser that takes %s gets files packed with %s", async (accepted, encoding, unpack) => {
  const { headers, body } = await ask("/assets/code.js", { "accept-encoding": accepted });
  expect(headers).toMatchObject({ "content-encoding": encoding, "content-type": "text/javascript; charset=utf-8" });
  expect(headers.vary).toContain("Accept-Encoding");
  expect(body.length).toBeLessThan(code.length / 10);
  expect(unpack(body).toString()).toBe(code);
  expect((await ask("/chat", { "accept-encoding": accepted })).headers["content-encoding"]).toBe(encoding);
});

test.each(["", "zstd", "br;q=0.0", "gzip;q=0", "deflate, gzip;q=0.0", "x-gzipped"])(
  "a client that accepts “%s” gets uncompressed files",
  async (accepted) => {
    const { headers, body } = await ask("/assets/code.js", { "accept-encoding": accepted });
    expect([headers["content-encoding"], body.toString()]).toEqual([undefined, code]);
    expect(headers.vary).toContain("Accept-Encoding");
  },
);

test("a picture is packed already", async () => {
  const { headers, body } = await ask("/icon.png", { "accept-encoding": "gzip" });
  expect([headers["content-encoding"], body.toString()]).toEqual([undefined, code]);
});

test("an unchanged encoding of a file is not sent again, and encodings have different tags", async () => {
  const packed = { "accept-encoding": "gzip" };
  const tag = (await ask("/runs", packed)).headers.etag ?? "";
  const again = await ask("/runs", { ...packed, "if-none-match": tag });
  expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, tag]);
  expect((await ask("/runs", { "if-none-match": tag })).status).toBe(200);
});

test("the page learns, and may call, the evaluation service on the host of its own address", async () => {
  const host = "localhost:4000";
  const config: unknown = JSON.parse((await ask("/page/config", { host })).body.toString());
  expect(config).toMatchObject({ evaluation: `http://beside.${host}` });
  const { headers } = await ask("/runs", { host });
  expect(headers["content-security-policy"]).toContain(`connect-src 'self' http://beside.${host};`);
});

test("a page that could not be read, or was not there yet, is served once it can be", async () => {
  await using place = await temporaryFolder();
  const page = { folder: place.file("built"), config: servedConfig };
  await using agent = await runAgentApp(scripted("Hi").models, { page });
  expect((await visit(agent, "/runs")).status).toBe(404);
  await writeFile(page.folder, "no folder");
  expect((await visit(agent, "/runs")).status).toBe(500);
  await rm(page.folder);
  await mkdir(page.folder);
  await writeFile(place.file("built/index.html"), "<title>The page</title>");
  expect(await (await visit(agent, "/runs")).text()).toContain("The page");
});
