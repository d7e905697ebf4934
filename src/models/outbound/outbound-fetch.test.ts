import { expect, test } from "vitest";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { hugeBody } from "../../../test/support/fake-provider/connection-faults.ts";
import { raw } from "../../../test/support/fake-provider/malformed-replies.ts";
import { rawStream, stream } from "../../../test/support/fake-provider/streams.ts";
import { status } from "../../../test/support/fake-provider/error-statuses.ts";
import { createOutbound } from "./create-outbound.ts";
import { outboundFetch } from "./outbound-fetch.ts";

test("returns answers, error statuses and streams like fetch", async () => {
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

test("reports an unreachable server with the system's code, and never calls a refused address", async () => {
  await using outbound = createOutbound();
  const send = outboundFetch(outbound, { policy: "local" });
  await expect(send("http://127.0.0.1:9/")).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  await expect(send("http://169.254.169.254/")).rejects.toThrow("fetch failed");
});

test("keeps the body of an error status", async () => {
  await using outbound = createOutbound();
  await using provider = await startFakeProvider();
  const send = outboundFetch(outbound, { policy: "local" });
  const refusal = '{"error":{"code":-32602,"message":"No such tool"}}';
  provider.enqueue(raw(refusal, { "content-type": "application/json" }, 400));
  const response = await send(`${provider.url}/mcp`);
  expect(response.status).toBe(400);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.text()).toBe(refusal);
});

test("throws for an answer that breaks off", async () => {
  await using outbound = createOutbound({ maxReplyBytes: 1000 });
  await using provider = await startFakeProvider({ behaviour: hugeBody(1001) });
  const send = outboundFetch(outbound, { policy: "local" });
  await expect(send(`${provider.url}/mcp`)).rejects.toMatchObject({ cause: { code: "upstream_reply_too_large" } });
});

test("caps each event of a listening stream, not the stream", async () => {
  await using outbound = createOutbound({ maxReplyBytes: 1000 });
  await using provider = await startFakeProvider();
  const send = outboundFetch(outbound, { policy: "local" });
  const message = `data: ${"a".repeat(600)}\n\n`;
  const many = rawStream(message.repeat(5));

  provider.enqueue(many);
  expect(await (await send(`${provider.url}/sse`)).text()).toHaveLength(5 * message.length);
  provider.enqueue(({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const piece of `data: ${"a".repeat(600)}\r\n,\r\n,`.repeat(5).split(",")) response.write(piece);
    response.end();
  });
  expect(await (await send(`${provider.url}/sse`)).text()).toHaveLength(5 * `${message}..`.length);
  provider.enqueue(rawStream(`data: ${"a".repeat(2000)}`));
  await expect(send(`${provider.url}/sse`).then((response) => response.text())).rejects.toThrow("terminated");
  provider.enqueue(many);
  const post = send(`${provider.url}/mcp`, { method: "POST", body: "{}" });
  await expect(post.then((response) => response.text())).rejects.toThrow("terminated");
});
