// Every step of a release that needs no network: `npm run release:dry [-- --version v0.3.0] [--output FOLDER]`. Writes the tarball,
// the Python packages, the SBOM and the notes into a folder, and tries the tarball in an empty one. Publishes nothing.
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { version: { type: "string" }, output: { type: "string" } } });
const output = resolve(values.output ?? join(root, "release"));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const steps = [
  ["version", checkVersion],
  ["change log", writeNotes],
  ["npm package", packNpm],
  ["tarball in an empty folder", tryTarball],
  ["Python packages", buildPython],
  ["SBOM", () => run("node", ["scripts/sbom.mjs", join(output, "sbom.json")]) || "sbom.json"],
];
/** What only a release does. */
const atRelease = ["audit", "npm publish with provenance", "PyPI upload with attestations", "image", "GitHub release"];

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
for (const [name, step] of steps) {
  try {
    process.stdout.write(`ok    ${name}: ${step()}\n`);
  } catch (error) {
    process.stderr.write(`FAILED ${name}: ${error.stderr?.toString().trim() || error.message}\n`);
    process.exit(1);
  }
}
for (const name of atRelease) process.stdout.write(`later ${name}: needs the network\n`);

/** A tag has to name the version of package.json; without one, the version between releases is tried. */
function checkVersion() {
  const wanted = values.version?.replace(/^v/, "");
  if (wanted !== undefined && wanted !== manifest.version) {
    throw new Error(`the tag says ${wanted}, package.json ${manifest.version}`);
  }
  return manifest.version;
}

/** The section of the version; between releases, the unreleased one. */
function writeNotes() {
  const sections = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^(?=## )/m);
  const isDevelopment = manifest.version.includes("-dev");
  const wanted = isDevelopment ? "## Unreleased" : `## ${manifest.version}`;
  const section = sections.find((text) => text.startsWith(wanted));
  const notes = section?.replace(/^## .*\n/, "").trim();
  if (!notes) throw new Error(`CHANGELOG.md has nothing under "${wanted}"`);
  writeFileSync(join(output, "notes.md"), `${notes}\n`);
  return `${notes.match(/^- /gm)?.length ?? 0} entries`;
}

function packNpm() {
  mkdirSync(join(output, "npm"));
  run("npm", ["pack", "--pack-destination", join(output, "npm")]);
  return tarball();
}

function tarball() {
  return globSync("*.tgz", { cwd: join(output, "npm") })[0];
}

/** The package depends on no other: it is installed without a registry, and evaluates a function. */
function tryTarball() {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-release-"));
  try {
    writeFileSync(join(folder, "package.json"), `{"private": true, "type": "module"}`);
    run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(output, "npm", tarball())], folder);
    writeFileSync(
      join(folder, "try.mjs"),
      `import { evaluate } from "rehearsal-eval";
const turn = { id: "1", user_message: "Hi", checks: [{ type: "contains", text: "Hi" }] };
const result = await evaluate({ scenarios: { id: "try", interactions: [turn] }, target: ([{ content }]) => content });
console.log(result.check().exitCode);`,
    );
    const code = run(process.execPath, ["try.mjs"], folder).trim();
    const version = run(process.execPath, ["node_modules/rehearsal-eval/dist/cli/main.js", "--version"], folder).trim();
    if (code !== "0" || !version.startsWith(manifest.version)) throw new Error(`it says ${code} and ${version}`);
    return `rehearsal ${version} evaluates`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Built from the same bundle. pip takes the build backend from its cache, from PIP_FIND_LINKS or from PyPI. */
function buildPython() {
  run("node", ["scripts/build-wheel.mjs", join(output, "python")]);
  return globSync("*", { cwd: join(output, "python") }).join(", ");
}

function run(command, parameters, cwd = root) {
  return execFileSync(command, parameters, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 26,
  });
}
