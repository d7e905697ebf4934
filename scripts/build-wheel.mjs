// Builds the Python package: npm run build:wheel [-- FOLDER]. The engine has to be bundled first (prebuild:wheel does it).
// `python3 -m pip wheel` installs the build backend into an environment of its own.
import { spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = resolve(process.argv[2] ?? join(root, "python", "dist"));
const python = process.env.PYTHON ?? (process.platform === "win32" ? "python" : "python3");
const pip = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"];
const { status, error } = spawnSync(python, [...pip, join(root, "python"), "--wheel-dir", folder], {
  stdio: ["ignore", "inherit", "inherit"],
});
if (error)
  process.stderr.write(`${python} cannot be started: ${error.message}\nSet PYTHON to a Python 3.10 or newer.\n`);
process.exit(status ?? 1);
