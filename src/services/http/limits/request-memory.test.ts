import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { testShell } from "../../../../test/support/test-shell.ts";
import { createByteBudget, memoryPerByte } from "../../../base/byte-budget.ts";
import type { ApiKey } from "../../../settings/api-keys.ts";
import { readSettings } from "../../../settings.ts";
import { listen } from "../listen.ts";
import { createLog } from "../log.ts";
import { readJson } from "../body/read-json.ts";
import { holdAnswer, memoryOf } from "./request-memory.ts";

const limits = readSettings({}).settings.http;
const bodyLimits = { bytes: 64 * 1024 * 1024, depth: 32, keys: 1000 };
const megabyte = 1024 * 1024;

const key = (name: string): ApiKey => ({
  name,
  sha256: createHash("sha256").update(name).digest("hex"),
  scopes: new Set(["admin"]),
});

/** A server with memory for this many bytes of bodies, and a route that holds its requests until the test releases them. */
async function serverFor(bytes: number, { apiKeys = [] }: { apiKeys?: readonly ApiKey[] } = {}) {
  const memory = createByteBudget(bytes * memoryPerByte);
  const load = () => ({ lagMs: 0, rssBytes: 0, heapShare: 0 });
  const overload = { requests: 100, lagMs: 250, rssBytes: Number.MAX_SAFE_INTEGER, load, memory };
  const app = testShell({ overload, apiKeys });
  const held: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => held.push(resolve));
  app.on("POST /hold", async (context) => {
    await readJson(context, bodyLimits);
    await work();
    return context.text("done");
  });
  app.on("POST /continue", async (context) => {
    await readJson(context, bodyLimits);
    memoryOf(context).keepDuring(work());
    return context.text("begun");
  });
  const log = createLog({ level: "silent" });
  const server = await listen({ app, host: "127.0.0.1", port: 0, limits, log, version: "9.9.9" });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(async () => {
    agent.destroy();
    await server.close(0);
  });

  /** Sends the head of a request. */
  function begin(announced: number | "chunked", options: { path?: string; key?: string } = {}): ClientRequest {
    const length = announced === "chunked" ? {} : { "content-length": announced };
    const headers = { "content-type": "application/json", "x-api-key": options.key ?? "", ...length };
    const outgoing = request(`${server.url}${options.path ?? "/hold"}`, { method: "POST", agent, headers });
    outgoing.on("error", () => {});
    outgoing.flushHeaders();
    return outgoing;
  }
  async function answerTo(outgoing: ClientRequest) {
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    const body = await text(answer);
    return { status: answer.statusCode, retryAfter: answer.headers["retry-after"], body, answer };
  }
  const bodyOf = (size: number) => JSON.stringify("ж".repeat((size - 2) / 2));
  /** Sends a whole body and resolves when the route holds it. */
  async function hold(size: number, options: { key?: string } = {}) {
    const before = held.length;
    const outgoing = begin(size, options).end(bodyOf(size));
    await vi.waitFor(() => expect(held).toHaveLength(before + 1), 60_000);
    return outgoing;
  }
  async function get(path: string): Promise<IncomingMessage> {
    const [answer] = (await once(request(`${server.url}${path}`, { agent }).end(), "response")) as [IncomingMessage];
    return answer;
  }
  return {
    app,
    get,
    memory,
    held,
    begin,
    answerTo,
    hold,
    bodyOf,
    releaseAll: () => held.splice(0).forEach((end) => end()),
  };
}

test("refuses a body without memory before it is sent, and admits a later one", async () => {
  const { begin, answerTo, hold, releaseAll, memory } = await serverFor(3 * megabyte);
  const taken = await hold(2 * megabyte);
  const refused = await answerTo(begin(2 * megabyte));
  expect(refused).toMatchObject({ status: 503, retryAfter: "2" });
  expect(JSON.parse(refused.body)).toMatchObject({ code: "overloaded", retryable: true });
  const small = await hold(megabyte);
  releaseAll();
  expect([(await answerTo(taken)).status, (await answerTo(small)).status]).toEqual([200, 200]);
  await vi.waitFor(() => expect(memory.used).toBe(0), 60_000);
  const next = await hold(2 * megabyte);
  releaseAll();
  expect((await answerTo(next)).status).toBe(200);
});

test("refuses a chunked body when it outgrows the memory", async () => {
  const { begin, answerTo, hold, releaseAll, memory } = await serverFor(3 * megabyte);
  const taken = await hold(2 * megabyte);
  const growing = begin("chunked");
  growing.write(Buffer.alloc(megabyte / 2, "["));
  growing.write(Buffer.alloc(megabyte, "["));
  expect(await answerTo(growing)).toMatchObject({ status: 503 });
  releaseAll();
  await answerTo(taken);
  await vi.waitFor(() => expect(memory.used).toBe(0), 60_000);
});

test("lets a client finish sending a refused chunked body", async () => {
  const { begin, answerTo, hold } = await serverFor(3 * megabyte);
  await hold(2 * megabyte);
  const growing = begin("chunked");
  growing.write(Buffer.alloc(2 * megabyte, "["));
  expect(await answerTo(growing)).toMatchObject({ status: 503 });
  const outcome = new Promise((resolve) =>
    growing.once("finish", () => resolve("sent")).once("close", () => resolve("cut")),
  );
  await setTimeout(800);
  growing.end(Buffer.alloc(megabyte, "["));
  expect(await outcome).toBe("sent");
});

test("leaves memory for other keys", async () => {
  const { begin, answerTo, hold } = await serverFor(6 * megabyte, { apiKeys: [key("greedy"), key("modest")] });
  for (let index = 0; index < 4; index += 1) await hold(megabyte, { key: "greedy" });
  expect(await answerTo(begin(megabyte, { key: "greedy" }))).toMatchObject({ status: 503 });
  await hold(megabyte, { key: "modest" });
});

test("refuses a body larger than all the memory as too large", async () => {
  const { begin, answerTo } = await serverFor(megabyte);
  const { status, body } = await answerTo(begin(2 * megabyte));
  expect(status).toBe(413);
  expect(JSON.parse(body)).toMatchObject({ code: "body_too_large", detail: expect.stringContaining(String(megabyte)) });
});

test("releases the memory on disconnect, unless the work continues", async () => {
  const { begin, bodyOf, hold, releaseAll, memory, answerTo } = await serverFor(3 * megabyte);
  (await hold(megabyte)).destroy();
  await vi.waitFor(() => expect(memory.used).toBe(0), 60_000);
  const begun = begin(megabyte, { path: "/continue" }).end(bodyOf(megabyte));
  expect(await answerTo(begun)).toMatchObject({ status: 200 });
  expect(memory.used).toBe(megabyte * memoryPerByte);
  releaseAll();
  await vi.waitFor(() => expect(memory.used).toBe(0), 60_000);
});

test("lets a client send everything before it reads its refusal", async () => {
  const { begin, answerTo, hold, bodyOf } = await serverFor(8 * megabyte);
  await hold(2 * megabyte);
  const refused = begin(7 * megabyte);
  const sent = new Promise((resolve) => refused.end(bodyOf(7 * megabyte), () => resolve("all")));
  const { status } = await answerTo(refused);
  expect([status, await sent]).toEqual([503, "all"]);
});

test("drops the next refused body when earlier clients have left", async () => {
  const { begin, answerTo, hold, bodyOf } = await serverFor(8 * megabyte);
  await hold(2 * megabyte);
  // More than are dropped at the same time.
  for (let client = 0; client < 6; client += 1) {
    const leaving = begin(7 * megabyte);
    leaving.write(Buffer.alloc(megabyte, "["));
    expect(await answerTo(leaving)).toMatchObject({ status: 503 });
    leaving.destroy();
  }
  const refused = begin(7 * megabyte);
  const outcome = new Promise((resolve) =>
    refused.once("finish", () => resolve("sent")).once("close", () => resolve("cut")),
  );
  refused.end(bodyOf(7 * megabyte));
  expect([(await answerTo(refused)).status, await Promise.race([outcome, setTimeout(10_000, "stuck")])]).toEqual([
    503,
    "sent",
  ]);
});

test("refuses a response for which there is no memory, however often it is requested", async () => {
  const { app, get, memory } = await serverFor(24 * megabyte);
  // More than the system buffers.
  const large = "x".repeat(16 * megabyte);
  app.on("GET /large", (context) => context.json(holdAnswer(context, { large })));
  const answers = await Promise.all([get("/large"), get("/large"), get("/large")]);
  // The first one is not read yet.
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 503, 503]);
  for (const answer of answers) answer.resume();
  await vi.waitFor(() => expect(memory.used).toBe(0), 60_000);
  expect((await get("/large")).statusCode).toBe(200);
});
