import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";

const folder = resolve(import.meta.dirname, "../../node_modules/.cache/compiled-tests");
/** Test files get a new name in every run, so each run adds about 1,500 entries that are never read again. */
const mostEntries = 10_000;

/**
 * Makes every process and thread that the tests start read compiled sources from a folder. A thread then starts with a
 * third of the CPU time, and the suite starts hundreds of them.
 */
export function useCompileCache(): void {
  mkdirSync(folder, { recursive: true });
  const entries = readdirSync(folder, { recursive: true });
  if (entries.length > mostEntries) rmSync(folder, { recursive: true, force: true });
  process.env["NODE_COMPILE_CACHE"] ??= folder;
}
