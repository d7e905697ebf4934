// Puts the published manifest in place of package.json while npm packs the repository. Plain JavaScript for any Node from 18 on, as
// set-up is.
//   --put <npm>     replaces package.json until the process with the id <npm> has ended
//   --restore       puts package.json back
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const self = fileURLToPath(import.meta.url);
const manifest = join(dirname(dirname(self)), "package.json");
const original = `${manifest}.orig`;

const [mode, npm] = process.argv.slice(2);
if (mode === "--put") {
  put();
  // npm runs no `postpack` when it fails or is interrupted. The shell of Windows gives no id.
  if (Number(npm) > 0) spawn(process.execPath, [self, "--restore", npm], { detached: true, stdio: "ignore" }).unref();
} else {
  while (npm && existsSync(original) && isAlive(Number(npm))) await setTimeout(100);
  if (existsSync(original)) renameSync(original, manifest);
}

/** Everything that runs is in the bundle, and the types of the library need no others. */
function put() {
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _dev,
    overrides: _overrides,
    allowScripts: _allow,
    dependencies: _bundled,
    ...published
  } = JSON.parse(readFileSync(manifest, "utf8"));
  copyFileSync(manifest, original);
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
