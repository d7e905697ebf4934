import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commandLine } from "../support/command-line.ts";
import { runCli } from "./run-cli.ts";

const scenario = (id: string, message: string): string =>
  JSON.stringify({ id, interactions: [{ id: "1", user_message: message, reference_reply: "Yes" }] });

function startWatch(cwd: string, parameters: readonly string[]) {
  const env = { PATH: process.env["PATH"] ?? "" };
  const child = spawn(process.execPath, [commandLine, "eval", "--watch", ...parameters], { cwd, env });
  const ended = once(child, "exit");
  let stderr = "";
  child.stderr.on("data", (data) => (stderr += String(data)));
  return {
    stderr: () => stderr,
    waiting: (times: number) =>
      vi.waitFor(() => expect(stderr.match(/Waiting for changes/g)).toHaveLength(times), { timeout: 30_000 }),
    async interrupt() {
      child.kill("SIGINT");
      return ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test("watch reloads a configuration that is a module", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const config = (model: string): string =>
    `export default { scenarios: "one.json", endpoint: ${JSON.stringify(provider.url)}, model: "${model}" };`;
  await mkdir(folder.file("suite"));
  await writeFile(folder.file("suite/one.json"), scenario("one", "First"));
  await writeFile(folder.file("suite/support.mjs"), config("before"));
  await using watching = startWatch(folder.path, ["-c", "suite/support.mjs"]);
  await watching.waiting(1);
  await writeFile(folder.file("suite/support.mjs"), config("after"));
  await watching.waiting(2);
  expect(provider.requests.map(({ body }) => (body as { model: string }).model)).toEqual(["before", "after"]);
});

test("watch evaluates again when the file of the system prompt changes", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const config = {
    scenarios: "one.json",
    endpoint: provider.url,
    model: "m",
    system_prompt_file: "prompts/be-short.md",
  };
  await mkdir(folder.file("suite/prompts"), { recursive: true });
  await writeFile(folder.file("suite/one.json"), scenario("one", "First"));
  await writeFile(folder.file("suite/rehearsal.json"), JSON.stringify(config));
  await writeFile(folder.file("suite/prompts/be-short.md"), "Be brief.");
  await using watching = startWatch(folder.path, ["-c", "suite/rehearsal.json"]);
  await watching.waiting(1);
  await writeFile(folder.file("suite/prompts/be-short.md"), "Be long.");
  await watching.waiting(2);
  const prompts = provider.requests.map(({ body }) => JSON.stringify(body).match(/Be (brief|long)/)?.[0]);
  expect(prompts).toEqual(["Be brief", "Be long"]);
});

test("watch with --only-failed keeps to the scenarios that failed when it began", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const bad = {
    id: "bad",
    interactions: [{ id: "1", user_message: "First", checks: [{ type: "contains", text: "No" }] }],
  };
  await writeFile(folder.file("good.json"), scenario("good", "Second"));
  await writeFile(folder.file("bad.json"), JSON.stringify(bad));
  const parameters = ["good.json", "bad.json", "--endpoint", provider.url, "-m", "m"];
  await runCli(["eval", ...parameters], { cwd: folder.path });
  await using watching = startWatch(folder.path, [...parameters, "--only-failed", "latest"]);
  await watching.waiting(1);
  await writeFile(folder.file("good.json"), scenario("good", "Third"));
  await writeFile(folder.file("bad.json"), scenario("bad", "Fourth"));
  await watching.waiting(2);
  const asked = provider.requests.map(({ body }) => JSON.stringify(body).match(/First|Second|Third|Fourth/)?.[0]);
  expect(asked.slice(2)).toEqual(["First", "Fourth"]);
});

test("watch ignores its own results and other files beside the scenarios", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  await writeFile(folder.file("one.json"), scenario("one", "First"));
  const parameters = ["one.json", "--endpoint", provider.url, "-m", "m", "-o", "results.json"];
  await using watching = startWatch(folder.path, parameters);
  await watching.waiting(1);
  await writeFile(folder.file("package.json"), "{}");
  await writeFile(folder.file("one.json"), scenario("one", "Second"));
  await watching.waiting(2);
  expect(provider.requests.map(({ body }) => JSON.stringify(body).match(/First|Second/)?.[0])).toEqual([
    "First",
    "Second",
  ]);
});

test("watch evaluates changed scenarios only, reports errors, and exits with 0 on Ctrl-C", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  await writeFile(folder.file("one.json"), scenario("one", "First"));
  await writeFile(folder.file("two.json"), scenario("two", "Second"));
  await using watching = startWatch(folder.path, ["one.json", "two.json", "--endpoint", provider.url, "-m", "m"]);
  const asked = () => provider.requests.map(({ body }) => JSON.stringify(body).match(/First|Second|Third/)?.[0]);
  await watching.waiting(1);
  expect(asked().toSorted()).toEqual(["First", "Second"]);

  await writeFile(folder.file("two.json"), scenario("two", "Third"));
  await watching.waiting(2);
  expect(asked().slice(2)).toEqual(["Third"]);

  await writeFile(folder.file("two.json"), "{");
  await watching.waiting(3);
  expect(watching.stderr()).toContain("two.json: line 1");
  expect(provider.requests).toHaveLength(3);
  expect(await watching.interrupt()).toEqual([0, null]);
});
