import { expect, test } from "vitest";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { after } from "../../../test/support/fake-provider/behaviour.ts";
import { rateLimited } from "../../../test/support/fake-provider/error-statuses.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { pageFetcher, toolSender } from "./tool-requests.ts";

const { signal } = new AbortController();
const request = { method: "GET", headers: {}, idempotent: true, maxBytes: 1000, signal } as const;

test.each([401, 404, 422, 500])("what a service says with a %i is handed on", async (status) => {
  await using service = await startFakeProvider({ behaviour: json({ error: "order 17 was already shipped" }, status) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const answer = await toolSender(outbound)({ ...request, url: `${service.origin}/orders/17` });
  expect(answer).toMatchObject({ ok: true, status, text: '{"error":"order 17 was already shipped"}' });
});

test("an answer that never came is a reason", async () => {
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const answer = await toolSender(outbound)({ ...request, url: "http://127.0.0.1:1/" });
  expect(answer).toMatchObject({ ok: false, reason: expect.any(String) });
  const page = await pageFetcher(outbound)("http://127.0.0.1:1/", { signal, maxBytes: 1000 });
  expect(page).toMatchObject({ ok: false, reason: expect.any(String) });
});

test("a slow service has the tool's own time, not that of a model endpoint", async () => {
  await using service = await startFakeProvider({ behaviour: after(150, json({ done: true })) });
  await using outbound = createOutbound({ timeouts: { firstByteMs: 50, idleMs: 50, totalMs: 100 } });
  const answer = await toolSender(outbound)({ ...request, url: service.origin });
  expect(answer).toMatchObject({ ok: true, text: '{"done":true}' });
});

test.each([
  ["2", [2000]],
  ["20", []],
])("a service that wants to be left alone for %s s: we wait %j", async (seconds, expected) => {
  const script = [rateLimited({ "retry-after": seconds })];
  await using service = await startFakeProvider({ script, behaviour: json({ done: true }) });
  const waits: number[] = [];
  await using outbound = createOutbound({ sleep: async (milliseconds) => void waits.push(milliseconds) });
  const answer = await toolSender(outbound)({ ...request, url: service.origin });
  expect(answer).toMatchObject({ ok: true, status: expected.length > 0 ? 200 : 429 });
  expect(waits).toEqual(expected);
});

test("a long text fits into the query of a request", async () => {
  await using service = await startFakeProvider({ behaviour: json({ done: true }) });
  await using outbound = createOutbound();
  const url = `${service.origin}/search?q=${encodeURIComponent("配送はいつですか".repeat(80))}`;
  expect(await toolSender(outbound)({ ...request, url })).toMatchObject({ ok: true });
});
