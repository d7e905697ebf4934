import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commandLine } from "../support/command-line.ts";
import { runCli, spawnCli } from "./run-cli.ts";

test("the version is one line", async () => {
  await using folder = await temporaryFolder();
  expect(await runCli(["--version"], { cwd: folder.path })).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+(?:-\w+)?\n$/),
    stderr: "",
  });
});

test("the help names every command and every exit code", async () => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await runCli(["--help"], { cwd: folder.path });
  expect(code).toBe(0);
  const headings = ["Evaluate:", "Results:", "Files:", "Agent:", "Operate:"].map((heading) => stdout.indexOf(heading));
  expect(headings).toEqual(headings.toSorted((left, right) => left - right));
  expect(headings).not.toContain(-1);
  const isListed = (name: string) => new RegExp(`^  ${name.split(" ")[0]} `, "m").test(stdout);
  expect(commands.map(({ name }) => name).filter((name) => !isListed(name))).toEqual([]);
  expect(stdout).toContain("130 interrupted");
});

test.runIf(existsSync("/dev/full"))("a full disk behind stdout is reported in one line with exit 2", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [commandLine, "--help"], { stdio: ["ignore", full, "pipe"] });
  closeSync(full);
  expect(status).toBe(2);
  expect(String(stderr)).toMatch(/^rehearsal: the output cannot be written: ENOSPC.*\n$/);
});

test("help with a command shows its options", async () => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await runCli(["help", "eval"], { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("--not-worse-by") });
  // Rare options are in docs/cli.md.
  expect(stdout).not.toContain("--max-regression");
});

test("runs and store have commands of their own", async () => {
  await using folder = await temporaryFolder();
  const ran = async (...words: string[]) => {
    const { code, stdout } = await runCli(words, { cwd: folder.path });
    return [code, stdout];
  };
  const none = [0, '{"runs":[]}\n'];
  expect(await ran("runs", "list", "--json")).toEqual(none);
  expect(await ran("runs", "--json")).toEqual(none);
  expect(await ran("list", "--json")).toEqual([2, ""]);
  expect(await ran("help", "store", "backup")).toEqual([0, expect.stringContaining("rehearsal store backup")]);
  expect(await ran("serve", "--worker", "--port", "1")).toEqual([2, ""]);
});

test.each(commands.map(({ name }) => name))("%s declares its options", async (name) => {
  const entry = commands.find((command) => command.name === name);
  const { declare } = (await entry?.load()) ?? {};
  expect(declare).toBeTypeOf("function");
});

test.each([
  [["keys", "create", "no name"], /"no name" is not a valid key name.*letters, digits/s],
  [["evil", "--help"], /unknown command 'evil'.*Did you mean eval/s],
  [["help", "evil"], /unknown command 'evil'.*Did you mean eval/s],
  [["evil"], /unknown command 'evil'.*Did you mean eval/s],
  [["eval", "--attemps", "3"], /unknown option '--attemps'.*--attempts/s],
  [["eval", "--attempts", "0"], /whole number of at least 1/],
  [["eval", "--priority", "101"], /whole number from -100 to 100/],
  [["eval", "--name", " "], /--name.*It must not be empty/],
  [
    ["runs", "list", "--server", "http://127.0.0.1:9", "--data-dir", "x"],
    /'--data-dir <folder>' cannot be used with option '--server/,
  ],
  [["serve", "--data-dir", ""], /--data-dir.*It must name a folder/],
  [["mcp", "--server", "nope"], /--server is "nope": use the address of an evaluation service/],
  [["eval", "--max-cost", "0"], /--max-cost.*It must be a number above 0/],
  [["compare", "a", "b", "--json", "--markdown"], /--json and --markdown cannot be combined/],
  [["eval", "--watch"], /no scenarios were given.*rehearsal init/],
  [["eval", "--watch", "nofile.yaml"], /nofile\.yaml does not exist/],
  [["chat", "Hello", "--save", "chat.txt"], /chat\.txt: the extension selects the format: use \.json, /],
  [["schema", "nonsense"], /Allowed choices are request/],
  [["-m", "demo/scripted", "eval"], /unknown option '-m'.*\(options go after the command: rehearsal eval …\)/s],
  [["serve", "--port", "99999"], /whole number from 0 to 65535/],
  [["runs", "export", "--json", "-f", "csv"], /choose one/],
  [["import", "a.csv", "-o", "b.txt"], /b\.txt: the extension selects the format: use \.json, /],
  [["export"], /missing required argument/],
])("%j is refused with exit 2 and a message on stderr only", async (parameters, message) => {
  await using folder = await temporaryFolder();
  const { code, stdout, stderr } = await runCli(parameters, { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

test("list and show create no files where there are no runs", async () => {
  await using folder = await temporaryFolder();
  const { code, stdout, stderr } = await runCli(["runs", "list"], { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain("No runs yet (rehearsal eval stores its runs in .rehearsal in the current folder");
  const filtered = await runCli(["runs", "list", "--state", "failed"], { cwd: folder.path });
  expect(filtered.stderr).toBe("No run matches.\n");
  const shown = await runCli(["runs", "show"], { cwd: folder.path });
  expect(shown.stderr).toMatch(/^rehearsal: there are no runs here yet \(.*--data-dir names another folder\)\n$/);
  expect(JSON.parse((await runCli(["runs", "list", "--json"], { cwd: folder.path })).stdout)).toEqual({ runs: [] });
  expect(await readdir(folder.path)).toEqual([]);
});

test("a path that is no data folder is refused, and backup refuses an existing file", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("rehearsal.yaml"), "name: x\n");
  const said = async (...parameters: readonly string[]) => {
    const { code, stdout, stderr } = await runCli(parameters, { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    return stderr;
  };
  expect(await said("runs", "list", "--data-dir", "rehearsal.yaml")).toContain("rehearsal.yaml is not a folder");
  expect(await said("runs", "show", "latest", "--data-dir", "/proc/x")).toContain("/proc/x does not exist");
  expect(await said("store", "backup", "rehearsal.yaml")).toContain("already exists");
  expect(await said("store", "migrate", "postgres://u:p@127.0.0.1:9/x")).toContain("nothing to copy: ");
  expect(await said("store", "migrate", "$NOT_THERE")).toContain("the environment variable NOT_THERE is not set");
});

test.runIf(process.platform === "linux").each([["serve"], ["serve", "--worker"], ["keys", "create", "ci"]])(
  "%s exits with 78 when its folder cannot be created",
  async (...parameters) => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await spawnCli([...parameters, "--data-dir", "/proc/x"], { cwd: folder.path });
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr: "rehearsal: REHEARSAL_DATA_DIR /proc/x cannot be created (ENOENT)\n",
    });
  },
);

test("a bad setting is reported in one line with exit 78 by every command", async () => {
  await using folder = await temporaryFolder();
  const env = { HUB_BASE_URL: "nowhere" };
  const { code, stderr } = await runCli(["runs", "list"], { cwd: folder.path, env });
  expect(code).toBe(78);
  expect(stderr).toMatch(/^rehearsal: HUB_BASE_URL .*\n$/);
});

test.each([["runs", "list"], ["doctor"], ["models"], ["eval"], ["chat", "Hello"], ["serve"], ["keys", "list"]])(
  "an unreadable --env file is reported in one line with exit 2: %s",
  async (...parameters) => {
    await using folder = await temporaryFolder();
    const missing = await runCli([...parameters, "--env", "nope.env"], { cwd: folder.path });
    const stderr = "rehearsal: the environment file nope.env does not exist\n";
    expect(missing).toEqual({ code: 2, stdout: "", stderr });
    const directory = await runCli([...parameters, "--env", "."], { cwd: folder.path });
    expect(directory).toMatchObject({ code: 2, stderr: expect.stringMatching(/file \. cannot be read.*\n$/) });
  },
);

test("a later --env file overrides an earlier one, and --env-file still works", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("good.env"), "HUB_BASE_URL=https://hub.example.com\n");
  await writeFile(folder.file("bad.env"), "HUB_BASE_URL=nowhere\n");
  const list = (...files: readonly string[]) => runCli(["runs", "list", ...files], { cwd: folder.path });
  expect((await list("--env", "bad.env", "--env", "good.env")).code).toBe(0);
  expect((await list("--env", "good.env", "--env", "bad.env")).code).toBe(78);
  expect((await list("--env-file", "bad.env")).code).toBe(78);
});

test("a service that needs a key and a wrong service are reported in words", async () => {
  await using folder = await temporaryFolder();
  await using guarded = await runServices({ REHEARSAL_API_KEYS: `ci:${"0".repeat(64)}:evaluate` });
  const cwd = folder.path;
  const stderr = "rehearsal: This service needs an API key.\n  Set REHEARSAL_API_KEY to a key of that service.\n";
  expect(await runCli(["runs", "list", "--server", guarded.evaluation], { cwd })).toEqual({
    code: 2,
    stdout: "",
    stderr,
  });
  expect(await runCli(["models", "--agent", guarded.agent], { cwd })).toEqual({ code: 2, stdout: "", stderr });
  const { code, stderr: other } = await runCli(["runs", "list", "--server", guarded.agent], { cwd });
  expect({ code, other }).toEqual({
    code: 3,
    other: expect.stringMatching(/^rehearsal: The answer from .* is not JSON.*\n$/),
  });
});

test("a CommonJS module of the operator is refused with the name it should have", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("package.json"), '{ "type": "commonjs" }');
  await writeFile(folder.file("scorers.js"), "export const good = () => 1;\n");
  await writeFile(folder.file("hello.yaml"), "id: hello\ninteractions:\n  - user_message: Hi\n");
  const { code, stderr } = await runCli(["eval", "hello.yaml", "-m", "demo/scripted"], {
    cwd: folder.path,
    env: { REHEARSAL_SCORERS_MODULE: "scorers.js" },
  });
  expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringMatching(/: let its name end in \.mjs\n$/) });
});

test("the wrong one of the two services is recognized, and the message names the right option", async () => {
  await using folder = await temporaryFolder();
  await using services = await runServices();
  await writeFile(folder.file("hello.yaml"), "id: hello\ninteractions:\n  - user_message: Hi\n");
  const target = ["--endpoint", "http://127.0.0.1:9/v1", "-m", "m"];
  for (const parameters of [
    ["eval", "hello.yaml", ...target, "--server", services.agent],
    ["models", "--agent", services.evaluation],
  ]) {
    const { code, stderr } = await runCli(parameters, { cwd: folder.path });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(
        /^rehearsal: There is no route at ".*"\.\n {2}Is that the right service\? --server /,
      ),
    });
  }
});

const noDatabase = "postgres://u:p@127.0.0.1:9/x";
const unreachable = {
  code: 78,
  stdout: "",
  stderr: "rehearsal: The database cannot be reached. (ECONNREFUSED 127.0.0.1:9)\n",
};

test("an unreachable database is reported in one line with exit 78", async () => {
  await using folder = await temporaryFolder();
  const options = { cwd: folder.path, env: { DATABASE_URL: noDatabase } };
  expect(await runCli(["runs", "list"], options)).toEqual(unreachable);
  const { stdout } = await runCli(["doctor", "--json"], options);
  expect(JSON.parse(stdout).checks).toContainEqual({
    name: "store",
    state: "problem",
    detail: "The database cannot be reached. (ECONNREFUSED 127.0.0.1:9)",
  });
});

test("services and workers wait for an unreachable database and log it before they exit with 78", async () => {
  await using folder = await temporaryFolder();
  const options = { cwd: folder.path, env: { DATABASE_URL: noDatabase } };
  const ended = await Promise.all([spawnCli(["serve"], options), spawnCli(["serve", "--worker"], options)]);
  for (const { stderr, ...rest } of ended) {
    const [waiting = "", ...line] = stderr.split("\n");
    expect(JSON.parse(waiting)).toMatchObject({ level: "warn", msg: "waiting for the database" });
    expect({ ...rest, stderr: line.join("\n") }).toEqual(unreachable);
  }
});

test("store migrate copies from the file DATABASE_URL names", async () => {
  await using folder = await temporaryFolder();
  await (await openSqlite({ file: folder.file("mine.db"), leaseMs: 15_000 })).close();
  const env = { DATABASE_URL: "sqlite:mine.db" };
  expect(await runCli(["store", "migrate", noDatabase], { cwd: folder.path, env })).toEqual(unreachable);
  const other = { DATABASE_URL: "sqlite:none.db" };
  const { code, stderr } = await runCli(["store", "migrate", noDatabase], { cwd: folder.path, env: other });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("none.db does not exist") });
  expect(await readdir(folder.path)).not.toContain(".rehearsal");
});
