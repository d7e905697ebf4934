import { expect, test } from "vitest";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { stream } from "../../../test/support/fake-provider/streams.ts";
import { status } from "../../../test/support/fake-provider/error-statuses.ts";
import { createOutbound } from "./create-outbound.ts";
import { outboundFetch } from "./outbound-fetch.ts";

test("an answer, a refused status and a stream arrive as fetch would give them", async () => {
  await using outbound = createOutbound();
  await using provider = await startFakeProvider();
  const send = outboundFetch(outbound, { policy: "local" });
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: '{"messages":[]}' };

  expect(await (await send(`${provider.url}/models`)).json()).toMatchObject({ object: "list" });
  provider.enqueue(status(405));
  expect((await send(`${provider.url}/mcp`)).status).toBe(405);
  provider.enqueue(stream("Hello"));
  const streamed = await send(`${provider.url}/chat/completions`, post);
  expect(streamed.headers.get("content-type")).toContain("text/event-stream");
  expect(await streamed.text()).toContain("[DONE]");
});

test("nobody there is told by the system's own code; a refused address is never called", async () => {
  await using outbound = createOutbound();
  const send = outboundFetch(outbound, { policy: "local" });
  await expect(send("http://127.0.0.1:9/")).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  await expect(send("http://169.254.169.254/")).rejects.toThrow("fetch failed");
});
