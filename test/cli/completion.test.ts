import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { completions, completionScripts } from "../../src/cli/commands/operate/completion.ts";
import { createProgram, declareOnce } from "../../src/cli/program.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { sampleRun } from "../conformance/sample-runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commandLine } from "../support/command-line.ts";
import { runCli } from "./run-cli.ts";

const run = promisify(execFile);
const has = (shell: string): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** A folder with `rehearsal` on the path and the script of a shell. */
async function prepared(shell: keyof typeof completionScripts) {
  const folder = await temporaryFolder();
  const launcher = `#!/bin/sh\nexec "${process.execPath}" "${commandLine}" "$@"\n`;
  await writeFile(folder.file("rehearsal"), launcher, { mode: 0o755 });
  await writeFile(folder.file("script"), completionScripts[shell]);
  const env = { PATH: `${folder.path}:${process.env["PATH"] ?? ""}`, HOME: folder.path };
  const complete = async (program: string): Promise<string[]> =>
    (await run(shell, ["-c", program], { cwd: folder.path, env })).stdout.trim().split("\n");
  return { folder, script: join(folder.path, "script"), complete };
}

test.skipIf(!has("bash"))("bash completes commands, options and choices, and completes file names itself", async () => {
  const { folder, script, complete } = await prepared("bash");
  await using _ = folder;
  const words = (...typed: string[]) =>
    complete(`source ${script}
      COMP_WORDS=(rehearsal ${typed.map((word) => JSON.stringify(word)).join(" ")})
      COMP_CWORD=${typed.length}
      _rehearsal; printf '%s\\n' "\${COMPREPLY[@]}"`);
  expect(await words("comp")).toEqual(["compare", "completion"]);
  expect(await words("eval", "--max-c")).toEqual(["--max-cost"]);
  expect(await words("schema", "re")).toEqual(["request", "result"]);
  expect(await words("eval", "")).toEqual([""]);
  expect(await words("help", "comp")).toEqual(["compare", "completion"]);
  expect(await words("keys", "--data-dir", "x", "")).toEqual(["create", "list", "revoke"]);
  expect(await words("keys", "create", "")).toEqual([""]);
  expect(await words("compare", "latest", "la")).toEqual(["latest"]);
  expect(await words("eval", "--reporter", "ju")).toEqual(["junit"]);
  expect(await words("eval", "--reporter", "line,json,j")).toEqual(["line,json,junit"]);
  expect(await words("eval", "--reporter", "=", "ju")).toEqual(["junit"]);
  expect(await words("keys", "--data-dir", "=", "x", "")).toEqual(["create", "list", "revoke"]);
  expect(await words("export", "--to", "=")).toEqual(expect.arrayContaining(["json", "promptfoo"]));
  expect(await words("runs", "delete", "latest", "la")).toEqual(["latest"]);
});

test.skipIf(!has("bash"))("bash completion does not run a command substitution in the typed word", async () => {
  const { folder, script, complete } = await prepared("bash");
  await using _ = folder;
  const offered = await complete(`source ${script}
    COMP_WORDS=(rehearsal eval --reporter '"$(touch made),jso'); COMP_CWORD=3
    _rehearsal; printf '%s\\n' "\${COMPREPLY[@]}"`);
  expect(offered).toEqual(['"$(touch made),json']);
  expect(existsSync(folder.file("made"))).toBe(false);
});

test("completion offers only run ids that are plain words", async () => {
  const runs = ["$(touch made)", "a b", "01a1-eae9"].map((run_id) => ({ run_id }));
  const service = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ runs, next_cursor: null }));
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  vi.stubEnv("REHEARSAL_SERVER", `http://127.0.0.1:${(service.address() as AddressInfo).port}`);
  try {
    expect(await completions(["runs", "show", ""], createProgram(), declareOnce)).toEqual(["latest", "01a1-eae9"]);
  } finally {
    vi.unstubAllEnvs();
    service.close();
  }
});

test("completion offers --name=value as a whole to shells that take it for one word", async () => {
  expect(await completions(["eval", "--reporter=line,ju"], createProgram(), declareOnce)).toEqual([
    "--reporter=line,junit",
  ]);
  expect(await completions(["eval", "--unknown=ju"], createProgram(), declareOnce)).toEqual([]);
});

test.skipIf(!has("zsh"))("zsh completes commands", async () => {
  const { folder, script, complete } = await prepared("zsh");
  await using _ = folder;
  const program = `compdef() { :; }; compadd() { print -l -- \${(P)2}; }; source ${script}
    words=(rehearsal comp); CURRENT=2; _rehearsal`;
  expect(await complete(program)).toEqual(["compare", "completion"]);
});

test.skipIf(!has("fish"))("fish completes commands", async () => {
  const { folder, script, complete } = await prepared("fish");
  await using _ = folder;
  expect(await complete(`source ${script}; complete -C "rehearsal comp"`)).toEqual(["compare", "completion"]);
});

test("completion words lists commands, options, choices and stored runs", async () => {
  await using folder = await temporaryFolder();
  const words = async (...typed: string[]) =>
    (await runCli(["completion", "words", "--", ...typed], { cwd: folder.path })).stdout.trim().split("\n");
  expect(await words("ev")).toEqual(["eval"]);
  expect(await words("eval", "--max-c")).toEqual(["--max-cost"]);
  expect(await words("schema", "re")).toEqual(["request", "result"]);
  expect(await words("eval", "--protocol", "open")).toEqual(["openai-chat", "openai-responses"]);
  expect(await words("runs", "export", "-f", "ht")).toEqual(["html"]);
  expect(await words("runs", "show", "")).toEqual(["latest"]);
  const file = join(folder.path, ".rehearsal", "rehearsal.db");
  await mkdir(join(folder.path, ".rehearsal"));
  const run = sampleRun({ turns: 1 });
  await using storage = await openSqlite({ file, leaseMs: 15_000 });
  await storage.store.runs.create(run);
  expect(await words("runs", "show", "")).toEqual(["latest", run.id]);
  expect(await words("eval", "--baseline", "l")).toEqual(["latest"]);
  for (const shell of ["bash", "zsh", "fish"]) {
    expect((await runCli(["completion", shell], { cwd: folder.path })).stdout).toContain("rehearsal completion words");
  }
});
