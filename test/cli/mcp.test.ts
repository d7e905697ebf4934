import { readdir, readFile, writeFile } from "node:fs/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commandLine } from "../support/command-line.ts";
import { runCli } from "./run-cli.ts";

const scenario = JSON.stringify({
  id: "sum",
  interactions: [{ id: "1", user_message: "What is 2 * 3?", reference_reply: "Five" }],
});

async function connect(cwd: string, ...parameters: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [commandLine, "mcp", ...parameters],
    cwd,
    env: { PATH: process.env["PATH"] ?? "" },
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const call = async (name: string, parameter: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: parameter });
    const [first] = content as readonly { text: string }[];
    return { isError: isError ?? false, text: first?.text ?? "" };
  };
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

test("mcp offers runs, failures and transcripts, and starts no run without --allow-run", async () => {
  await using folder = await temporaryFolder();
  const { stdout } = await runCli(["eval", "-m", "demo/scripted", "--json", "scenario.json"], {
    cwd: await withScenario(folder),
  });
  const { run_id } = JSON.parse(stdout).runs[0];
  await using server = await connect(folder.path);
  const { tools } = await server.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "list_runs",
    "get_run",
    "list_failures",
    "get_transcript",
    "compare_runs",
    "rank_runs",
    "validate_scenarios",
  ]);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  expect(JSON.parse((await server.call("list_runs")).text).runs).toMatchObject([{ run_id }]);
  expect(JSON.parse((await server.call("list_failures", { run: "latest" })).text).turns).toMatchObject([
    { scenario_id: "sum", agent_reply: "2 * 3 is 6.", reference_reply: "Five" },
  ]);
  const transcript = await server.call("get_transcript", { run: run_id, scenario_id: "sum" });
  expect(JSON.parse(transcript.text)).toMatchObject({ run_id, scenario_id: "sum" });
  expect(await server.call("get_run", { run: "nothing" })).toMatchObject({ isError: true });
  expect(await server.call("get_transcript", { run: "../../etc/passwd.json", scenario_id: "x" })).toMatchObject({
    isError: true,
  });
  expect(JSON.parse((await server.call("validate_scenarios", { text: scenario })).text)).toMatchObject({
    format: "json",
  });
});

test("mcp --allow-run evaluates and reports progress", async () => {
  await using folder = await temporaryFolder();
  await using server = await connect(folder.path, "--allow-run");
  const { text, isError } = await server.call("run_evaluation", { scenarios: scenario, model_id: "demo/scripted" });
  expect(isError).toBe(false);
  expect(JSON.parse(text)).toMatchObject({ message: "Evaluation completed: 1 interaction", summary: { failed: 0 } });
  expect(JSON.parse((await server.call("list_runs")).text).runs).toHaveLength(1);
  const told: unknown[] = [];
  const again = { scenarios: scenario, model_id: "demo/scripted", attempts: 2 };
  await server.client.callTool({ name: "run_evaluation", arguments: again }, { onprogress: (news) => told.push(news) });
  expect(told).toEqual([
    { progress: 1, total: 2 },
    { progress: 2, total: 2 },
  ]);
});

test("mcp --allow-write checks a scenario and writes it to a new file, and an evaluation keeps within its budget", async () => {
  await using folder = await temporaryFolder();
  await using server = await connect(folder.path, "--allow-run", "--max-calls", "2", "--allow-write", "scenarios");
  const write = (file_name: string, text = scenario) => server.call("write_scenario", { file_name, text });
  const written = await write("sum.json");
  expect(JSON.parse(written.text)).toMatchObject({ path: folder.file("scenarios/sum.json"), scenarios: ["sum"] });
  expect(await readFile(folder.file("scenarios/sum.json"), "utf8")).toBe(scenario);
  // Never a file that is there, another folder, or a text that no run would take.
  expect(await write("sum.json", scenario.replace("sum", "other"))).toMatchObject({
    isError: true,
    text: expect.stringContaining("it is there already"),
  });
  expect(await write("../sum.json")).toMatchObject({ isError: true });
  expect(await write("broken.json", `{ "id": "broken" }`)).toMatchObject({ isError: true });
  expect(await readdir(folder.path)).not.toContain("sum.json");
  expect(await readdir(folder.file("scenarios"))).toEqual(["sum.json"]);

  const request = { scenarios: scenario, model_id: "demo/scripted", attempts: 5, budget: { calls: 100 } };
  const ran = JSON.parse((await server.call("run_evaluation", request)).text) as { run_id: string };
  const run = JSON.parse((await server.call("get_run", { run: ran.run_id })).text) as object;
  expect(JSON.stringify(run)).toMatch(/"stopped_by":"(calls|budget)/);
});

test("mcp runs all scenarios of a suite or none, and names unknown fields", async () => {
  await using folder = await temporaryFolder();
  await using server = await connect(folder.path, "--allow-run");
  const broken = JSON.stringify({ id: "typo", interactions: [{ id: "1", user_mesage: "What is 2 * 3?" }] });
  expect(
    await server.call("run_evaluation", { scenarios: `[${scenario}, ${broken}]`, model_id: "demo/scripted" }),
  ).toEqual({
    isError: true,
    text: expect.stringContaining("scenarios:1 /1/interactions/0/user_mesage: unknown fields: user_mesage"),
  });
  const noted = JSON.stringify({ ...JSON.parse(scenario), colour: "red" });
  expect(await server.call("run_evaluation", { scenarios: noted, model_id: "demo/scripted" })).toEqual({
    isError: true,
    text: expect.stringContaining("scenarios:1 /colour: unknown fields: colour"),
  });
});

test("mcp begins with a data folder that does not exist yet", async () => {
  await using folder = await temporaryFolder();
  await using server = await connect(folder.path, "--data-dir", "new/runs", "--allow-run");
  expect(JSON.parse((await server.call("list_runs", {})).text)).toMatchObject({ runs: [] });
  const ran = await server.call("run_evaluation", { scenarios: scenario, model_id: "demo/scripted" });
  expect(JSON.parse(ran.text)).toMatchObject({ run_id: expect.any(String) });
  expect(JSON.parse((await server.call("list_runs", {})).text).runs).toHaveLength(1);
});

async function withScenario(folder: { path: string; file(name: string): string }): Promise<string> {
  await writeFile(folder.file("scenario.json"), scenario);
  return folder.path;
}
