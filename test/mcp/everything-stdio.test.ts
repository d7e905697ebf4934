import { expect, test, vi } from "vitest";
import { runAgent } from "../../src/agent/loop/agent-loop.ts";
import { historyProblem } from "../../src/agent/testing/history-problem.ts";
import { asksFor, scriptedModel, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { connectForTest, everythingServer, isAlive, stdioServer } from "./mcp-test-kit.ts";

const { signal } = new AbortController();
const messages = [{ role: "user", content: "Go." }] as const;
const everything = stdioServer(everythingServer, { name: "every", args: ["stdio"], env: { GIVEN: "yes" } });

test("a whole conversation uses the tools of the reference server over stdio", async () => {
  process.env["REHEARSAL_TEST_SECRET"] = "canary";
  const { mcp } = await connectForTest([everything]);
  const model = scriptedModel(
    asksFor("every__echo", { message: "hi" }, "a"),
    {
      tool_calls: [
        { id: "b", name: "every__get-sum", arguments: '{"a":2,"b":40}' },
        { id: "c", name: "every__get-tiny-image", arguments: "{}" },
        { id: "d", name: "every__get-structured-content", arguments: '{"location":"New York"}' },
        { id: "e", name: "every__get-resource-links", arguments: '{"count":1}' },
        { id: "f", name: "every__get-env", arguments: "{}" },
      ],
    },
    "Done.",
  );
  const outcome = await runAgent({ model, messages, tools: mcp.tools(), signal });
  delete process.env["REHEARSAL_TEST_SECRET"];

  expect(outcome).toMatchObject({ ok: true, reply: { text: "Done." } });
  const results = Object.fromEntries(outcome.tool_calls.map((call) => [call.id, call.result]));
  expect(outcome.tool_calls.every((call) => call.ok)).toBe(true);
  expect(results["a"]).toBe("Echo: hi");
  expect(results["b"]).toContain("42");
  expect(results["c"]).toMatch(/\[image: image\/png, \d+ KB, not shown\]/);
  expect(results["d"]?.match(/temperature/g)).toHaveLength(1);
  expect(results["e"]).toMatch(/\[resource: .*demo:\/\/resource/);
  expect(results["f"]).toContain('"GIVEN": "yes"');
  expect(results["f"]).not.toContain("canary");
  expect(historyProblem(model.requests.at(-1)?.messages ?? [])).toBeNull();
  expect(mcp.status()).toMatchObject([{ name: "every", connected: true, protocol_version: "2025-11-25", refused: [] }]);
});

test("a server that is killed between two calls is started again, and the conversation goes on", async () => {
  const { mcp, log } = await connectForTest([everything]);
  const [before] = mcp.status();
  const killed: ScriptedTurn = async () => {
    process.kill(before?.pid ?? 0, "SIGKILL");
    await vi.waitFor(() => expect(mcp.status()[0]?.pid).not.toBe(before?.pid), 60_000);
    return asksFor("every__echo", { message: "still here" }, "b");
  };
  const model = scriptedModel(asksFor("every__echo", { message: "first" }, "a"), killed, "Done.");
  const outcome = await runAgent({ model, messages, tools: mcp.tools(), signal });
  expect(outcome.tool_calls).toMatchObject([{ result: "Echo: first" }, { ok: true, result: "Echo: still here" }]);
  expect(mcp.status()[0]?.pid).not.toBe(before?.pid);
  expect(log.lines.map(({ message }) => message)).toEqual([
    // One of its tools only runs as a task, which is reported once.
    "mcp tool cannot be used",
    "mcp server connected",
    "mcp server disconnected",
    "mcp server connected",
  ]);
});

test("a server that dies during a call is reported in words, and the next call works", async () => {
  const { mcp } = await connectForTest([everything]);
  const kill = () => process.kill(mcp.status()[0]?.pid ?? 0, "SIGKILL");
  const model = scriptedModel(
    asksFor("every__trigger-long-running-operation", { duration: 60, steps: 60 }, "a"),
    asksFor("every__echo", { message: "again" }, "b"),
    "Done.",
  );
  const outcome = await runAgent({
    model,
    messages,
    tools: mcp.tools(),
    signal,
    onEvent: (event) => event.type === "tool-start" && event.tool_call.id === "a" && setImmediate(kill),
  });
  expect(outcome.tool_calls).toMatchObject([
    {
      ok: false,
      result: 'The MCP server "every" disconnected during the call. It is not known whether the call was carried out.',
    },
    { ok: true, result: "Echo: again" },
  ]);
});

test("a call that takes too long is given up, and the server stays", async () => {
  // The second call must answer within the same limit, also on a busy machine.
  const slow = { ...everything, timeoutMs: 3_000 };
  const { mcp } = await connectForTest([slow]);
  const model = scriptedModel(
    asksFor("every__trigger-long-running-operation", { duration: 60, steps: 2 }, "a"),
    asksFor("every__echo", { message: "x" }, "b"),
    "Done.",
  );
  const outcome = await runAgent({ model, messages, tools: mcp.tools(), signal });
  expect(outcome.tool_calls).toMatchObject([
    { ok: false, result: "The tool did not answer within 3 s." },
    { ok: true },
  ]);
});

test("only allowed tools are there, approval is asked for, and what a server does not have is said", async () => {
  const { mcp, log } = await connectForTest([{ ...everything, allow: ["echo", "get-sum", "fly"], approval: ["echo"] }]);
  expect(mcp.tools().map((tool) => [tool.definition.name, tool.needsApproval])).toEqual([
    ["every__echo", true],
    ["every__get-sum", false],
  ]);
  expect(log.lines).toContainEqual({
    message: "mcp server does not have these tools",
    fields: { server: "every", tools: ["fly"] },
  });
});

test("closing ends the processes that were started", async () => {
  const { mcp } = await connectForTest([everything, { ...everything, name: "other" }]);
  const pids = mcp.status().map(({ pid }) => pid ?? 0);
  expect(pids.map(isAlive)).toEqual([true, true]);
  const tool = mcp.tools()[0];
  await mcp.close();
  expect(pids.map(isAlive)).toEqual([false, false]);
  await expect(Promise.resolve(tool?.run({ message: "x" }, { signal, now: () => 0 }))).rejects.toThrow(
    "cannot be reached",
  );
});

test("a command that is not there does not stop the start, and is reported", async () => {
  const { mcp, log } = await connectForTest([{ ...everything, name: "gone", command: "no-such-program-here" }]);
  expect(mcp.tools()).toEqual([]);
  expect(mcp.status()).toMatchObject([{ name: "gone", connected: false, tools: [] }]);
  expect(log.lines[0]).toEqual({
    message: "mcp server cannot be reached",
    fields: { server: "gone", reason: "the command was not found" },
  });
});

test("a program that ends at once is reported with what it said", async () => {
  const dies = 'console.error("API_KEY is not set"); process.exit(1);';
  const { log } = await connectForTest([{ ...everything, name: "dies", args: ["-e", dies] }]);
  expect(log.lines[0]).toEqual({
    message: "mcp server cannot be reached",
    fields: { server: "dies", reason: "it closed the connection", message: "API_KEY is not set" },
  });
});
