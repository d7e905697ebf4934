import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { folderWith, hello } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

test("a dry run names the own agent, estimates without a store and creates none", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  const parameters = ["eval", "hello.json", "-m", "demo/scripted", "-a", "150", "--dry-run"];
  const { code, stdout } = await runCli(parameters, { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^hello on demo\/scripted at Rehearsal's own agent: .* = 150 calls\n {2}150 calls, .*\n$/);
  expect(await readdir(folder.path)).toEqual(["hello.json"]);
  const asJson = await runCli([...parameters, "--json"], { cwd: folder.path });
  expect(JSON.parse(asJson.stdout).runs).toMatchObject([{ endpoint: "agent", estimate: {} }]);
});

test.each([
  ["scorers", { scorers: ["token_f2"] }, /"token_f2" is not a known scorer; did you mean "token_f1"\?/],
  ["a judge", { judge: { endpoint: "http://127.0.0.1:9/v1" } }, /\/judge\/model_id is required/],
  ["an address with a password", { endpoint: "http://me:secret@127.0.0.1:9/v1" }, /must not hold user info/],
  ["a forbidden address", { endpoint: "http://169.254.169.254/v1" }, /are never called/],
])("a dry run is refused like the run itself: %s", async (_name, setting, message) => {
  const config = JSON.stringify({ scenarios: "hello.json", model: "demo/scripted", ...setting });
  await using folder = await folderWith({ "hello.json": hello, "rehearsal.json": config });
  const { code, stdout, stderr } = await runCli(["eval", "--dry-run"], { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

test("a dry run counts the calls of the model and of the judge, and their sum", async () => {
  const judge = { endpoint: "http://127.0.0.1:9/v1", model_id: "judge" };
  const config = JSON.stringify({ scenarios: "hello.json", model: ["a", "b"], endpoint: judge.endpoint, judge });
  await using folder = await folderWith({ "hello.json": hello, "rehearsal.json": config });
  const { code, stdout } = await runCli(["eval", "--dry-run"], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout.match(/1 attempt = 1 call and 1 of judge, labeller or simulator\n {2}2 calls, /g)).toHaveLength(2);
  expect(stdout).toMatch(/^4 calls in all$/m);
});

test("a dry run refuses a model that the own agent does not serve", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  const parameters = ["eval", "hello.json", "-m", "demo/scripted", "-m", "demo/retreival", "--dry-run"];
  const { code, stdout, stderr } = await runCli(parameters, { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(
    'there is no model "demo/retreival": did you mean demo/retrieval? (rehearsal models lists them)',
  );
});

test.each([
  ["no scenarios", ["eval"], /no scenarios were given/],
  ["no model", ["eval", "hello.json"], /no model was given/],
  [
    "a misspelt model of our own agent",
    ["eval", "hello.json", "-m", "demo/scripted", "-m", "demo/retreival"],
    /there is no model "demo\/retreival": did you mean demo\/retrieval\? \(rehearsal models lists them\)/,
  ],
  [
    "a model of a provider that is not set up",
    ["eval", "hello.json", "-m", "openai/gpt-4o"],
    /there is no model "openai\/gpt-4o" here; test it at its provider with --endpoint https:\/\/api\.openai\.com\/v1 --model gpt-4o/,
  ],
  ["a missing file", ["eval", "nope.json", "-m", "m"], /nope\.json does not exist/],
  [
    "a broken scenario",
    ["eval", "broken.json", "-m", "m"],
    /broken\.json:1 \/interactions\/0: user_message is missing or not text/,
  ],
  [
    "a misspelt field",
    ["eval", "misspelt.json", "-m", "m"],
    /misspelt\.json:1 \/interactions\/0\/user_mesage: unknown fields: user_mesage \(did you mean user_message\?\)/,
  ],
  ["a picture", ["eval", "picture.png", "-m", "m"], /picture\.png: this is a binary file, not text/],
  ["bad JSON", ["eval", "bad.json", "-m", "m"], /bad\.json: line 1/],
  [
    "the same id twice",
    ["eval", "hello.json", "again.json", "-m", "m"],
    /"hello" is in hello\.json and in again\.json/,
  ],
  [
    "an impossible gate",
    ["eval", "hello.json", "-m", "m", "--gate", "pass^3>=0.9"],
    /needs at least 3 attempts; there are 1/,
  ],
  ["an unknown gate", ["eval", "hello.json", "-m", "m", "--gate", "good"], /the gate "good" cannot be read/],
  ["a filter that fits nothing", ["eval", "hello.json", "-m", "m", "--filter", "tag:x"], /none of 1 scenarios matches/],
  ["no address", ["eval", "hello.json", "-m", "m", "--endpoint", "agnet"], /the endpoint is "agnet": give an address/],
  [
    "JUnit of several models on stdout",
    ["eval", "hello.json", "-m", "m", "-m", "n", "--reporter", "junit"],
    /junit can print only one run, but there are 2 models: use -o junit\.xml, which writes a file for each/,
  ],
  [
    "a dry run of a run that goes on",
    ["eval", "--resume", "latest", "--dry-run"],
    /--resume and --dry-run cannot be combined/,
  ],
  ["a watch that goes on", ["eval", "--watch", "--resume", "latest"], /use rehearsal eval --resume latest first/],
  ["an unknown ending", ["eval", "hello.json", "-m", "m", "-o", "x.pdf"], /x\.pdf: the extension selects the format/],
  ["a file inside a file", ["eval", "hello.json", "-m", "m", "-o", "again.json/x.json"], /x\.json cannot be written/],
  [
    "a folder as a file",
    ["eval", "hello.json", "-m", "m", "-o", "folder.json"],
    /folder\.json cannot be written: it is/,
  ],
  ["two documents on stdout", ["eval", "hello.json", "-m", "m", "--reporter", "junit,markdown"], /junit and markdown/],
])("%s is refused with exit 2 before a model is called", async (_name, parameters, message) => {
  const broken = JSON.stringify({ id: "broken", interactions: [{ id: "1" }] });
  await using folder = await folderWith({
    "hello.json": hello,
    "again.json": hello,
    "broken.json": broken,
    "misspelt.json": JSON.stringify({ id: "misspelt", interactions: [{ id: "1", user_mesage: "Hi" }] }),
    "bad.json": "{",
    "picture.png": "\u0089PNG\r\n\u001A\n\0\0\0\rIHDR",
  });
  await mkdir(folder.file("folder.json"));
  const { code, stderr } = await runCli(parameters, { cwd: folder.path });
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

test("files that a scenario file names outside its folder are read only with --allow-files", async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file("s"));
  await writeFile(folder.file("adc.json"), '{"refresh_token":"canary"}');
  const interactions = [{ id: "1", user_message: "Hi", reference_reply: "Hi" }];
  const tool = { name: "read", parameters: { type: "object" }, answers: [{ result: { $state: "" } }] };
  const world = { state_file: "../adc.json", tools: [tool] };
  const promptfoo = { prompts: ["{{text}}"], providers: ["echo"], tests: [{ vars: { text: "file://../adc.json" } }] };
  const files = {
    "state.json": { id: "a", world, interactions },
    "request.json": { test_batch: { id: "b", interactions }, endpoint: "http://127.0.0.1:9/v1", model_id: "m", world },
    "promptfooconfig.json": promptfoo,
    "pattern.json": { ...promptfoo, tests: ["file://../adc*"] },
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(folder.file(`s/${name}`), JSON.stringify(content));
  await symlink(folder.file("adc.json"), folder.file("s/link.json"));
  await writeFile(
    folder.file("s/link.yaml"),
    JSON.stringify({ id: "l", world: { ...world, state_file: "link.json" }, interactions }),
  );
  const refused = (file: string) => expect.stringMatching(new RegExp(`s/${file} names .*(adc|link).* --allow-files`));
  for (const file of [...Object.keys(files), "link.yaml"]) {
    for (const command of ["eval", "validate", "import"]) {
      // The world of a request is a setting of the run: only an evaluation reads it.
      if (file === "request.json" && command !== "eval") continue;
      const options = command === "eval" ? ["--dry-run", "-m", "demo/scripted"] : [];
      const denied = await runCli([command, `s/${file}`, ...options], { cwd: folder.path });
      expect([command, denied.code, denied.stderr]).toEqual([command, 2, refused(file)]);
      expect(denied.stdout + denied.stderr).not.toContain("canary");
      const allowed = await runCli([command, `s/${file}`, ...options, "--allow-files"], { cwd: folder.path });
      expect([file, command, allowed.code, allowed.stderr]).toEqual([file, command, 0, expect.anything()]);
    }
  }
});
