import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { starterFiles, workflowFile } from "../../src/cli/init/starter-files.ts";
import { isMadeKey } from "../../src/services/http/made-key.ts";
import { parseApiKeys } from "../../src/settings/api-keys.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { sampleRun } from "../conformance/sample-runs.ts";
import { commandLine } from "../support/command-line.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { json } from "../support/fake-provider/replies.ts";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

const read = (name: string) => readFile(resolve(import.meta.dirname, "../..", name), "utf8");
const fixtures = resolve(import.meta.dirname, "../../src/formats/fixtures");

test("init writes a folder that evaluates as it is, and never overwrites", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file(".env.example"), "MINE=1\n");
  const first = await runCli(["init", "--yes", "--json"], { cwd });
  expect(first.code).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({ kept: [".env.example"] });
  expect(await readFile(folder.file(".env.example"), "utf8")).toBe("MINE=1\n");
  expect((await runCli(["validate"], { cwd })).stdout).toContain("rehearsal.yaml: ok");
  const run = await runCli(["eval", "--attempts", "1", "--json"], { cwd });
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout).runs[0]).toMatchObject({ test_name: "support", demo: true, summary: { failed: 0 } });
});

test("init with an endpoint and no model writes nothing: that endpoint does not have the demo's", async () => {
  await using folder = await temporaryFolder();
  const endpoint = "https://api.example.com/v1";
  const { code, stderr } = await runCli(["init", "--yes", "--endpoint", endpoint], { cwd: folder.path });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `rehearsal: which model? Give --model: its name at ${endpoint}\n`,
  });
  expect(await readdir(folder.path)).toEqual([]);
});

test("init keeps runs and keys out of the repository, and writes the workflow where GitHub looks", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await mkdir(folder.file(".git"));
  await mkdir(folder.file("apps/bot"), { recursive: true });
  await writeFile(folder.file("apps/bot/.gitignore"), "node_modules\n/.env\n");
  const { code, stdout, stderr } = await runCli(["init", "apps/bot", "--yes"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain("wrote apps/bot/rehearsal.yaml\n");
  expect(stdout).toContain("wrote .github/workflows/rehearsal.yml\n");
  expect(stderr).toContain("Add .rehearsal/ to apps/bot/.gitignore");
  expect(stderr).toMatch(/Next: cd apps\/bot && node .*main\.[jt]s eval/);
  const { jobs } = parse(await readFile(folder.file(".github/workflows/rehearsal.yml"), "utf8"));
  const { defaults, steps } = jobs.evaluate;
  expect(defaults).toEqual({ run: { "working-directory": "apps/bot" } });
  expect(steps.at(-1).with.path).toContain("apps/bot/junit*.xml\n");

  await runCli(["init", "other", "--yes"], { cwd });
  expect(await readFile(folder.file("other/.gitignore"), "utf8")).toBe(".rehearsal/\n.env\n");
});

test("nothing that is written or shown fetches a package of our name from the registry", async () => {
  const files = Object.values({ ...starterFiles({}), ...workflowFile("") }).join("\n");
  const documents = await Promise.all(
    ["action.yml", "README.md", "docs/start.md", "docs/ci.md", "docs/mcp.md"].map(read),
  );
  for (const text of [files, ...documents]) {
    expect(text).not.toMatch(/npx (--yes |-y )?(--package[= ])?"?rehearsal|"npx", "args": \["rehearsal/);
  }
});

test("validate says what is wrong, where, and exits 2", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("a.json"), '{"id":"a","interactions":[{"id":"1","user_message":"Hi","tags":[]}]}');
  await writeFile(folder.file("b.yaml"), "id: b\ninteractions:\n  - id: x\n");
  const { code, stdout } = await runCli(["validate", "a.json", "b.yaml", "--json"], { cwd });
  expect(code).toBe(2);
  const { valid, files } = JSON.parse(stdout);
  expect(valid).toBe(false);
  expect(files).toMatchObject([
    { file: "a.json", scenarios: 1 },
    { file: "b.yaml", scenarios: 0 },
  ]);
  expect((await runCli(["validate", "a.json"], { cwd })).code).toBe(0);
});

test("validate tells of every file, and knows a configuration when it sees one", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("bad.json"), "{");
  await writeFile(folder.file("good.json"), '{"id":"a","interactions":[{"id":"1","user_message":"Hi"}]}');
  await writeFile(folder.file("columns.csv"), "foo,bar\na,b\n");
  const all = await runCli(["validate", "bad.json", "columns.csv", "good.json", "none.json"], { cwd });
  expect(all).toMatchObject({ code: 2, stdout: "good.json: ok, 1 scenario, 1 turn (json)\n" });
  expect(all.stderr).toContain("none.json does not exist");
  expect(all.stderr).toContain("bad.json: line 1");
  expect(all.stderr).toMatch(/columns\.csv: .*rehearsal import --map user=…/);

  await writeFile(folder.file("rehearsal.yaml"), "scenarios: good.json\ngates: [overal>=0.5]\n");
  const typo = await runCli(["validate", "rehearsal.yaml"], { cwd });
  expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "overall"?') });
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: good.json\n");
  const { code, stdout } = await runCli(["validate", "rehearsal.yaml"], { cwd });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "rehearsal.yaml: ok (configuration)\ngood.json: ok, 1 scenario, 1 turn (json)\n",
  });
  await writeFile(folder.file("promptfooconfig.yaml"), "prompts: ['{{question}}']\nproviders: [echo]\n");
  const nothing = await runCli(["validate", "promptfooconfig.yaml"], { cwd });
  expect(nothing).toMatchObject({ code: 2, stdout: expect.stringContaining("nothing to run, 0 scenarios") });
});

test("validate and doctor refuse the checks that a run would be refused for", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const turn = (pattern: string) => `{"id":"1","user_message":"Hi","checks":[{"type":"regex","pattern":"${pattern}"}]}`;
  await writeFile(folder.file("a.json"), `{"id":"a","interactions":[${turn("(?=x)")}]}`);
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: a.json\nscorers: [{ type: length }]\n");
  const told = await runCli(["validate"], { cwd });
  expect(told.stdout).toBe("rehearsal.yaml: not valid (configuration)\na.json: not valid, 1 scenario, 1 turn (json)\n");
  const { code, stdout } = await runCli(["validate", "--json"], { cwd });
  expect({ code, problems: JSON.parse(stdout).problems }).toEqual({
    code: 2,
    problems: [
      expect.stringMatching(/rehearsal\.yaml \/scorers\/0\/max: is required/),
      expect.stringMatching(/^a\.json: a, 1 \/checks\/0\/pattern: cannot be run safely/),
    ],
  });
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: a.json\n");
  const examined = await runCli(["doctor", "--json"], { cwd });
  expect(JSON.parse(examined.stdout).checks).toContainEqual(
    expect.objectContaining({ name: "configuration", state: "problem" }),
  );
  await writeFile(folder.file("a.json"), `{"id":"a","interactions":[${turn("x")}]}`);
  expect((await runCli(["validate"], { cwd })).code).toBe(0);
});

test("validate refuses a score that nobody has, unless a module or a service may have it", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("a.json"), '{"id":"a","interactions":[{"id":"1","user_message":"Hi"}]}');
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: a.json\nscorers: [token_f2]\n");
  const { code, stderr } = await runCli(["validate"], { cwd });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      'rehearsal.yaml /scorers/0: "token_f2" is no scorer here; did you mean "token_f1"?',
    ),
  });
  for (const env of [{ REHEARSAL_SCORERS_MODULE: "scorers.mjs" }, { REHEARSAL_SERVER: "http://127.0.0.1:9" }])
    expect((await runCli(["validate"], { cwd, env })).code).toBe(0);
});

test("reads standard input where - is named, and refuses to watch it", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const input = "question,answer\nHi,Hello\n";
  const imported = await runCli(["import", "-", "--json"], { cwd, input });
  expect(JSON.parse(imported.stdout)).toMatchObject({ scenarios: [{ interactions: [{ user_message: "Hi" }] }] });
  const checked = await runCli(["validate", "-"], { cwd, input: '{"id":"a","interactions":[{"user_message":"Hi"}]}' });
  expect(checked).toMatchObject({ code: 0, stdout: "-: ok, 1 scenario, 1 turn (json)\n" });
  expect(await runCli(["eval", "-", "-m", "demo/retrieval"], { cwd, input })).toMatchObject({ code: 0 });
  expect(await runCli(["watch", "-", "-m", "demo/retrieval"], { cwd, input })).toMatchObject({
    code: 2,
    stderr: "rehearsal: standard input does not change: name files or a folder to watch\n",
  });
});

test("a folder with a promptfoo configuration has the tests it names once", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("promptfooconfig.yaml"), 'prompts: ["{{ question }}"]\ntests: file://tests.csv\n');
  await writeFile(folder.file("tests.csv"), "question,__expected\nHi,similar: Hello\n");
  const imported = await runCli(["import", ".", "--json"], { cwd });
  expect(JSON.parse(imported.stdout)).toMatchObject({ scenarios: [{ interactions: [{ reference_reply: "Hello" }] }] });
  expect(await runCli(["validate", "."], { cwd })).toMatchObject({
    code: 0,
    stdout: "promptfooconfig.yaml: ok, 1 scenario, 1 turn (promptfoo)\n",
  });
  expect(await runCli(["validate", ".", "tests.csv"], { cwd })).toMatchObject({ code: 2 });
});

test("imports what another tool wrote, says what was lost, and exports it again", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const imported = await runCli(["import", `${fixtures}/promptfooconfig.yaml`, "-o", "scenarios.yaml"], { cwd });
  expect(imported).toMatchObject({ code: 0, stdout: "" });
  expect(imported.stderr).toMatch(/read as promptfoo/);
  const exported = await runCli(["export", "scenarios.yaml", "--to", "openai-chat"], { cwd });
  expect(exported.code).toBe(0);
  for (const line of exported.stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("messages");
  const asJson = await runCli(["export", "scenarios.yaml", "-o", "chats.jsonl", "--to", "openai-chat", "--json"], {
    cwd,
  });
  expect(JSON.parse(asJson.stdout)).toMatchObject({ format: "openai-chat", file: "chats.jsonl" });
  expect(await readFile(folder.file("chats.jsonl"), "utf8")).toBe(exported.stdout);
  const mapped = await runCli(["import", `${fixtures}/sharegpt.json`, "--json", "-o", "kept.json"], { cwd });
  const { scenarios, file } = JSON.parse(mapped.stdout);
  expect(scenarios.length).toBeGreaterThan(0);
  expect(file).toBe("kept.json");
  expect(await readFile(folder.file("kept.json"), "utf8")).toContain(JSON.stringify(scenarios[0].id));
});

test.each([
  ["import", "none.json"],
  ["export", "none.json", "--to", "yaml"],
  ["export", "one.json", "--to", "openai-chat"],
])("%s of %s without a scenario to write leaves the file that is there, also with --json", async (...args) => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("none.json"), '[{"id":"a","interactions":[]}]');
  await writeFile(folder.file("one.json"), '{"id":"a","interactions":[{"user_message":"Hi"}]}');
  await writeFile(folder.file("kept.yaml"), "of yesterday");
  const told = { code: 2, stderr: expect.stringMatching(/^rehearsal: (no scenario was found|nothing was written)/m) };
  expect(await runCli([...args, "-o", "kept.yaml"], { cwd })).toMatchObject({ ...told, stdout: "" });
  const asJson = await runCli([...args, "-o", "kept.yaml", "--json"], { cwd });
  expect(asJson).toMatchObject(told);
  expect(JSON.parse(asJson.stdout)).not.toHaveProperty("file");
  expect(await readFile(folder.file("kept.yaml"), "utf8")).toBe("of yesterday");
});

test("a check of an imported file that no run takes is named, and the file is kept", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const assertion = "{ type: is-json, value: { type: objekt } }";
  await writeFile(
    folder.file("promptfooconfig.yaml"),
    `prompts: ["{{ q }}"]\ntests:\n  - description: greeting\n    vars: { q: Hi }\n    assert: [${assertion}]\n`,
  );
  const imported = await runCli(["import", "promptfooconfig.yaml", "-o", "kept.yaml"], { cwd });
  expect(imported).toMatchObject({ code: 0 });
  expect(imported.stderr).toMatch(
    /^ {2}unusable \/scenarios\/0\/interactions\/0\/checks\/0\/schema: is not a usable JSON schema.*; until then no run takes/m,
  );
  expect(await readFile(folder.file("kept.yaml"), "utf8")).toContain("objekt");
  const { stdout } = await runCli(["import", "promptfooconfig.yaml", "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({
    notes: [{ kind: "unusable", pointer: "/scenarios/0/interactions/0/checks/0/schema" }],
  });
});

test.each(["request", "result", "scenario", "config"])("the %s schema is JSON Schema", async (name) => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await runCli(["schema", name], { cwd: folder.path });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveProperty("$schema", "https://json-schema.org/draft/2020-12/schema");
});

test("chat answers one message, from the command line or a pipe, and saves it as a scenario", async () => {
  await using folder = await temporaryFolder();
  await using services = await runServices();
  const options = { cwd: folder.path, env: { REHEARSAL_AGENT: services.agent } };
  const asked = await runCli(["chat", "What is 17 * 23?", "-m", "demo/scripted", "--save", "chat.yaml"], options);
  expect(asked).toMatchObject({ code: 0, stdout: "17 * 23 is 391.\n" });
  expect(await readFile(folder.file("chat.yaml"), "utf8")).toContain("reference_reply: 17 * 23 is 391.");
  const piped = await runCli(["chat", "--json", "-m", "demo/scripted"], { ...options, input: "What is 2 * 3?\n" });
  expect(JSON.parse(piped.stdout)).toMatchObject({ type: "ai", content: "2 * 3 is 6." });
  const wrong = await runCli(["chat", "Hi", "-m", "nonsense"], options);
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toMatch(/^rehearsal: there is no model "nonsense" \(rehearsal models lists them; .*\)\n$/);
});

test("a model that cannot be reached is exit 3 in a chat too, and no models are not taken for none that were set", async () => {
  await using folder = await temporaryFolder();
  const options = { cwd: folder.path, env: { HUB_BASE_URL: "http://127.0.0.1:9/v1" } };
  const asked = await runCli(["chat", "Hi", "-m", "acme/small"], options);
  expect(asked).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Nothing accepts connections at 127.0.0.1:9."),
  });
  const listed = await runCli(["models"], options);
  expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining("rehearsal doctor whether that can be") });
});

test("models are listed where nothing can be written, and nothing is left behind", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file(".rehearsal"), "no folder");
  expect(await runCli(["models"], { cwd: folder.path })).toMatchObject({ code: 0, stderr: "" });
  await using empty = await temporaryFolder();
  await runCli(["models"], { cwd: empty.path });
  expect(await readdir(empty.path)).toEqual([]);
});

test("keys are shown once, listed without their value, and can be revoked", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const made = await runCli(["keys", "create", "ci", "--scopes", "evaluate,runs:read"], { cwd });
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^rh_\w{8}_[\w-]{43}\n$/);
  expect((await stat(folder.file(".rehearsal"))).mode & 0o777).toBe(0o700);
  const list = await runCli(["keys", "list", "--json"], { cwd });
  const [{ id, owner }] = JSON.parse(list.stdout).keys;
  expect(owner).toBe("ci");
  expect(list.stdout).not.toContain(made.stdout.trim().slice(12));
  expect((await runCli(["keys", "revoke", id], { cwd })).stdout).toBe(`revoked ${id}\n`);
  expect((await runCli(["keys", "revoke", "nothing1"], { cwd })).code).toBe(2);
  // The whole key in place of its id.
  expect((await runCli(["keys", "revoke", made.stdout.trim()], { cwd })).stderr).toBe(
    'rehearsal: there is no key "[redacted]" (rehearsal keys list shows the ids)\n',
  );
  expect((await runCli(["keys", "create", "x", "--scopes", "everything"], { cwd })).code).toBe(2);
  for (const day of ["2099-02-31", "20277-12-31"])
    expect((await runCli(["keys", "create", "x", "--expires", day], { cwd })).code).toBe(2);
});

test.each([
  [["list", "ci"], 'keys list shows all keys: leave out "ci"'],
  [["revoke", "abcdefgh", "--expires", "2099-12-31"], "--expires is for keys create"],
  [
    ["create", "ci", "--entry", "--expires", "2099-12-31"],
    "--expires cannot be used with --entry: a key of REHEARSAL_API_KEYS ends when its entry is removed",
  ],
])("keys %j does not leave out what was asked for without a word", async (parameters, message) => {
  await using folder = await temporaryFolder();
  const ended = await runCli(["keys", ...parameters], { cwd: folder.path });
  expect(ended).toEqual({ code: 2, stdout: "", stderr: `rehearsal: ${message}\n` });
});

test("a key made for the environment has the form that is known not to be guessed", async () => {
  await using folder = await temporaryFolder();
  const made = await runCli(["keys", "create", "ci", "--entry", "--json"], { cwd: folder.path });
  const { key, entry } = JSON.parse(made.stdout) as { key: string; entry: string };
  expect(isMadeKey(key)).toBe(true);
  expect(parseApiKeys(entry)).toMatchObject([{ name: "ci", sha256: createHash("sha256").update(key).digest("hex") }]);
  expect(JSON.parse((await runCli(["keys", "list", "--json"], { cwd: folder.path })).stdout)).toEqual({ keys: [] });
});

test("an address that needs a key stops no command that makes one or listens nowhere", async () => {
  await using folder = await temporaryFolder();
  const options = { cwd: folder.path, env: { REHEARSAL_HOST: "0.0.0.0" } };
  expect((await runCli(["serve"], options)).stderr).toContain('make one with "rehearsal keys create"');
  for (const parameters of [["list"], ["keys", "list"], ["keys", "create", "ci"]]) {
    expect(await runCli(parameters, options)).toMatchObject({ code: 0 });
  }
});

test("doctor looks at this machine and fails only for what stops it", async () => {
  await using folder = await temporaryFolder();
  const fine = await runCli(["doctor", "--json"], { cwd: folder.path });
  expect(fine.code).toBe(0);
  expect(JSON.parse(fine.stdout)).toMatchObject({ healthy: true });
  expect(await readdir(folder.path)).toEqual([]);
  const env = { HUB_BASE_URL: "http://127.0.0.1:9/v1", HUB_API_KEY: "sk-canary" };
  const broken = await runCli(["doctor", "--json"], { cwd: folder.path, env });
  expect(broken.code).toBe(78);
  expect(broken.stdout).not.toContain("canary");
  expect(JSON.parse(broken.stdout).checks).toContainEqual(expect.objectContaining({ name: "hub", state: "problem" }));
});

test("doctor names the files of tools, scorers and agents that a start would be refused for", async () => {
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

test("doctor refuses a gate that eval would refuse; one on labels waits for scenarios", async () => {
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

test("doctor asks every named hub, in its protocol and with its key", async () => {
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

test("the bash completion offers commands, options and choices", async () => {
  await using folder = await temporaryFolder();
  const words = async (...typed: string[]) =>
    (await runCli(["completion", "words", "--", ...typed], { cwd: folder.path })).stdout.trim().split("\n");
  expect(await words("ev")).toEqual(["eval"]);
  expect(await words("eval", "--max-c")).toEqual(["--max-cost"]);
  expect(await words("schema", "re")).toEqual(["request", "result"]);
  expect(await words("eval", "--protocol", "open")).toEqual(["openai-chat", "openai-responses"]);
  expect(await words("report", "-f", "ht")).toEqual(["html"]);
  expect(await words("show", "")).toEqual(["latest"]);
  const file = join(folder.path, ".rehearsal", "rehearsal.db");
  await mkdir(join(folder.path, ".rehearsal"));
  const run = sampleRun({ turns: 1 });
  await using storage = await openSqlite({ file, leaseMs: 15_000 });
  await storage.store.runs.create(run);
  expect(await words("show", "")).toEqual(["latest", run.id]);
  expect(await words("eval", "--baseline", "l")).toEqual(["latest"]);
  for (const shell of ["bash", "zsh", "fish"]) {
    expect((await runCli(["completion", shell], { cwd: folder.path })).stdout).toContain("rehearsal completion words");
  }
});

test("a backup of a store in use is whole, only for its owner, and overwrites nothing", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const copy = join(cwd, "copy");
  // The folder that is typed outranks a database that is merely set.
  const env = { DATABASE_URL: "postgres://u:p@127.0.0.1:9/x" };
  const backUp = () => runCli(["backup", join("copy", "rehearsal.db"), "--data-dir", cwd], { cwd, env });
  await mkdir(copy);
  expect((await backUp()).stderr).toContain("There is no database");
  await using storage = await openSqlite({ file: join(cwd, "rehearsal.db"), leaseMs: 15_000 });
  await storage.store.runs.create(sampleRun({ turns: 1 }));
  expect((await backUp()).code).toBe(0);
  expect((await stat(join(copy, "rehearsal.db"))).mode & 0o777).toBe(0o600);
  const listed = await runCli(["list", "--json", "--data-dir", copy], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject({ runs: [{ state: "queued" }] });
  const again = await backUp();
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("never overwrites") });
});

// A limit on the size of files stands for a full disk: both break off in the middle.
test.skipIf(process.platform === "win32")("a file that cannot be written whole leaves what was there", async () => {
  await using folder = await temporaryFolder();
  const scenarios = [{ id: "s", interactions: [{ id: "t", user_message: "x".repeat(20_000) }] }];
  await writeFile(folder.file("in.json"), JSON.stringify(scenarios));
  const limited = [
    "-c",
    'ulimit -f 8; exec "$0" "$@"',
    process.execPath,
    commandLine,
    "import",
    "in.json",
    "-o",
    "out.json",
  ];
  const run = () => promisify(execFile)("sh", limited, { cwd: folder.path }).catch((error: unknown) => error);
  const refused = {
    code: 2,
    stderr: expect.stringContaining("out.json cannot be written: EFBIG") as string,
  };
  expect(await run()).toMatchObject(refused);
  expect(await readdir(folder.path)).toEqual(["in.json"]);
  await writeFile(folder.file("out.json"), "of yesterday");
  expect(await run()).toMatchObject(refused);
  expect(await readdir(folder.path)).toEqual(["in.json", "out.json"]);
  expect(await readFile(folder.file("out.json"), "utf8")).toBe("of yesterday");
});

test.skipIf(process.platform === "win32")("init leaves no part of a file that the next one would keep", async () => {
  await using folder = await temporaryFolder();
  const limited = ["-c", 'ulimit -f 0; exec "$0" "$@"', process.execPath, commandLine, "init", "--yes"];
  const run = promisify(execFile)("sh", limited, { cwd: folder.path });
  await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be written: EFBIG") });
  expect(await readdir(folder.path)).toEqual([]);
});

test("a folder in place of a file to write is named as that", async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file("out.yaml"));
  await writeFile(folder.file("in.json"), '[{ "id": "s", "interactions": [{ "user_message": "Hi" }] }]');
  const { code, stderr } = await runCli(["import", "in.json", "-o", "out.yaml"], { cwd: folder.path });
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("rehearsal: out.yaml cannot be written: it is a folder\n"),
  });
});
