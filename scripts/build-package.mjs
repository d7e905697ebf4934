// Builds the folder that is published: the bundled code with its types, the built page with its API reference, the examples the demo
// starts with, and a package.json without what only the repository needs. `node scripts/build-package.mjs [folder]`, then
// `npm pack <folder>`.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, writeNotices } from "./bundle.mjs";
import { documentTypes } from "./document-types.mjs";

// The repository is not what is published.
if (process.argv.includes("--refuse")) {
  fail("Pack the built package instead of the repository: npm run build:package && npm pack ./dist-package");
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = resolve(process.argv[2] ?? join(root, "dist-package"));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** The types of the library's entries and what those mention. */
function declareTypes() {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const parameters = [compiler, "-p", join(root, "tsconfig.build.json"), "--outDir", join(target, "dist/types")];
  const { status, stdout } = spawnSync(process.execPath, parameters, { cwd: root, encoding: "utf8" });
  if (status !== 0) fail(`The code does not compile:\n${stdout}`);
}

const pageAssets = ["swagger-ui.css", "swagger-ui-bundle.js"];

/** Files a published package has beside its code. */
function copyFiles() {
  if (!existsSync(join(root, "web/dist/index.html"))) fail("The page is not built: npm run build:page");
  for (const name of [
    "web/dist",
    "examples/scenarios",
    "examples/agent",
    "examples/knowledge",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
  ]) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(target, name), { recursive: true });
  }
  const docs = join(target, "web/dist/docs");
  mkdirSync(docs, { recursive: true });
  for (const name of pageAssets) cpSync(join(root, "node_modules/swagger-ui-dist", name), join(docs, name));
}

const entry = (name) => ({ types: `./dist/types/${name}.d.ts`, default: `./dist/${name}.js` });

function writeManifest() {
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _dev,
    overrides: _over,
    allowScripts: _allow,
    ...rest
  } = manifest;
  const published = {
    ...rest,
    bin: { rehearsal: "./dist/cli/main.js" },
    exports: {
      ".": entry("index"),
      "./client": entry("client"),
      "./scorers": entry("scorers"),
      "./statistics": entry("statistics"),
      "./vitest": entry("vitest"),
      "./package.json": "./package.json",
    },
    files: ["dist", "web/dist", "examples", "CHANGELOG.md", "THIRD-PARTY-NOTICES.md"],
    // Everything that runs is inside. The types of the library are written with zod's.
    dependencies: { zod: manifest.dependencies.zod },
  };
  writeFileSync(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const packages = await bundle(join(target, "dist"));
declareTypes();
await documentTypes({ declarations: join(target, "dist/types/contract"), sources: join(root, "src/contract") });
copyFiles();
writeManifest();
writeNotices(join(target, "THIRD-PARTY-NOTICES.md"), [...packages, "node_modules/swagger-ui-dist"]);
process.stdout.write(`${target}\n`);
