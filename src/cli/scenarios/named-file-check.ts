import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { CliError } from "../terminal/cli-error.ts";

/**
 * Refuses a file that a scenario file names, outside the folder of that file: it would be sent to a model. Links count as
 * the file that they lead to.
 */
export function requireNear(
  path: string,
  { by, folder, named = path }: { by: string; folder: string; named?: string },
): void {
  if (isBelowFolder(real(resolve(folder, path)), real(folder))) return;
  throw new CliError(
    `${by} names ${named}, which is outside its folder and would be sent to the model. If you trust ${by}, use --allow-files (eval, validate, import, runs rescore); else move the file into its folder`,
  );
}

function isBelowFolder(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A file that does not exist counts as what its folder would hold. */
function real(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = resolve(path, "..");
  return folder === path ? path : resolve(real(folder), relative(folder, path));
}
