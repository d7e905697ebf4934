import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeAgent } from "../support/fake-agent.ts";
import { folderWith } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

const scenarios = `
- id: greeting
  interactions:
    - { id: "1", user_message: Hello, reference_reply: You said Hello, checks: [{ type: contains, text: Hello }] }
    - { id: "2", user_message: Bye, reference_reply: You said Bye }
`;
const secret = "a-token-that-must-not-leak";
const config = (url: string): string => `
targets:
  support:
    url: ${url}/chat
    headers: { authorization: { env: SUPPORT_TOKEN, prefix: "Bearer " } }
    body: { say: "{{message}}", id: "{{session_id}}" }
    reply: /reply
    session: /id
  local: { module: ./agent.ts }
`;
const agentModule = `
export async function reply(messages: { content: string }[], options: { signal: AbortSignal; session_id: string }) {
  if (!(options.signal instanceof AbortSignal) || options.session_id === "") throw new Error("no options");
  const declared: string = process.env.DECLARED ?? "nothing";
  console.log("printed");
  return { text: "You said " + messages.at(-1)!.content, usage: { input_tokens: 1, output_tokens: 2 }, labels: { declared } };
}
`;
const program = `
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = method === "start" ? null : "You said " + params.messages.at(-1).content;
  console.log(JSON.stringify({ id, result }));
}
`;

function startSupport() {
  let sessions = 0;
  return startFakeAgent(({ say, id }, { authorization }) =>
    authorization === `Bearer ${secret}`
      ? { body: { reply: `You said ${say}`, id: id ?? `made-${(sessions += 1)}`, seen: authorization } }
      : { status: 401, body: {} },
  );
}

test("eval tests a target of the configuration and names the run after it", async () => {
  await using agent = await startSupport();
  await using folder = await folderWith({
    "rehearsal.yaml": config(agent.url),
    "s.yaml": scenarios,
    "agent.ts": agentModule,
  });
  const options = { cwd: folder.path, env: { SUPPORT_TOKEN: secret } };
  const { code, stdout } = await runCli(
    ["eval", "s.yaml", "--target", "support", "--json", "--gate", "overall>=1"],
    options,
  );
  expect(code).toBe(0);
  const [run] = JSON.parse(stdout).runs;
  expect(run).toMatchObject({ model_id: "support", endpoint: `${agent.url}/chat` });
  expect(agent.requests.map(({ body }) => body)).toEqual([{ say: "Hello" }, { say: "Bye", id: "made-1" }]);
  expect(stdout).not.toContain(secret);
});

test("probe names the line that a program prints besides its answers", async () => {
  const chatty = program.replace("console.log", 'if (result) console.log("loading"); console.log');
  await using folder = await folderWith({ "bot.mjs": chatty });
  const shown = await runCli(["probe", "--command", `'${process.execPath}' bot.mjs`], { cwd: folder.path });
  expect(shown).toMatchObject({ code: 3, stdout: expect.stringContaining('It printed "loading" to standard output') });
});

test("probe shows the request and the reply without secrets", async () => {
  await using agent = await startSupport();
  await using folder = await folderWith({ "rehearsal.yaml": config(agent.url), "agent.ts": agentModule });
  const options = { cwd: folder.path, env: { SUPPORT_TOKEN: secret } };
  const shown = await runCli(["probe", "support", "--message", "Hi", "--message", "There"], options);
  expect(shown.code).toBe(0);
  const all = shown.stdout + shown.stderr;
  expect(all).toContain(`→ POST ${agent.url}/chat`);
  expect(all).toContain("authorization: Bearer [redacted]");
  expect(all).toContain("reply: You said There");
  expect(all).not.toContain(secret);
  const local = await runCli(["probe", "local", "--json"], options);
  expect(JSON.parse(local.stdout)).toMatchObject({
    target: "local",
    turns: [{ message: "Hello", reply: "You said Hello" }],
  });
  const denied = await runCli(["probe", "support"], { ...options, env: { SUPPORT_TOKEN: "wrong" } });
  expect(denied.code).toBe(3);
  expect(denied.stdout + denied.stderr).toMatch(/← 401[^]*Failed: upstream_auth/);
});

test("eval tests a module and a program of this machine", async () => {
  await using folder = await folderWith({ "s.yaml": scenarios, "agent.ts": agentModule, "bot.mjs": program });
  const env = { DECLARED: "declared", REHEARSAL_CODE_ENV: "DECLARED" };
  const own = await runCli(["eval", "s.yaml", "--target", "./agent.ts", "--json"], { cwd: folder.path, env });
  expect(own.code).toBe(0);
  const [run] = JSON.parse(own.stdout).runs;
  expect(run.results.scenarios[0].attempts[0].interactions).toMatchObject([
    {
      agent_reply: "You said Hello",
      usage: { input_tokens: 1, output_tokens: 2 },
      generated_metadata: { declared: "declared" },
    },
    { agent_reply: "You said Bye" },
  ]);
  const typed = ["--target-command", `'${process.execPath}' bot.mjs`, "--gate", "overall>=1"];
  expect(await runCli(["eval", "s.yaml", ...typed], { cwd: folder.path })).toMatchObject({ code: 0 });
});

test.for([
  [["--target", "suport"], 'there is no target "suport": did you mean support?'],
  [["--target", "./missing.ts"], "--target: ./missing.ts does not exist"],
  [["--target", "bot.py"], "--target: bot.py does not exist"],
  [["--target", "support"], "the target support needs the environment variable SUPPORT_TOKEN, which is not set"],
  [
    ["--target", "local", "--endpoint", "http://x"],
    "--target and --endpoint cannot be combined: each names what is tested",
  ],
  [["--target", "./empty.mjs"], "it exports no function reply(messages, { signal })"],
  [["--target-command", "no-such-program"], "cannot be used: Its process ended with exit code 127"],
  [["--target", "local", "--server", "http://127.0.0.1:9"], "a target on this machine cannot be used with --server"],
] as const)("eval refuses %o", async ([typed, message]) => {
  await using folder = await folderWith({
    "rehearsal.yaml": config("http://127.0.0.1:9"),
    "s.yaml": scenarios,
    "agent.ts": agentModule,
    "empty.mjs": "",
  });
  const { code, stderr } = await runCli(["eval", "s.yaml", ...typed], { cwd: folder.path });
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test("a gate on calls that the target cannot show is undecided", async () => {
  await using agent = await startSupport();
  await using folder = await folderWith({
    "rehearsal.yaml": config(agent.url),
    "s.yaml": `
- id: greeting
  interactions: [{ id: "1", user_message: Hello }]
  expect: { must_not_call: [cancel_order] }
`,
  });
  const options = { cwd: folder.path, env: { SUPPORT_TOKEN: secret } };
  const { code, stdout } = await runCli(
    ["eval", "s.yaml", "--target", "support", "--gate", "outcome>=1", "--gate", "pass^1>=1"],
    options,
  );
  expect(stdout.match(/which tools the agent calls/g)).toHaveLength(1);
  expect(stdout).toContain("outcome>=1: UNDECIDED, counted as failed in 1 attempt");
  expect(code).toBe(6);
});

test("a failing agent's own words reach the owner of the run, without secrets", async () => {
  await using agent = await startFakeAgent((_, { authorization }) => ({
    status: 500,
    body: { traceback: "KeyError: 'order_idx' in tools.py:31", seen: authorization },
  }));
  await using folder = await folderWith({ "rehearsal.yaml": config(agent.url), "s.yaml": scenarios });
  const options = { cwd: folder.path, env: { SUPPORT_TOKEN: secret } };
  const outputs = ["-o", "r.json", "-o", "junit.xml"];
  const { stdout, stderr, code } = await runCli(["eval", "s.yaml", "--target", "support", ...outputs], options);
  const [json, junit] = await Promise.all(
    ["r.json", "junit.xml"].map((name) => readFile(join(folder.path, name), "utf8")),
  );
  for (const text of [json, junit, stdout + stderr]) expect(text).toContain("order_idx");
  expect(`${json}${junit}${stdout}${stderr}`).not.toContain(secret);
  expect(json).toContain('"agent_reply": "Request failed"');
  expect(code).toBe(3);
});
