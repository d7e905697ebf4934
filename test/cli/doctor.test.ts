import { readdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { json } from "../support/fake-provider/replies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

test("doctor checks this machine and fails only for problems that prevent a start", async () => {
  await using folder = await temporaryFolder();
  const fine = await runCli(["doctor", "--json"], { cwd: folder.path });
  expect(fine.code).toBe(0);
  expect(JSON.parse(fine.stdout)).toMatchObject({ healthy: true });
  expect(await readdir(folder.path)).toEqual([]);
  const hub = { HUB_BASE_URL: "http://127.0.0.1:9/v1", HUB_API_KEY: "sk-canary" };
  const env = { ...hub, KEY: "k-canary", EVAL_CREDENTIALS: "https://a.example/v1=KEY,https://b.example=KEY" };
  const broken = await runCli(["doctor", "--json"], { cwd: folder.path, env });
  expect(broken.code).toBe(78);
  expect(broken.stdout).not.toContain("canary");
  const { checks } = JSON.parse(broken.stdout);
  expect(checks).toContainEqual(expect.objectContaining({ name: "hub", state: "problem" }));
  const detail = "set for https://a.example/v1, https://b.example, the hub";
  expect(checks).toContainEqual({ name: "keys", state: "ok", detail });
});

test("doctor names the tool, scorer and agent files that would prevent a start", async () => {
  await using folder = await temporaryFolder();
  const mcp = { mcpServers: { orders: { url: "http://127.0.0.1:9/mcp", headers: { authorization: "${NOT_SET}" } } } };
  await writeFile(folder.file("mcp.json"), JSON.stringify(mcp));
  await writeFile(folder.file("scorers.mjs"), "export const polite = () => 1;");
  await writeFile(folder.file("agent.mjs"), "export default {};");
  const examine = async (env: Record<string, string>) => {
    const { code, stdout } = await runCli(["doctor", "--json"], { cwd: folder.path, env });
    return { code, checks: JSON.parse(stdout).checks };
  };
  const broken = await examine({ AGENT_MCP_CONFIG: "mcp.json", AGENT_RUNNER: "agent.mjs" });
  expect(broken).toMatchObject({
    code: 78,
    checks: expect.arrayContaining([
      { name: "tools", state: "problem", detail: expect.stringContaining("NOT_SET") },
      { name: "agent", state: "problem", detail: expect.stringContaining("AGENT_RUNNER") },
    ]),
  });
  const env = { AGENT_MCP_CONFIG: "mcp.json", NOT_SET: "Bearer canary", REHEARSAL_SCORERS_MODULE: "scorers.mjs" };
  const fine = await examine(env);
  expect(fine).toMatchObject({
    code: 0,
    checks: expect.arrayContaining([
      { name: "tools", state: "ok", detail: "current_time, calculator, web_fetch, orders (MCP)" },
      { name: "scorers", state: "ok", detail: "polite" },
    ]),
  });
  expect(JSON.stringify(fine)).not.toContain("canary");
});

test("doctor reports a gate that eval would refuse, except gates on labels", async () => {
  await using folder = await temporaryFolder();
  const gated = async (gate: string) => {
    await writeFile(folder.file("rehearsal.json"), JSON.stringify({ gates: [gate] }));
    const looked = await runCli(["doctor", "--json"], { cwd: folder.path });
    return JSON.parse(looked.stdout).checks.find(({ name }: { name: string }) => name === "configuration");
  };
  expect(await gated("ovrall>=0.8")).toMatchObject({
    state: "problem",
    detail: expect.stringContaining('did you mean "overall"?'),
  });
  expect(await gated("metadata.intent>=0.8")).toMatchObject({ state: "ok" });
  expect(await runCli(["validate"], { cwd: folder.path })).toMatchObject({ code: 0 });
});

test("doctor calls every configured hub in its protocol and with its key", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: json({ data: [{ id: "claude" }] }) });
  await using agent = await startFakeProvider({ behaviour: json({ detail: "Not found" }, 404) });
  const hubs = {
    agent: { base_url: agent.origin, protocol: "agent" },
    claude: { base_url: `${provider.url}?key=canary`, key_env: "CLAUDE_KEY", protocol: "anthropic-messages" },
    gone: { base_url: "http://127.0.0.1:9/v1" },
  };
  const env = { HUB_PROVIDERS: JSON.stringify(hubs), CLAUDE_KEY: "sk-canary" };
  const looked = await runCli(["doctor", "--json"], { cwd: folder.path, env });
  expect(looked.code).toBe(78);
  expect(looked.stdout).not.toContain("canary");
  const { checks } = JSON.parse(looked.stdout);
  expect(checks).toContainEqual(expect.objectContaining({ name: "hub claude", state: "ok" }));
  expect(checks).toContainEqual(expect.objectContaining({ name: "hub agent", state: "notice" }));
  expect(checks).toContainEqual(expect.objectContaining({ name: "hub gone", state: "problem" }));
  expect(provider.requests[0]?.headers).toMatchObject({ "x-api-key": "sk-canary", "anthropic-version": "2023-06-01" });

  const wrong = await runCli(["doctor"], { cwd: folder.path, env: { HUB_PROVIDERS: '{"a":{}}' } });
  expect(wrong).toMatchObject({ code: 78, stderr: expect.stringContaining('HUB_PROVIDERS "a": base_url') });
});
