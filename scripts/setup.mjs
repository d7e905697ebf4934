// Makes a fresh clone ready for `npm start`, `npm test` and `npm run check`: installs the locked packages, builds the page. With
// `--bundle` it also joins the code into the few files that `npm start` runs, which start in half the time of the sources; with
// `--packages` it only installs.
// Plain JavaScript for any Node from 18 on: it runs before the project's own Node 24 is there. Silent when nothing is to be done.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled } from "./installed-packages.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === "win32";
const bundles = process.argv.includes("--bundle");
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"];
// The program itself, and what npm's scripts find: on Windows that is a script in turn, which only a shell starts.
const ownNode = join(root, "node_modules", "node", "bin", windows ? "node.exe" : "node");
const linkedNode = join(root, "node_modules", ".bin", windows ? "node.cmd" : "node");

/**
 * Does `work` only when the files below `inputs` have changed since `stampFile` was written, or its result is not whole any
 * more, and `isDone` finds that it was not done otherwise.
 */
async function whenChanged({ stampFile, inputs, message, isWhole = () => true, isDone = () => false, work }) {
  const hash = createHash("sha256");
  const files = inputs.flatMap(filesBelow).filter((file) => !/\.test\.tsx?$/.test(file));
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, file)));
  const stamp = hash.digest("hex");
  const path = join(root, stampFile);
  if (existsSync(path) && readFileSync(path, "utf8") === stamp && isWhole()) return;
  if (isDone()) return void writeFileSync(path, stamp);
  process.stderr.write(`${message}\n`);
  const started = Date.now();
  await work();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, stamp);
  process.stderr.write(`  done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

function filesBelow(path) {
  if (!existsSync(join(root, path))) return [];
  if (path.endsWith("/dist")) return [];
  const entries = readdirSyncOrNull(join(root, path));
  return entries ? entries.flatMap((name) => filesBelow(`${path}/${name}`)) : [path];
}

function readdirSyncOrNull(path) {
  try {
    return readdirSync(path);
  } catch (error) {
    if (error.code === "ENOTDIR") return null;
    throw error;
  }
}

/**
 * A signal also kills the child: npm would continue for a minute and remove what the next start installs. No shell
 * unless needed: one would split "C:\Program Files\nodejs\node.exe" at its space.
 */
async function run(command, parameters, { environment = process.env, shell = false } = {}) {
  const child = spawn(command, parameters, {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    shell,
  });
  let stopped;
  const stop = (signal) => {
    stopped = signal;
    child.kill("SIGKILL");
  };
  for (const name of stopSignals) process.on(name, stop);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  const { status, error } = await new Promise((resolve) => {
    child.on("error", (error) => resolve({ error })).on("close", (status) => resolve({ status }));
  });
  for (const name of stopSignals) process.removeListener(name, stop);
  if (stopped) process.kill(process.pid, stopped);
  if (status === 0) return;
  process.stderr.write(`${output}\n`);
  process.stderr.write(
    `Set-up stopped: "${command} ${parameters.join(" ")}" failed${error ? ` (${error.message})` : ""}.\n`,
  );
  process.exit(1);
}

/** npm replaces node_modules, so it must not run on the Node that is in there. */
async function npm(...parameters) {
  const inside = join(root, "node_modules");
  const PATH = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(inside));
  // `npm pack --dry-run` would hand its setting down to the installation.
  const environment = { ...process.env, PATH: PATH.join(delimiter), npm_config_dry_run: "false" };
  const node = [process.env.npm_node_execpath, process.execPath].find((path) => path && !path.startsWith(inside));
  const cli = process.env.npm_execpath;
  if (cli && /npm-cli\.c?js$/.test(cli)) await run(node ?? "node", [cli, ...parameters], { environment });
  else await run("npm", parameters, { environment, shell: windows });
}

// The page's bundler takes what follows "#" or "?" for no part of a file's name, the test runner reads "%" as half of an address; a colon
// ends a folder on the PATH that leads to Node 24.
const letters = `#?${windows ? "" : ":"}${bundles ? "" : "%"}`;
const unusable = [...root].find((letter) => letters.includes(letter));
if (unusable !== undefined) {
  process.stderr.write(
    `Set-up stopped: the folder's path has "${unusable}" in it, which the tools that build and test Rehearsal cannot use: ${root}\n` +
      `Move the clone to a folder without it and start again.\n`,
  );
  process.exit(1);
}

await whenChanged({
  stampFile: "node_modules/.rehearsal-installed",
  inputs: ["package-lock.json"],
  message: "Installing packages (first start, or the lockfile changed) …",
  isWhole: () => [ownNode, linkedNode].every(existsSync),
  isDone: () => isInstalled(root) && existsSync(linkedNode) && spawnSync(ownNode, ["--version"]).status === 0,
  work: async () => {
    // No package may run code of its own at install time but `node`, which fetches its binary for this platform.
    if (!isInstalled(root)) await npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error");
    await npm("rebuild", "node", "--loglevel=error");
  },
});

if (process.argv.includes("--packages")) process.exit();

await whenChanged({
  stampFile: "web/dist/.built",
  inputs: [
    "web",
    "scripts/third-party-notices.ts",
    "src/base",
    "src/scoring",
    "src/contract",
    "src/evaluation",
    "examples/scenarios",
    "package-lock.json",
  ],
  message: "Building the page …",
  work: () => {
    const vite = join("node_modules", "vite", "bin", "vite.js");
    // Whatever it is here: with another one, as tests have it, React's warnings and a fourth more code would be in the page.
    const environment = { ...process.env, NODE_ENV: "production" };
    return run(ownNode, [vite, "build", "web", "--logLevel", "error"], { environment });
  },
});

if (bundles) {
  await whenChanged({
    stampFile: "dist/.bundled",
    inputs: ["src", "scripts/bundle.mjs", "scripts/third-party-notices.ts", "package-lock.json"],
    message: "Bundling the services …",
    work: () => run(ownNode, [join("scripts", "bundle.mjs")]),
  });
}
