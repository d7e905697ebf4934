import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { whyUnread } from "../read-text.ts";
import { isResultsFile } from "../sources/results-file.ts";
import { configError } from "./config-error.ts";
import type { Config } from "./config.ts";

interface LoadedConfig {
  readonly config: Config;
  /** The folder that paths in the configuration are relative to. */
  readonly folder: string;
  /** undefined: there is no file, and everything was typed. */
  readonly file?: string;
}

/** Looked for in this order. */
export const configNames = [
  "rehearsal.yaml",
  "rehearsal.yml",
  "rehearsal.json",
  "rehearsal.ts",
  "rehearsal.mts",
  "rehearsal.js",
  "rehearsal.mjs",
] as const;

/** The configuration that was named, else the one in this folder, else none. What reads it is loaded only where there is one. */
export async function loadConfig(named: string | undefined, folder = process.cwd()): Promise<LoadedConfig> {
  const file = named ?? configNames.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return { config: {}, folder };
  const path = resolve(folder, file);
  if (!existsSync(path)) throw configError({ file }, "does not exist");
  const config = /\.[cm]?[jt]s$/.test(file) ? await importConfig(path, file) : await readConfig(path, file);
  return { config: fromHere(config, relative(folder, dirname(path))), folder: dirname(path), file };
}

/** What the configuration names is named from its own folder, what is typed from the one it is typed in. */
function fromHere(config: Config, way: string): Config {
  const place = (file: string): string => (isAbsolute(file) ? file : join(way, file));
  return {
    ...config,
    ...(config.baseline && isResultsFile(config.baseline) && { baseline: place(config.baseline) }),
    ...(config.output && { output: config.output.map(place) }),
  };
}

/** The configuration of the nearest folder above this one, as a path from here. Not used by itself: what counts is in sight. */
export function configAbove(folder: string): string | undefined {
  const parent = dirname(folder);
  if (parent === folder) return undefined;
  const name = configNames.find((candidate) => existsSync(join(parent, candidate)));
  if (name !== undefined) return join("..", name);
  const above = configAbove(parent);
  return above === undefined ? undefined : join("..", above);
}

async function readConfig(path: string, file: string): Promise<Config> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw configError({ file }, whyUnread(cause), cause);
  });
  const { parseConfig } = await import("./parse-config.ts");
  return parseConfig(text, { file });
}

/** A module whose default export is the configuration, or a function that makes it. Read anew once it has changed, for `watch`. */
async function importConfig(path: string, file: string): Promise<Config> {
  let exported: unknown;
  try {
    const { mtimeMs } = await stat(path);
    ({ default: exported } = (await import(`${pathToFileURL(path).href}?${mtimeMs}`)) as { default?: unknown });
    if (typeof exported === "function") exported = await (exported as () => unknown)();
  } catch (cause) {
    throw configError({ file, ...placeIn(path, cause) }, `cannot be loaded: ${whyNot(cause, file)}`, cause);
  }
  if (exported === undefined) throw configError({ file }, "has no default export");
  const { checkConfig } = await import("./parse-config.ts");
  return checkConfig(exported, () => ({ file }), file);
}

/**
 * Where in the module it went wrong, as far as the stack says: of JavaScript that cannot be parsed it does not. It names the file by its
 * path or by its address, and the two differ on Windows, and by a space anywhere.
 */
function placeIn(path: string, cause: unknown): { line?: number; column?: number } {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const [, after = ""] = stack.replaceAll(pathToFileURL(path).href, () => path).split(path, 2);
  const place = /^(?:\?[\d.]+)?:(?<line>\d+)(?::(?<column>\d+))?/.exec(after)?.groups;
  return place ? { line: Number(place["line"]), ...(place["column"] && { column: Number(place["column"]) }) } : {};
}

/** Node reads `.ts` and `.js` by the nearest package.json, and `npm init` writes "commonjs" there. */
function whyNot(cause: unknown, file: string): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isModule = /outside a module|Unexpected token 'export'/.test(message);
  return isModule ? `${message}: name the file ${basename(file).replace(/(?=[jt]s$)/, "m")} instead` : message;
}
