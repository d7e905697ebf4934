import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleRun } from "../../test/conformance/sample-runs.ts";
import { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import { Run } from "../contract/schemas/run.ts";
import { openSqlite, type OpenedStorage } from "../storage/drivers/open-sqlite.ts";
import { concludeRun } from "./execute/conclude-run.ts";
import { createRuns } from "./create-runs.ts";
import { planRun } from "./plan/plan-run.ts";
import { fakeModel } from "../../test/support/fake-model.ts";
import { numberedScenario, planLimits } from "../../test/support/run-bench.ts";
import { createUnresponsiveUrls, deliverWebhooks, signWebhook, type SendWebhook } from "./deliver-webhooks.ts";

const key = randomBytes(32);
const secret = `whsec_${key.toString("base64")}`;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real receiver. It answers with the given statuses, then with 204. */
async function startReceiver(statuses: number[] = []) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks as Buffer[]).toString() });
      response.writeHead(statuses.shift() ?? 204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    types: () => received.map(({ body }) => (JSON.parse(body) as { type: string }).type),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const send: SendWebhook = async ({ url, ...request }) => (await fetch(url, { method: "POST", ...request })).ok;

async function openStore() {
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-webhooks-"));
  const file = join(folder, "runs.db");
  const storage = await openSqlite({ file });
  return {
    ...storage,
    file,
    async [Symbol.asyncDispose]() {
      await storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Carries one run out and returns its id. */
async function endedRun({ store, queue }: OpenedStorage, request: Record<string, unknown> = {}): Promise<string> {
  let id = 0;
  const runs = createRuns({
    store,
    queue,
    createModel: () => fakeModel(() => "something else"),
    isDemo: () => false,
    workerId: `test:${process.pid}:1`,
    newId: () => `run-${(id += 1)}-${randomBytes(4).toString("hex")}`,
    concurrency: { global: 4, perRun: 4 },
    heartbeatMs: 5_000,
    onError: () => {},
  });
  await runs.start();
  const batch = { endpoint: "http://test", model_id: "model", test_batch: numberedScenario("one", 2), ...request };
  const plan = planRun(EvaluationRequest.parse(batch), planLimits, {});
  const created = await runs.create(plan, { warnings: [], owner: null });
  if (created.outcome === "mismatch") throw new Error("mismatch");
  await runs.wait(created.run.id, AbortSignal.timeout(20_000));
  await runs.stop({ graceMs: 0 });
  return created.run.id;
}

/** Runs the delivery until `done`, as a process would, and ends it. */
async function deliverUntil(
  storage: OpenedStorage,
  urls: readonly string[],
  done: (settled: number) => boolean | Promise<boolean>,
  options: Partial<Parameters<typeof deliverWebhooks>[0]> = {},
): Promise<void> {
  const stopping = new AbortController();
  const { store } = storage;
  const errors: unknown[] = [];
  let settled = 0;
  const outbox: OpenedStorage["outbox"] = {
    ...storage.outbox,
    async settle(...reported) {
      await storage.outbox.settle(...reported);
      settled += 1;
    },
  };
  const delivering = deliverWebhooks({
    outbox,
    store,
    urls,
    secret,
    send,
    onError: (error) => errors.push(error),
    signal: stopping.signal,
    pollMs: 5,
    retryMs: 1,
    ...options,
  });
  await expect.poll(() => done(settled), { timeout: 10_000, interval: 10 }).toBe(true);
  stopping.abort();
  await delivering;
  expect(errors).toEqual([]);
}

/** Nothing is left to be sent, whatever the time. */
async function isSettled({ outbox }: OpenedStorage): Promise<boolean> {
  return (await outbox.take({ now: Number.MAX_SAFE_INTEGER - 1_000, holdMs: 0, limit: 10 })).length === 0;
}

test("delivers an ended run once, signed by the specification, with the public view of the run", async () => {
  await using storage = await openStore();
  await using receiver = await startReceiver();
  const id = await endedRun(storage);
  await deliverUntil(storage, [receiver.url], (settled) => settled > 0);
  expect(await isSettled(storage)).toBe(true);

  expect(receiver.received).toHaveLength(1);
  const { headers, body } = receiver.received[0]!;
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  expect(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1_000)).toBeLessThan(60);
  const event = JSON.parse(body) as { type: string; timestamp: string; data: unknown };
  expect(event).toMatchObject({ type: "run.completed", timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(Run.parse(event.data)).toMatchObject({ run_id: id, state: "completed" });
});

test("sends gate.failed as a second event", async () => {
  await using storage = await openStore();
  await using receiver = await startReceiver();
  await endedRun(storage, { gate: { scores: { exact_match: 0.9 } } });
  await deliverUntil(storage, [receiver.url], () => receiver.received.length === 2);
  expect(receiver.types()).toEqual(["run.completed", "gate.failed"]);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
});

test("reports a cancelled run as cancelled, and no run in progress", async () => {
  await using storage = await openStore();
  await using receiver = await startReceiver();
  const { store } = storage;
  for (const id of ["going-on", "cancelled"]) await store.runs.create(sampleRun({ id }));
  await store.runs.cancel("cancelled");
  await concludeRun("cancelled", { store, now: Date.now });
  await deliverUntil(storage, [receiver.url], (settled) => settled > 0);
  expect(receiver.types()).toEqual(["run.cancelled"]);
  expect(await isSettled(storage)).toBe(true);
});

test("retries with the same id, and only at the receiver that refused", async () => {
  await using storage = await openStore();
  await using broken = await startReceiver([500, 503]);
  await using working = await startReceiver();
  await endedRun(storage);
  await deliverUntil(storage, [broken.url, working.url], (settled) => settled === 3);
  expect(await isSettled(storage)).toBe(true);
  expect(new Set(broken.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(broken.received.map(({ body }) => body)).size).toBe(1);
  expect(working.received).toHaveLength(1);
});

test("doubles the pause after each refusal", async () => {
  await using storage = await openStore();
  await using receiver = await startReceiver(Array.from({ length: 100 }, () => 500));
  await endedRun(storage);
  const rests: number[] = [];
  let clock = Date.now();
  const outbox: OpenedStorage["outbox"] = {
    ...storage.outbox,
    async settle(runId, reported) {
      rests.push((reported.due ?? clock) - clock);
      await storage.outbox.settle(runId, reported);
      clock = reported.due ?? clock;
    },
  };
  await deliverUntil(storage, [receiver.url], () => rests.length >= 4, { outbox, now: () => clock, retryMs: 1_000 });
  // A fifth more or less keeps those that ended together from being delivered together.
  for (const [index, usual] of [1_000, 2_000, 4_000, 8_000].entries()) {
    expect(rests[index]).toBeGreaterThanOrEqual(usual * 0.8);
    expect(rests[index]).toBeLessThanOrEqual(usual * 1.2);
  }
});

test("delivers from one process only, and takes over from a process that died", async () => {
  await using storage = await openStore();
  await using receiver = await startReceiver();
  await endedRun(storage);
  const taken = await storage.outbox.take({ now: Date.now(), holdMs: 60_000, limit: 10 });
  expect(taken).toHaveLength(1);
  expect(await storage.outbox.take({ now: Date.now(), holdMs: 60_000, limit: 10 })).toEqual([]);

  await using reopened = await openSqlite({ file: storage.file });
  const later = (): number => Date.now() + 61_000;
  await deliverUntil(reopened, [receiver.url], () => receiver.received.length > 0, { now: later });
  expect(receiver.types()).toEqual(["run.completed"]);
});

test("gives up a failing receiver after a day and reports it", async () => {
  await using storage = await openStore();
  await using receiver = await startReceiver(Array.from({ length: 100 }, () => 500));
  await endedRun(storage);
  await deliverUntil(storage, [receiver.url], () => receiver.received.length >= 2);
  const errors: string[] = [];
  const nextDay = (): number => Date.now() + 25 * 3_600_000;
  const before = receiver.received.length;
  const stopping = new AbortController();
  const delivering = deliverWebhooks({
    ...storage,
    urls: [receiver.url],
    secret,
    send,
    now: nextDay,
    onError: (error) => errors.push(String(error)),
    signal: stopping.signal,
    pollMs: 5,
  });
  await expect.poll(() => errors).toHaveLength(1);
  stopping.abort();
  await delivering;
  expect(errors[0]).toContain("given up after a day");
  expect(receiver.received).toHaveLength(before);
  expect(await isSettled(storage)).toBe(true);
});

test("matches the signature example of the specification", () => {
  const example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const headers = signWebhook(
    { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: '{"test": 2432232314}' },
    example,
  );
  expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("notifies slow receivers in parallel, with one event at a time each", async () => {
  await using storage = await openStore();
  await endedRun(storage, { gate: { scores: { exact_match: 0.9 } } });
  const urls = Array.from({ length: 5 }, (_, index) => `http://receiver-${index}/`);
  const underWay = new Map<string, number>();
  let most = 0;
  const slow: SendWebhook = async ({ url }) => {
    underWay.set(url, (underWay.get(url) ?? 0) + 1);
    expect(underWay.get(url)).toBe(1);
    most = Math.max(
      most,
      underWay.values().reduce((sum, count) => sum + count, 0),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    underWay.set(url, 0);
    return true;
  };
  await deliverUntil(storage, urls, (settled) => settled === 1, { send: slow });
  expect(most).toBe(5);
});

test("is delayed by a hanging receiver once, not with every run", async () => {
  await using storage = await openStore();
  const { store } = storage;
  const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
  for (const id of ids) {
    await store.runs.create(sampleRun({ id }));
    await store.runs.cancel(id);
    await concludeRun(id, { store, now: Date.now });
  }
  const reported = new Map<string, number>();
  const hangs: SendWebhook = async ({ url, signal }) => {
    reported.set(url, (reported.get(url) ?? 0) + 1);
    if (url !== "http://hangs/") return true;
    await once(signal, "abort");
    throw new Error("hangs");
  };
  const stopping = new AbortController();
  const delivering = deliverWebhooks({
    ...storage,
    urls: ["http://hangs/", "http://answers/"],
    secret,
    send: hangs,
    onError: () => {},
    signal: stopping.signal,
    pollMs: 5,
    answerMs: 20,
  });
  await expect.poll(() => reported.get("http://answers/"), { timeout: 10_000 }).toBe(20);
  expect(reported.get("http://hangs/")).toBe(8);
  stopping.abort();
  await delivering;
});

test("skips an unresponsive address for a while, then tries it with one event", () => {
  let now = 0;
  const addresses = createUnresponsiveUrls({ restMs: 60, now: () => now });
  expect([addresses.mayTry("a"), addresses.mayTry("a")]).toEqual([true, true]);
  addresses.timedOut("a");
  expect([addresses.mayTry("a"), addresses.mayTry("b")]).toEqual([false, true]);
  now = 60;
  expect([addresses.mayTry("a"), addresses.mayTry("a")]).toEqual([true, false]);
  addresses.answered("a");
  expect([addresses.mayTry("a"), addresses.mayTry("a")]).toEqual([true, true]);
});
