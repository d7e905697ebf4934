import { expect, test, vi } from "vitest";
import { runAgent } from "../../src/agent/loop/agent-loop.ts";
import { asksFor, scriptedModel } from "../../src/agent/testing/scripted-model.ts";
import { Secret } from "../../src/base/secret.ts";
import { connectForTest, rawStdio, stdioServer } from "./mcp-test-kit.ts";

const { signal } = new AbortController();
const messages = [{ role: "user", content: "Go." }] as const;
const pages = [{ tools: [{ name: "go", inputSchema: { type: "object" } }] }];
const went = { jsonrpc: "2.0", id: "$id", result: { content: [{ type: "text", text: "Went." }] } };

async function callTwice(server: Parameters<typeof connectForTest>[0][number]) {
  const { mcp, log } = await connectForTest([server]);
  const model = scriptedModel(asksFor("test__go", {}, "a"), asksFor("test__go", {}, "b"), "Done.");
  const { tool_calls } = await runAgent({ model, messages, tools: mcp.tools(), signal });
  return { calls: tool_calls, log, mcp };
}

test("lines on standard output that are no messages are passed over", async () => {
  const noise = ["Starting …", '{"level":"info"}', "5", "null", "[1]", "", '{"jsonrpc":"2.0"}'];
  const { calls } = await callTwice(rawStdio({ pages, greeting: noise, calls: [[...noise, went, ...noise]] }));
  expect(calls).toMatchObject([
    { ok: true, result: "Went." },
    { ok: true, result: "Went." },
  ]);
});

test("an answer that comes after its time, or twice, is not taken for another", async () => {
  const late = { jsonrpc: "2.0", id: "$before", result: { content: [{ type: "text", text: "Late." }] } };
  const { calls, mcp } = await callTwice(rawStdio({ pages, calls: [[], [late, went, went]] }, { timeoutMs: 1000 }));
  expect(calls).toMatchObject([
    { ok: false, result: "The tool did not answer within 1 s." },
    { ok: true, result: "Went." },
  ]);
  expect(mcp.status()).toMatchObject([{ connected: true }]);
});

test("large content is cut for the model", async () => {
  const { calls } = await callTwice(rawStdio({ pages, calls: [[{ fill: 3_000_000 }]] }));
  expect(calls[0]?.result).toMatch(/^x{65536}\n\[cut: the first 65536 of 3000000 bytes are shown\]$/);
});

test("an answer that is too large to be read is called that at once, and the server is started again", async () => {
  const { mcp, log } = await connectForTest([rawStdio({ pages, calls: [[{ fill: 11_000_000 }]] })]);
  const model = scriptedModel(asksFor("test__go"), "Done.");
  const { tool_calls } = await runAgent({ model, messages, tools: mcp.tools(), signal });
  const result =
    'The MCP server "test" sent an answer that is too large to be read and was disconnected. It is not known whether the call was carried out.';
  expect(tool_calls).toMatchObject([{ ok: false, result }]);
  await vi.waitFor(() => expect(mcp.status()).toMatchObject([{ connected: true }]), { timeout: 10_000 });
  expect(log.lines.map(({ message }) => message)).toEqual([
    "mcp server connected",
    "mcp server disconnected: its answer is too large",
    "mcp server connected",
  ]);
});

test("a server that exits during a call is reported in words and started again", async () => {
  const { calls, mcp } = await callTwice(rawStdio({ pages, calls: [["exit"]] }));
  const result =
    'The MCP server "test" disconnected during the call. It is not known whether the call was carried out.';
  expect(calls).toMatchObject([
    { ok: false, result },
    { ok: false, result },
  ]);
  await vi.waitFor(() => expect(mcp.status()).toMatchObject([{ connected: true }]), { timeout: 10_000 });
});

test("reports about a server that does not start never contain the operator's credential", async () => {
  const script = `
    process.stderr.write("no access with canary-");
    setTimeout(() => {
      process.stderr.write("123456\\n" + "x".repeat(490) + "canary-123456\\nkey canary-123456");
      process.exitCode = 1;
    }, 100);`;
  const server = stdioServer("-e", { args: [script], secrets: [new Secret("canary-123456")] });
  const { log } = await connectForTest([server], { startWaitMs: 10_000 });
  const told = JSON.stringify(log.lines);
  expect(told).not.toMatch(/canary|123456/);
  const failed = log.lines.find(({ message }) => message === "mcp server cannot be reached");
  expect(failed?.fields).toMatchObject({
    message: `no access with [redacted]\n${"x".repeat(490)}[redacted]\nkey [redacted]`,
  });
});
