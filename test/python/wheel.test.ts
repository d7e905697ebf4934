import { execFile } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { built } from "../support/build-once.ts";
import { isDeep } from "../support/sizes.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const python = process.env["PYTHON"] ?? "python3";

/** Why the wheel cannot be built here; null where it can. In CI that is a failure. */
async function missing(): Promise<string | null> {
  const ask = "import sys, venv, pip; from urllib.request import urlopen; assert sys.version_info >= (3, 10)";
  const failed = await run(python, ["-c", ask]).then(
    () => null,
    (error: Error & { stderr?: string }) => error.stderr?.trim().split("\n").at(-1) || error.message,
  );
  if (failed) return `${python} 3.10 or newer with pip and venv is missing: ${failed}`;
  const reached = await run(python, [...pip, "download", "--no-deps", "-d", folder.path, "iniconfig"]).catch(
    (error: Error) => error,
  );
  return reached instanceof Error ? `packages of Python cannot be downloaded: ${reached.message}` : null;
}

const pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
let folder: TemporaryFolder;
let reason: string | null = null;
const virtual = () => folder.file("venv/bin/python");
/** The Node of this process, unless the wheel's own is installed. */
const environment = () => ({
  ...process.env,
  ...(!isDeep && { REHEARSAL_NODE: process.execPath }),
  HOME: folder.path,
  PYTHONDONTWRITEBYTECODE: "1",
});

beforeAll(async () => {
  folder = await temporaryFolder();
  reason = await missing();
  if (reason !== null) {
    if (process.env["CI"]) throw new Error(reason);
    process.stderr.write(`The tests of the Python package are skipped: ${reason}\n`);
    return;
  }
  await built("bundle");
  await run(process.execPath, [join(root, "scripts/build-wheel.mjs"), folder.path], { env: process.env });
  await run(python, ["-m", "venv", "--without-pip", folder.file("venv")]);
  const [wheel] = await Array.fromAsync(glob("rehearsal_eval-*.whl", { cwd: folder.path }));
  const install = [...pip, "--python", virtual(), "install"];
  await run(python, [...install, ...(isDeep ? [] : ["--no-deps"]), folder.file(wheel!)]);
  await run(python, [...install, "pytest", "pytest-xdist"]);
}, 600_000);
afterAll(() => folder[Symbol.asyncDispose]());

/** Runs a program of the package; what pytest printed is part of the failure. */
async function inVenv(...parameters: string[]): Promise<string> {
  const { stdout } = await run(virtual(), parameters, { cwd: folder.path, env: environment() }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout;
}

test("the wheel passes its own tests", async ({ skip }) => {
  if (reason !== null) return skip(reason);
  const said = await inVenv("-m", "pytest", join(root, "python/tests"), "-q", "-n", "2", "-p", "no:cacheprovider");
  expect(said).toMatch(/^\d+ passed in/m);
});

test("the wheel has the engine, its types and every licence, in at most 15 MB", async ({ skip }) => {
  if (reason !== null) return skip(reason);
  const [wheel] = await Array.fromAsync(glob("rehearsal_eval-*.whl", { cwd: folder.path }));
  const list = `
import json, sys, zipfile
files = zipfile.ZipFile(sys.argv[1]).infolist()
print(json.dumps({"names": [file.filename for file in files], "bytes": sum(file.compress_size for file in files)}))`;
  const { names, bytes } = JSON.parse(await inVenv("-c", list, folder.file(wheel!))) as {
    names: string[];
    bytes: number;
  };
  expect(bytes).toBeLessThan(15_000_000);
  expect(names).toEqual(
    expect.arrayContaining([
      "rehearsal_eval/py.typed",
      "rehearsal_eval/_engine/dist/cli/main.js",
      "rehearsal_eval/_engine/dist/THIRD-PARTY-NOTICES.md",
      "rehearsal_eval/_engine/web/dist/index.html",
      "rehearsal_eval/_engine/LICENSE",
      expect.stringMatching(/dist-info\/licenses\/LICENSE$/),
    ]),
  );
  expect(names.filter((name) => /\/\.|\.ts$|tests?\//.test(name))).toEqual([]);
});

test("rehearsal is the same command line", async ({ skip }) => {
  if (reason !== null) return skip(reason);
  const { stdout } = await run(folder.file("venv/bin/rehearsal"), ["--version"], { env: environment() });
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  expect(stdout).toContain(version);
});
