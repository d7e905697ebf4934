// Adds to the bundle and the built page what only the published package has: the types of the library, the assets of the API
// documentation, and a list of what is inside. `npm pack` runs it.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledSbom } from "./sbom.mjs";
import { plainTypes } from "./plain-types.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const types = join(root, "dist/types");

rmSync(types, { recursive: true, force: true });
const compiler = join(root, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (status !== 0) process.exit(1);
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.values(manifest.exports).flatMap(({ types: file }) => (file ? [basename(file, ".d.ts")] : []));
await plainTypes({ declarations: types, sources: join(root, "src"), entries });

for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"]) {
  cpSync(join(root, "node_modules/swagger-ui-dist", name), join(root, "web/dist/docs", name));
}

const notices = ["dist", "web/dist"].map((folder) =>
  readFileSync(join(root, folder, "THIRD-PARTY-NOTICES.md"), "utf8"),
);
writeFileSync(join(root, "dist/sbom.json"), `${JSON.stringify(bundledSbom(notices), null, 2)}\n`);
