import { expect, test } from "vitest";
import { resetBeforeHeaders, resetMidBody } from "../../../test/support/fake-provider/connection-faults.ts";
import { rateLimited, serverError, status, unavailable } from "../../../test/support/fake-provider/error-statuses.ts";
import type { Behaviour } from "../../../test/support/fake-provider/behaviour.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { createOutbound } from "./create-outbound.ts";
import type { OutboundOptions } from "./outbound-options.ts";

const { signal } = new AbortController();

/** A client whose waits pass at once, and the waits it asked for. `random` is 1, so jitter shows its upper bound. */
function withFakeTime(options: OutboundOptions = {}) {
  const waits: number[] = [];
  let now = 0;
  const outbound = createOutbound({
    clock: { monotonic: () => now, wall: () => Date.parse("2026-11-15T00:00:00Z") + now },
    random: () => 1,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
    ...options,
  });
  return { outbound, waits, advance: (milliseconds: number) => (now += milliseconds) };
}

const post = (url: string) => ({ url: `${url}/chat/completions`, method: "POST", body: "{}", signal }) as const;

test("tries a failing upstream four times with waits that double up to the cap", async () => {
  await using provider = await startFakeProvider({ behaviour: unavailable });
  const { outbound, waits } = withFakeTime({ retry: { capMs: 1500 } });
  expect(await outbound.request(post(provider.url))).toMatchObject({
    ok: false,
    error: { code: "upstream_error", upstream_status: 503, tries: 4, retryable: true },
  });
  expect(waits).toEqual([500, 1000, 1500]);
  expect(provider.requests).toHaveLength(4);
  await outbound.close();
});

test("waits a random part of the full step", async () => {
  await using provider = await startFakeProvider({ behaviour: unavailable });
  const { outbound, waits } = withFakeTime({ random: () => 0.25 });
  await outbound.request(post(provider.url));
  expect(waits).toEqual([125, 250, 500]);
  await outbound.close();
});

test.each([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])("retries HTTP %i", async (code) => {
  await using provider = await startFakeProvider({ script: [status(code)] });
  const { outbound } = withFakeTime();
  expect(await outbound.request(post(provider.url))).toMatchObject({ ok: true, tries: 2 });
  await outbound.close();
});

test.each([400, 401, 402, 403, 404, 405, 409, 410, 413, 418, 422, 451, 501, 505])(
  "HTTP %i is not tried again",
  async (code) => {
    await using provider = await startFakeProvider({ behaviour: status(code) });
    const { outbound } = withFakeTime();
    expect(await outbound.request(post(provider.url))).toMatchObject({
      ok: false,
      error: { tries: 1, upstream_status: code },
    });
    expect(provider.requests).toHaveLength(1);
    await outbound.close();
  },
);

test("retries a reset before the first byte, but not in the middle of an answer", async () => {
  await using provider = await startFakeProvider({ script: [resetBeforeHeaders] });
  const { outbound } = withFakeTime();
  expect(await outbound.request(post(provider.url))).toMatchObject({ ok: true, tries: 2 });
  provider.enqueue(resetMidBody);
  expect(await outbound.request(post(provider.url))).toMatchObject({
    ok: false,
    error: { code: "upstream_reset", tries: 1 },
  });
  await outbound.close();
});

test("repeats a non-idempotent request only when the upstream cannot have worked on it", async () => {
  const tries = async (behaviour: Behaviour) => {
    await using provider = await startFakeProvider({ script: [behaviour] });
    const { outbound } = withFakeTime();
    const result = await outbound.request({ ...post(provider.url), idempotent: false });
    await outbound.close();
    return result.ok ? result.tries : result.error.tries;
  };
  expect(await tries(serverError)).toBe(1);
  expect(await tries(resetBeforeHeaders)).toBe(1);
  expect(await tries(rateLimited())).toBe(2);
});

test.each([
  ["seconds", { "retry-after": "2" }, 2000],
  ["milliseconds", { "retry-after-ms": "1500", "retry-after": "9" }, 1500],
  ["a date", { "retry-after": "Sun, 15 Nov 2026 00:00:07 GMT" }, 7000],
  // Heeded by a crowd that waits for its turn, no wait at all would be thousands of calls.
  ["a date gone by", { "retry-after": "Sat, 14 Nov 2026 00:00:00 GMT" }, 500],
  ["no time", { "retry-after": "0" }, 500],
  ["a negative number", { "retry-after": "-1" }, 500],
  ["junk", { "retry-after": "soon" }, 500],
  ["nothing", {}, 500],
  ["exactly the most we wait", { "retry-after": "60" }, 60_000],
])("reads Retry-After as %s", async (_, headers: Record<string, string>, expected) => {
  await using provider = await startFakeProvider({ script: [rateLimited(headers)] });
  const { outbound, waits } = withFakeTime();
  expect(await outbound.request(post(provider.url))).toMatchObject({ ok: true, tries: 2 });
  expect(waits).toEqual([expected]);
  await outbound.close();
});

/** As Gemini limits the rate: no header, and everything in a list. */
const quota = (quotaId: string, retryDelay: string) => {
  const google = (name: string, fields: object) => ({ "@type": `type.googleapis.com/google.rpc.${name}`, ...fields });
  const details = [google("QuotaFailure", { violations: [{ quotaId }] }), google("RetryInfo", { retryDelay })];
  return json(
    [{ error: { code: 429, message: "You exceeded your quota.", status: "RESOURCE_EXHAUSTED", details } }],
    429,
  );
};

test.each([
  ["37s", "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", 37_000],
  ["1.203608125s", "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", 1204],
  ["0s", "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", 500],
  ["soon", "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", 500],
  ["42s", "GenerateRequestsPerDayPerProjectPerModel-FreeTier", 500],
])("reads Google's wait of %s for %s", async (delay, id, expected) => {
  await using provider = await startFakeProvider({ script: [quota(id, delay)] });
  const { outbound, waits } = withFakeTime();
  expect(await outbound.request(post(provider.url))).toMatchObject({ ok: true, tries: 2 });
  expect(waits).toEqual([expected]);
  await outbound.close();
});

test("fails at once when the upstream asks for more than a minute", async () => {
  await using provider = await startFakeProvider({ behaviour: rateLimited({ "retry-after": "99999" }) });
  const { outbound, waits } = withFakeTime();
  expect(await outbound.request(post(provider.url))).toMatchObject({
    error: { code: "upstream_rate_limited", tries: 1, retry_after_ms: 99_999_000 },
  });
  expect(waits).toEqual([]);
  await outbound.close();
});

test("fails at once when a wait exceeds the request's own limit", async () => {
  await using provider = await startFakeProvider({ script: Array(2).fill(rateLimited({ "retry-after": "5" })) });
  const { outbound, waits } = withFakeTime();
  expect(await outbound.request({ ...post(provider.url), longestWaitMs: 4_999 })).toMatchObject({
    error: { code: "upstream_rate_limited", tries: 1, retry_after_ms: 5_000 },
  });
  expect(await outbound.request({ ...post(provider.url), longestWaitMs: 5_000 })).toMatchObject({ ok: true, tries: 2 });
  expect(waits).toEqual([5_000]);
  await outbound.close();
});

test("keeps tries and waits within the total limit", async () => {
  await using provider = await startFakeProvider({ behaviour: rateLimited({ "retry-after": "50" }) });
  const { outbound, waits } = withFakeTime({ timeouts: { totalMs: 120_000 } });
  expect(await outbound.request(post(provider.url))).toMatchObject({
    error: { code: "upstream_rate_limited", tries: 3 },
  });
  expect(waits).toEqual([50_000, 50_000]);
  await outbound.close();
});

test("waits for a rate limit while callers slow down and others are served", async () => {
  const refused = Array.from({ length: 6 }, () => rateLimited({}));
  await using provider = await startFakeProvider({ script: [rateLimited({ "retry-after": "2" })] });
  const { outbound, waits } = withFakeTime({ retryBudget: { floor: 0 }, retry: { capMs: 4_000 } });
  const heard: (number | undefined)[] = [];
  const request = { ...post(provider.url), onRefused: (wait: number | undefined) => void heard.push(wait) };
  expect(await outbound.request(request)).toMatchObject({ ok: true, tries: 2 });
  provider.enqueue(...refused);
  expect(await outbound.request(request)).toMatchObject({ ok: true, tries: 7 });
  expect(heard).toEqual([2000, ...refused.map(() => undefined)]);
  expect(waits).toEqual([2000, 500, 1000, 2000, 4000, 4000, 4000]);
  provider.enqueue(...refused);
  expect(await outbound.request(post(provider.url))).toMatchObject({ error: { tries: 1 } });
  await outbound.close();
});

test.each([
  ["an overloaded endpoint that says when to come back", 503, { "retry-after": "2" }, 2000],
  ["an overloaded endpoint that does not", 529, {}, 500],
])("waits for %s like a rate limit", async (_, code, headers: Record<string, string>, first) => {
  await using provider = await startFakeProvider();
  const { outbound, waits } = withFakeTime({ retryBudget: { floor: 0 } });
  const patient = { ...post(provider.url), onRefused: () => {} };
  await outbound.request(patient);
  provider.enqueue(...Array.from({ length: 6 }, () => status(code, {}, headers)));
  expect(await outbound.request(patient)).toMatchObject({ ok: true, tries: 7 });
  expect(waits[0]).toBe(first);
  provider.enqueue(...Array.from({ length: 6 }, () => unavailable));
  expect(await outbound.request(patient)).toMatchObject({ error: { tries: 1 } });
  await outbound.close();
});

test("does not wait beyond its retries for an upstream that answers no call", async () => {
  await using provider = await startFakeProvider({ behaviour: rateLimited({}) });
  const { outbound, advance } = withFakeTime();
  const request = { ...post(provider.url), onRefused: () => {} };
  expect(await outbound.request(request)).toMatchObject({ error: { tries: 4 } });
  provider.enqueue(status(200));
  await outbound.request(request);
  advance(61_000);
  expect(await outbound.request(request)).toMatchObject({ error: { tries: 4 } });
  await outbound.close();
});

test.each([
  [529, {}, 4],
  [503, { "retry-after": "1" }, 4],
  [503, {}, 4],
  [504, {}, 4],
  [500, { "retry-after": "1" }, 0],
])("decides whether HTTP %i with %o is reported to onRefused", async (code, headers: Record<string, string>, times) => {
  await using provider = await startFakeProvider({ behaviour: status(code, {}, headers) });
  const { outbound } = withFakeTime();
  let heard = 0;
  await outbound.request({ ...post(provider.url), onRefused: () => void (heard += 1) });
  expect(heard).toBe(times);
  await outbound.close();
});

test("retries an unreachable upstream, then reports it", async () => {
  const provider = await startFakeProvider();
  await provider.close();
  const { outbound, waits } = withFakeTime();
  expect(await outbound.request(post(provider.url))).toMatchObject({
    error: { code: "upstream_unreachable", tries: 4 },
  });
  expect(waits).toHaveLength(3);
  await outbound.close();
});

test("sends at most 1.2 calls per interaction to a failing upstream", async () => {
  await using provider = await startFakeProvider({ behaviour: unavailable });
  const { outbound } = withFakeTime({ breaker: { minimumCalls: Number.POSITIVE_INFINITY } });
  for (let call = 0; call < 300; call += 1) await outbound.request(post(provider.url));
  expect(provider.requests.length).toBeLessThanOrEqual(360);
  expect(provider.requests.length).toBeGreaterThan(300);
  await outbound.close();
});

test("allows retries after few calls", async () => {
  await using provider = await startFakeProvider({ script: [unavailable, unavailable, unavailable] });
  const { outbound } = withFakeTime();
  expect(await outbound.request(post(provider.url))).toMatchObject({ ok: true, tries: 4 });
  await outbound.close();
});

test("stops waiting for a retry when the caller aborts", async () => {
  await using provider = await startFakeProvider({ behaviour: rateLimited({ "retry-after": "50" }) });
  await using outbound = createOutbound();
  const controller = new AbortController();
  const call = outbound.request({ ...post(provider.url), signal: controller.signal });
  await expect.poll(() => provider.requests.length).toBe(1);
  setTimeout(() => controller.abort(new Error("enough")), 20);
  await expect(call).rejects.toThrow("enough");
});

test("opens after consecutive failures despite earlier successes", async () => {
  await using provider = await startFakeProvider();
  const { outbound } = withFakeTime({ retry: { maximum: 0 } });
  for (let count = 0; count < 100; count += 1) await outbound.request(post(provider.url));
  provider.enqueue(...Array.from({ length: 19 }, () => unavailable));
  for (let count = 0; count < 20; count += 1) await outbound.request(post(provider.url));
  provider.setBehaviour(unavailable);
  for (let count = 0; count < 20; count += 1) {
    expect(await outbound.request(post(provider.url))).toMatchObject({ error: { code: "upstream_error" } });
  }
  expect(await outbound.request(post(provider.url))).toMatchObject({ error: { code: "upstream_circuit_open" } });
  await outbound.close();
});

test("waits for an open breaker of an upstream that was up recently", async () => {
  await using provider = await startFakeProvider();
  const { outbound, waits } = withFakeTime({ retry: { maximum: 0 } });
  const patient = { ...post(provider.url), onRefused: () => {} };
  await outbound.request(patient);
  provider.setBehaviour(unavailable);
  for (let count = 0; count < 19; count += 1) await outbound.request(patient);
  expect(await outbound.request(post(provider.url))).toMatchObject({ error: { code: "upstream_circuit_open" } });
  provider.enqueue(status(200));
  expect(await outbound.request(patient)).toMatchObject({ ok: true, tries: 1 });
  expect(waits).toEqual([15_000]);
  await outbound.close();
});

test("does not wait for a failing model because others at its address answer", async () => {
  await using provider = await startFakeProvider({ behaviour: unavailable });
  const { outbound, waits } = withFakeTime({ retryBudget: { floor: 0, ratio: 0 } });
  const patient = (breakerKey: string) => ({ ...post(provider.url), onRefused: () => {}, breakerKey });
  for (let count = 0; count < 20; count += 1) await outbound.request(patient("down"));
  provider.enqueue(status(200));
  await outbound.request(patient("up"));
  expect(await outbound.request(patient("down"))).toMatchObject({ error: { code: "upstream_circuit_open" } });
  provider.enqueue(...Array.from({ length: 9 }, () => rateLimited({})));
  expect(await outbound.request(patient("limited"))).toMatchObject({ error: { tries: 1 } });
  expect(waits).toEqual([]);
  await outbound.close();
});

test("stops waiting for an upstream that is down for a minute", async () => {
  await using provider = await startFakeProvider();
  const { outbound, waits } = withFakeTime({ retry: { maximum: 0 } });
  const patient = { ...post(provider.url), onRefused: () => {} };
  await outbound.request(patient);
  provider.setBehaviour(unavailable);
  const codes = new Set<string>();
  for (let count = 0; count < 40; count += 1) {
    const result = await outbound.request(patient);
    codes.add(result.ok ? "ok" : result.error.code);
  }
  expect([...codes]).toEqual(["upstream_error", "upstream_circuit_open"]);
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(75_000);
  await outbound.close();
});

test.each([
  ["an upstream that is down", unavailable],
  ["a limit to pass", rateLimited({ "retry-after": "50" })],
  ["a limit of unknown length to pass", rateLimited({})],
])("does not wait for %s while shutting down", async (_, behaviour) => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound({ retry: { baseMs: 3_600_000 }, random: () => 1 });
  const patient = { ...post(provider.url), onRefused: () => {} };
  await outbound.request(patient);
  provider.setBehaviour(behaviour);
  const waiting = outbound.request(patient);
  await expect.poll(() => provider.requests.length).toBe(2);
  outbound.stopWaiting();
  await expect(waiting).rejects.toMatchObject({ code: "shutting_down" });
  await expect(outbound.request(patient)).rejects.toMatchObject({ code: "shutting_down" });
  provider.setBehaviour(status(401));
  expect(await outbound.request(patient)).toMatchObject({ error: { upstream_status: 401 } });
});

test("opens, sends one probe, and closes when the upstream is back", async () => {
  await using provider = await startFakeProvider({ behaviour: unavailable });
  const { outbound, advance } = withFakeTime({ retry: { maximum: 0 } });
  const call = (breakerKey = "model-a") => outbound.request({ ...post(provider.url), breakerKey });
  for (let count = 0; count < 20; count += 1) await call();
  expect(await call()).toMatchObject({ error: { code: "upstream_circuit_open", tries: 0, retry_after_ms: 15_000 } });
  expect(provider.requests).toHaveLength(20);
  expect(outbound.breakers()).toEqual([
    { origin: provider.origin, key: "model-a", state: "open", calls: 20, failures: 20, retry_after_ms: 15_000 },
  ]);

  expect(await call("model-b")).toMatchObject({ error: { code: "upstream_error" } });

  advance(15_000);
  expect(outbound.breakers()[0]).toMatchObject({ state: "half-open" });
  const [probe, other] = await Promise.all([call(), call()]);
  expect([probe, other]).toMatchObject([
    { error: { code: "upstream_error" } },
    { error: { code: "upstream_circuit_open" } },
  ]);
  expect(await call()).toMatchObject({ error: { code: "upstream_circuit_open" } });

  advance(15_000);
  provider.setBehaviour(status(404));
  expect(await call()).toMatchObject({ error: { code: "upstream_rejected" } });
  expect(await call()).toMatchObject({ error: { code: "upstream_rejected" } });
  await outbound.close();
});

test("allows another probe after an abandoned one", async () => {
  await using provider = await startFakeProvider({ behaviour: unavailable });
  const { outbound, advance } = withFakeTime({ retry: { maximum: 0 } });
  for (let count = 0; count < 20; count += 1) await outbound.request(post(provider.url));
  advance(15_000);
  provider.setBehaviour(() => {});
  const controller = new AbortController();
  const probe = outbound.request({ ...post(provider.url), signal: controller.signal });
  await expect.poll(() => provider.requests.length).toBe(21);
  controller.abort(new Error("enough"));
  await expect(probe).rejects.toThrow("enough");
  provider.setBehaviour(status(400));
  expect(await outbound.request(post(provider.url))).toMatchObject({ error: { code: "upstream_rejected" } });
  await outbound.close();
});
