import { afterEach, expect, test, vi } from "vitest";
import { rateLimited } from "../../../test/support/fake-provider/error-statuses.ts";
import { text } from "../../../test/support/fake-provider/replies.ts";
import { stream } from "../../../test/support/fake-provider/streams.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import { createOutbound } from "../outbound/create-outbound.ts";

const { signal } = new AbortController();
const wait = 30_000;

afterEach(() => vi.restoreAllMocks());

test.each([
  ["a reply", text("Hello"), {}],
  ["a stream", stream("Hello"), { stream: true }],
])("measures the time of %s without earlier tries and waits", async (_, answer, options) => {
  const now = performance.now.bind(performance);
  let waited = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + waited);
  await using provider = await startFakeProvider({ script: [rateLimited({ "retry-after": "30" })], behaviour: answer });
  await using outbound = createOutbound({ sleep: async (milliseconds) => void (waited += milliseconds) });
  const model = createChatModel({ outbound, endpoint: provider.url, protocol: "openai-chat", modelId: "m" });
  const reply = await model({ messages: [{ role: "user", content: "Hi" }] }, { signal, ...options });
  expect([reply.ok, waited]).toEqual([true, wait]);
  expect(reply.latency_ms).toBeLessThan(wait);
  expect((reply.ok && reply.first_token_ms) || 0).toBeLessThan(wait);
});
