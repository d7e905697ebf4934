import { expect, onTestFinished, test, vi } from "vitest";
import { runAgent } from "../../src/agent/run-agent.ts";
import { asksFor, scriptedModel } from "../../src/agent/testing/scripted-model.ts";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import { outboundFetch } from "../../src/models/outbound/outbound-fetch.ts";
import { connectForTest, httpServer, startRawServer, type RawAnswer } from "./mcp-test-kit.ts";

const { signal } = new AbortController();
const tool = { name: "go", inputSchema: { type: "object" } };

/** Connects as the product does, through its own outbound client. */
async function connect(url: string) {
  const outbound = createOutbound({ maxReplyBytes: 100_000 });
  onTestFinished(() => outbound.close());
  return connectForTest([httpServer(url)], { fetch: outboundFetch(outbound, { policy: "local" }) });
}

async function callOnce(answer: RawAnswer, tools: readonly object[] = [tool]) {
  const { mcp, log } = await connect(await startRawServer({ tools, answer }));
  const model = scriptedModel(asksFor("test__go", {}), "Done.");
  const messages = [{ role: "user", content: "Go." }] as const;
  const { tool_calls } = await runAgent({ model, messages, tools: mcp.tools(), signal });
  return { call: tool_calls[0], log, mcp };
}

test.each([
  ["other structured content", { structuredContent: { count: "many" } }, '\n\n{"count":"many"}'],
  ["no structured content", {}, ""],
])(
  "a result with %s, which its tool did not promise, is shown: the call is carried out by then",
  async (_, extra, shown) => {
    const outputSchema = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };
    const answer: RawAnswer = () => ({ content: [{ type: "text", text: "Paid." }], ...extra });
    const { call } = await callOnce(answer, [{ ...tool, outputSchema }]);
    expect(call).toMatchObject({ ok: true, result: `Paid.${shown}` });
  },
);

test("a server without tools is connected without a word on standard output", async () => {
  const write = vi.spyOn(console, "debug").mockImplementation(() => {});
  onTestFinished(() => write.mockRestore());
  const { mcp } = await connect(await startRawServer({ answer: () => null }));
  expect(mcp.status()).toMatchObject([{ connected: true, tools: [] }]);
  expect(write).not.toHaveBeenCalled();
});
