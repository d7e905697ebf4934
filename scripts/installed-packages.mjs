// Plain JavaScript for any Node from 18 on, as set-up is, which asks here.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * True when node_modules holds the packages of the lockfile, also after a plain `npm ci`, so that set-up need not wait for
 * the same packages twice. Packages for other machines are left out by npm, with all that is inside them.
 */
export function isInstalled(root) {
  const wanted = packagesOf(join(root, "package-lock.json"));
  const present = packagesOf(join(root, "node_modules", ".package-lock.json"));
  if (!wanted || !present) return false;
  const foreign = Object.keys(wanted).filter((path) => path !== "" && !isForHere(wanted[path]));
  const isForeign = (path) => foreign.some((other) => path === other || path.startsWith(`${other}/`));
  return Object.entries(wanted).every(([path, { version, integrity }]) => {
    if (path === "") return true;
    const found = present[path];
    if (!found) return isForeign(path);
    // npm's list also names packages that were removed later, for example by an interrupted npm.
    return found.version === version && found.integrity === integrity && existsSync(join(root, path));
  });
}

function packagesOf(file) {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages ?? null;
  } catch {
    return null;
  }
}

function isForHere({ os = [], cpu = [], libc = [] }) {
  return allows(os, process.platform) && allows(cpu, process.arch) && (libc.length === 0 || allows(libc, libcHere()));
}

/** As npm reads such a list: names that are meant, or names with a `!` that are not. */
function allows(list, name) {
  if (list.includes(`!${name}`)) return false;
  const meant = list.filter((entry) => !entry.startsWith("!"));
  return meant.length === 0 || meant.includes(name);
}

let known;
function libcHere() {
  if (process.platform !== "linux") return undefined;
  known ??= process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
  return known;
}
