import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const script = pathToFileURL(resolve(root, "scripts/installed-packages.mjs")).href;

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
  for (const path of Object.keys(present)) await mkdir(folder.file(path), { recursive: true });
  if (packages) await writeFile(folder.file("node_modules/.package-lock.json"), JSON.stringify({ packages }));
  expect(isInstalled(folder.path)).toBe(expected);
});

test("a package that npm names and that is gone again is not installed", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("package-lock.json"), JSON.stringify({ packages: locked }));
  await mkdir(folder.file("node_modules/a"), { recursive: true });
  await writeFile(folder.file("node_modules/.package-lock.json"), JSON.stringify({ packages: present }));
  expect(isInstalled(folder.path)).toBe(false);
});

test.skipIf(process.platform === "win32").each([process.platform, "win32"])(
  "set-up starts npm without a shell, and when stopped takes it along and leaves no word of being done: %s",
  async (platform) => {
    await using folder = await temporaryFolder();
    await mkdir(folder.file("scripts"));
    for (const name of ["setup.mjs", "installed-packages.mjs"])
      await copyFile(resolve(root, "scripts", name), folder.file(`scripts/${name}`));
    await writeFile(folder.file("package-lock.json"), JSON.stringify({ packages: locked }));
    // Like npm, it continues after a stop signal.
    const npm = `process.on("SIGINT", () => {}); setInterval(() => {}, 1000);
    require("node:fs").writeFileSync("npm.pid", String(process.pid));`;
    await writeFile(folder.file("npm-cli.js"), npm);
    const pretend = `data:text/javascript,Object.defineProperty(process,"platform",{value:"${platform}"})`;
    const child = spawn(process.execPath, ["--import", pretend, folder.file("scripts/setup.mjs")], {
      env: { PATH: process.env["PATH"], npm_execpath: folder.file("npm-cli.js") },
      stdio: "ignore",
    });
    const pid = Number(await vi.waitFor(() => readFile(folder.file("npm.pid"), "utf8"), 60_000));
    child.kill("SIGINT");
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGINT");
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 60_000);
    expect(existsSync(folder.file("node_modules/.rehearsal-installed"))).toBe(false);
  },
);

test.skipIf(process.platform === "win32").each(["#", "?", ":", "%"])(
  "set-up refuses a folder with %s in its path before it installs anything",
  async (letter) => {
    await using folder = await temporaryFolder();
    const clone = folder.file(`my${letter}clone`);
    await mkdir(`${clone}/scripts`, { recursive: true });
    for (const name of ["setup.mjs", "installed-packages.mjs"])
      await copyFile(resolve(root, "scripts", name), `${clone}/scripts/${name}`);
    const { status, stderr } = spawnSync(process.execPath, [`${clone}/scripts/setup.mjs`], { encoding: "utf8" });
    expect(stderr).toContain(`the folder's path has "${letter}" in it`);
    expect(stderr).toContain(clone);
    expect(status).toBe(1);
    expect(existsSync(`${clone}/node_modules`)).toBe(false);
  },
);

test("a clone has the same line ends on every machine, whatever Git there does by default", async () => {
  expect(await readFile(resolve(root, ".gitattributes"), "utf8")).toMatch(/^\* text=auto eol=lf$/m);
});

test("the installed packages are those of the lockfile", () => {
  expect(isInstalled(root)).toBe(true);
});
