import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startFakeAgent } from "../support/fake-agent.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { startWorldAgent } from "../support/world-agent.ts";
import { folderWith } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

const desk = `
id: cancel
world:
  state: { orders: { "1042": { status: paid } } }
  tools:
    - name: get_order
      parameters: &order { type: object, properties: { order_id: { type: string } }, required: [order_id] }
      answers: [{ result: { $state: "/orders/{order_id}" } }]
    - name: cancel_order
      parameters: *order
      answers: [{ set: { "/orders/{order_id}/status": cancelled }, result: { ok: true } }]
user:
  goal: Cancel order 1042.
  knows: { order_id: "1042" }
  opening: Please cancel order 1042.
expect:
  state: { /orders/1042/status: cancelled }
`;
const withWorld = (url: string, world: string): string =>
  `targets:\n  desk:\n    url: ${url}\n    body: { text: "{{message}}", config: {} }\n    reply: /content\n    world: ${world}\n`;

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("probe says that the agent reached its private world, and by which calls", async () => {
  await using agent = await startWorldAgent(async (world) => {
    const { tools } = await world.listTools();
    return { reply: tools.map(({ name }) => name).join() };
  });
  await using folder = await folderWith({ "rehearsal.yaml": withWorld(agent.url, "{ header: x-my-world }") });
  const { code, stdout } = await runCli(["probe", "desk"], { cwd: folder.path });
  expect(stdout).toMatch(/World: reached at http:\/\/127\.0\.0\.1:\d+ \(.*tools\/list\)\./);
  expect(code).toBe(0);

  // The address is the operator's where one is set, and also reaches an agent that takes it from a field.
  const port = await freePort();
  const env = { REHEARSAL_EVAL_PUBLIC_URL: `http://localhost:${port}` };
  await using other = await folderWith({
    "rehearsal.yaml": `endpoint: ${agent.url}\nprotocol: agent\nmodel: any\nworld_address: { field: /config/mcp }\n`,
  });
  const shown = await runCli(["probe", "--json"], { cwd: other.path, env });
  expect(agent.worlds.at(-1)).toContain(`http://localhost:${port}/worlds/`);
  expect(JSON.parse(shown.stdout).world).toMatchObject({ reached: true, origin: `http://localhost:${port}` });
});

test.for([
  [
    "an agent that does not connect",
    {},
    /The agent got the address in the header x-my-world and answered without connecting/,
  ],
  [
    "an address that does not lead here",
    { REHEARSAL_EVAL_PUBLIC_URL: "http://nowhere.invalid:4567" },
    /This machine cannot reach it either: .*nowhere\.invalid/,
  ],
] as const)("probe explains why the world was not reached: %s", async ([, env, cause]) => {
  await using agent = await startFakeAgent(() => ({ body: { content: "Hello" } }));
  await using folder = await folderWith({ "rehearsal.yaml": withWorld(agent.url, "{ header: x-my-world }") });
  const { code, stdout } = await runCli(["probe", "desk"], { cwd: folder.path, env });
  expect(stdout).toMatch(/World: not reached at http/);
  expect(stdout).toMatch(cause);
  expect(stdout).toContain("REHEARSAL_EVAL_PUBLIC_URL");
  expect(code).toBe(3);
});

test("probe names the fix for a remote agent, a target without a place and a port that is taken", async () => {
  await using remote = await folderWith({
    "rehearsal.yaml": `limits: { upstream_retry_base_ms: 1 }\n${withWorld("http://agent.invalid/", "{ header: w }")}`,
  });
  const far = await runCli(["probe", "desk"], { cwd: remote.path });
  expect(far.stdout).toContain("The agent is at agent.invalid, where this address is its own machine.");
  expect(far.stdout).toContain("Set REHEARSAL_EVAL_PUBLIC_URL");
  expect(far.code).toBe(3);

  await using agent = await startFakeAgent(() => ({ body: { content: "Hello" } }));
  await using placeless = await folderWith({
    "rehearsal.yaml": `world: { tools: [] }\ntargets:\n  desk: { url: "${agent.url}", body: "{{message}}", reply: /content }\n`,
  });
  const { code, stderr } = await runCli(["probe", "desk"], { cwd: placeless.path });
  expect([code, stderr]).toEqual([0, expect.stringContaining("The target names no place for its address")]);

  const REHEARSAL_EVAL_PUBLIC_URL = agent.url;
  await using taken = await folderWith({ "rehearsal.yaml": withWorld(agent.url, "{ header: w }") });
  const refused = await runCli(["probe", "desk"], { cwd: taken.path, env: { REHEARSAL_EVAL_PUBLIC_URL } });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/the port \d+ of REHEARSAL_EVAL_PUBLIC_URL is in use/);
});

test("eval gives agents the public address of their worlds, and serves nothing else there", async () => {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const elsewhere: number[] = [];
  await using agent = await startWorldAgent(async (world) => {
    const guess = await fetch(`${origin}/worlds/guess/mcp`, { method: "POST", body: "{}" });
    elsewhere.push(guess.status, (await fetch(`${origin}/runs`)).status);
    await world.callTool({ name: "cancel_order", arguments: { order_id: "1042" } });
    return { reply: "Cancelled." };
  });
  const scripted = desk.replace(
    /user:[^]*?expect/,
    'interactions: [{ id: "1", user_message: Cancel order 1042. }]\nexpect',
  );
  await using folder = await folderWith({
    "s.yaml": scripted,
    "rehearsal.yaml": withWorld(agent.url, "{ field: /config/mcp }"),
  });
  const env = { REHEARSAL_EVAL_PUBLIC_URL: origin };
  const { code, stdout } = await runCli(["eval", "s.yaml", "--target", "desk", "--gate", "outcome>=1", "--json"], {
    cwd: folder.path,
    env,
  });
  expect(code).toBe(0);
  expect(agent.worlds).toEqual([expect.stringMatching(new RegExp(`^${origin}/worlds/[\\w-]{43}/mcp$`))]);
  expect(elsewhere).toEqual([404, 404]);
  const [run] = JSON.parse(stdout).runs;
  expect(run.results.scenarios[0].attempts[0].interactions[0].tool_calls).toMatchObject([
    { name: "cancel_order", result: { ok: true } },
  ]);
  const wrong = await runCli(["eval", "s.yaml", "--target", "desk"], {
    cwd: folder.path,
    env: { REHEARSAL_EVAL_PUBLIC_URL: "eval.example.com" },
  });
  expect([wrong.code, wrong.stderr]).toEqual([78, expect.stringContaining("REHEARSAL_EVAL_PUBLIC_URL")]);
});

test("chat --as-user puts a person into the user's seat of a scenario's world and says what came of it", async () => {
  await using folder = await folderWith({ "desk.yaml": desk });
  const options = { cwd: folder.path };
  const typed = ["chat", "--as-user", "desk.yaml", "-m", "demo/scripted"];
  const met = await runCli([...typed, "Please cancel order 1042.", "--save", "played.yaml"], options);
  expect(met.code).toBe(0);
  expect(met.stdout).toContain("I have cancelled order 1042");
  expect(met.stderr).toContain(
    "Goal: Cancel order 1042.\nYou know: order_id: 1042\nOpening: Please cancel order 1042.",
  );
  expect(met.stderr).toContain('cancel_order {"order_id":"1042"} → {"ok":true}');
  expect(met.stderr).toContain("Outcome: passed");
  // The saved conversation is a scenario of its own, with the same world and expectations.
  expect(await readFile(folder.file("played.yaml"), "utf8")).toMatch(/^id: cancel-played\n[^]*\nworld:[^]*\nexpect:/);
  expect(await runCli(["validate", "played.yaml"], options)).toMatchObject({ code: 0 });

  const missed = await runCli(typed, { ...options, input: "Hello" });
  expect(missed.stderr).toContain('Outcome: failed\n  state: /orders/1042/status is "paid", expected "cancelled"');

  const unknown = await runCli([...typed, "--scenario", "other", "Hi"], options);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('there is no scenario "other"')]);
});

test("a call that a model writes as text is named, and carried out with tool_support: prompted", async () => {
  const call = 'Sure.\n```json\n{"name": "get_order", "arguments": {"order_id": "1042"}}\n```';
  await using provider = await startFakeProvider({
    behaviour: (asked) =>
      text(JSON.stringify(asked.request.body?.["messages"]).includes("paid") ? "It is paid." : call)(asked),
  });
  const scenario = desk
    .replace(/user:[^]*/, "")
    .concat("interactions: [{ user_message: Where is 1042?, reference_tool_calls: [{ name: get_order }] }]\n")
    .concat("expect: { must_call: [get_order] }\n");
  const config = `endpoint: ${provider.url}\nmodel: m\n`;
  await using folder = await folderWith({
    "s.yaml": scenario,
    "native.yaml": config,
    "prompted.yaml": `${config}tool_support: prompted\n`,
  });
  const [native, prompted] = await Promise.all(
    ["native", "prompted"].map((name) =>
      runCli(
        ["eval", "s.yaml", "-c", `${name}.yaml`, "--data-dir", name, "--gate", "outcome>=1", "-o", `${name}.json`],
        {
          cwd: folder.path,
        },
      ),
    ),
  );
  expect([native?.code, prompted?.code]).toEqual([1, 0]);
  expect(native?.stdout).toContain("/tool_support 1 reply looks like a tool call written as text");
  expect(prompted?.stdout).not.toContain("/tool_support");
  const result = await readFile(`${folder.path}/native.json`, "utf8");
  expect(result).toContain('"written_call": "get_order"');
  expect(result).toMatch(/"tool_match": "not called: get_order; the reply looks like a call of get_order/);
});
