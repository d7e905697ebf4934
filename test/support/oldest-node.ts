import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
/** The oldest Node that `engines` of package.json allows. */
export const oldestVersion = "22.13.0";

/** The program of that Node, installed once beside the packages. Null where the registry cannot be reached or has none for this machine. */
export function oldestNode(): string | null {
  const folder = join(root, "node_modules/.cache", `node-${oldestVersion}`);
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const program = join(folder, "node_modules", name, "bin/node");
  if (existsSync(program)) return program;
  const install = [
    "install",
    "--prefix",
    folder,
    "--no-save",
    "--ignore-scripts",
    "--loglevel=error",
    `${name}@${oldestVersion}`,
  ];
  try {
    execFileSync("npm", install, { stdio: "ignore", timeout: 120_000 });
  } catch {
    return null;
  }
  return existsSync(program) ? program : null;
}
