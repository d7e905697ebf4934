import { readFile } from "node:fs/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import { createProbes } from "../../evaluation/tools/probes.ts";
import { prepareWorld } from "../../evaluation/world/world.ts";
import { recordedWorld, recordingWorld, standaloneWorld } from "./standalone-world.ts";
import { serveOverHttp } from "./world-mcp.ts";

const parameters = { type: "object", properties: { id: { type: "string" } } };
const orders: World = {
  state: { "7": "paid" },
  tools: [
    {
      name: "get",
      description: "",
      parameters,
      answers: [{ result: { $state: "/{id}" } }, { error: "No such order." }],
    },
    { name: "cancel", description: "", parameters, answers: [{ set: { "/{id}": "cancelled" } }] },
  ],
};
const clean = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value).replaceAll("a-secret", "[redacted]")) as Value;
const signal = new AbortController().signal;
const served = (world: World, journal?: string) =>
  standaloneWorld(prepareWorld(world, { probes: createProbes() }), world, { journal, clean });

test("each MCP session has a fresh state, and every call is in the journal", async () => {
  await using folder = await temporaryFolder();
  const journal = folder.file("calls.jsonl");
  await using server = await serveOverHttp(served(orders, journal), { host: "127.0.0.1", port: 0 });
  const talk = async (url: string, mode: "auto" | "legacy") => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const call = async (name: string, id: string) => {
      const { content } = await client.callTool({ name, arguments: { id } });
      return content[0]?.type === "text" ? content[0].text : "";
    };
    const said = [await call("get", "7"), await call("cancel", "7"), await call("get", "7"), await call("get", "8")];
    await client.close();
    return said;
  };
  const fresh = ["paid", '{"ok":true}', "cancelled", "Error: No such order."];
  expect(await talk(server.url, "legacy")).toEqual(fresh);
  expect(await talk(server.url, "auto")).toEqual(fresh);
  const named = server.url.replace("/mcp", "/sessions/mine/mcp");
  expect(await talk(named, "auto")).toEqual(fresh);
  expect((await talk(named, "auto"))[0]).toBe("cancelled");
  expect(await (await fetch(server.url.replace("/mcp", "/sessions/mine/state"))).json()).toEqual({ "7": "cancelled" });
  const lines = (await readFile(journal, "utf8")).trim().split("\n");
  expect(lines).toHaveLength(16);
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ tool: "cancel", changes: [{ op: "set", path: "/7" }] });
});

test("pages of other origins, and requests without a session, are refused", async () => {
  await using server = await serveOverHttp(served(orders), { host: "127.0.0.1", port: 0 });
  const post = async (url: string, headers: Record<string, string> = {}) =>
    (await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: "{}" }))
      .status;
  expect(await post(server.url, { origin: "https://evil.test" })).toBe(403);
  expect(await post(server.url)).toBe(400);
  expect(await post(server.url, { "mcp-session-id": "gone" })).toBe(404);
  expect(await post(server.url.replace("/mcp", "/other"))).toBe(404);
});

test("a recording asks the real server once for each call, keeps no secrets, and then answers as a world", async () => {
  const asked: unknown[] = [];
  const recorded: RecordedToolCall[] = [];
  const tools = [{ name: "get", description: "", parameters }];
  const source = {
    tools,
    call: async (_: string, args: unknown) => {
      asked.push(args);
      return asked.length === 1 ? { result: { key: "a-secret" } } : { error: "No such order." };
    },
  };
  const recording = recordingWorld(source, { recorded, save: async () => {}, clean });
  const calls = [{ id: "a-secret" }, { id: "a-secret" }, { id: "8" }];
  const first = recording.open("one");
  for (const args of calls) await first.call("get", args, signal);
  expect(asked).toEqual([{ id: "a-secret" }, { id: "8" }]);
  expect(JSON.stringify(recorded)).not.toContain("a-secret");

  const replayed = served(recordedWorld(tools, recorded)).open("two");
  const said = [];
  for (const args of [...calls, { id: "9" }]) said.push((await replayed.call("get", args, signal))?.text);
  expect(said).toEqual([
    '{"key":"[redacted]"}',
    '{"key":"[redacted]"}',
    "Error: No such order.",
    "Error: This call of get was never recorded with these arguments.",
  ]);
  expect(asked).toHaveLength(2);
});
