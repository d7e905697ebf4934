// Writes a CycloneDX list of everything in the lockfile, with hashes and licences: `npm run sbom -- sbom.json`, or to stdout.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const output = execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 2 ** 28,
  stdio: ["ignore", "pipe", "ignore"],
});
const list = JSON.parse(output);
// npm calls the project by the folder it lies in.
list.metadata.component.name = name;
const text = `${JSON.stringify(list, null, 2)}\n`;
const file = process.argv[2];
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
