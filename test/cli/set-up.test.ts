import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = pathToFileURL(resolve(import.meta.dirname, "../../scripts/installed-packages.mjs")).href;

function isInstalled(root: string): boolean {
  const code = `import { isInstalled } from ${JSON.stringify(script)}; console.log(isInstalled(${JSON.stringify(root)}));`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" }).trim() === "true";
}

const other = process.platform === "win32" ? "linux" : "win32";
const locked = {
  "": { name: "app" },
  "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
  "node_modules/for-others": { version: "1.0.0", integrity: "sha512-o", optional: true, os: [other] },
  "node_modules/for-others/node_modules/inside": { version: "1.0.0", integrity: "sha512-i", optional: true },
  "node_modules/not-for-others": { version: "1.0.0", integrity: "sha512-n", optional: true, os: [`!${other}`] },
};
const present = {
  "node_modules/a": locked["node_modules/a"],
  "node_modules/not-for-others": locked["node_modules/not-for-others"],
};

test.each([
  ["everything that is meant for this machine", present, true],
  ["nothing", null, false],
  ["another version", { ...present, "node_modules/a": { version: "1.0.1", integrity: "sha512-b" } }, false],
  ["other bytes of the same version", { ...present, "node_modules/a": { version: "1.0.0", integrity: "?" } }, false],
  ["all but a package that belongs here", { "node_modules/a": locked["node_modules/a"] }, false],
])("set-up knows what npm has installed already: %s", async (_name, packages, expected) => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("package-lock.json"), JSON.stringify({ packages: locked }));
  await mkdir(folder.file("node_modules"));
  if (packages) await writeFile(folder.file("node_modules/.package-lock.json"), JSON.stringify({ packages }));
  expect(isInstalled(folder.path)).toBe(expected);
});

test("what is installed here is what the lockfile names", () => {
  expect(isInstalled(resolve(import.meta.dirname, "../.."))).toBe(true);
});
