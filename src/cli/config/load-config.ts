import { compact } from "../../base/compact.ts";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { LimitOverrides } from "../../settings/numbers.ts";
import { configError } from "../terminal/cli-error.ts";
import { isResultsFile, readFailure } from "../terminal/files.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import { withCodePaths } from "../../contract/schemas/scores/scorer-setting.ts";
import type { Config } from "./config.ts";

interface LoadedConfig {
  readonly config: Config;
  /** The folder that paths in the configuration are relative to. */
  readonly folder: string;
  /** Undefined without a configuration file. */
  readonly file?: string;
}

/** Searched in this order. */
export const configNames = [
  "rehearsal.yaml",
  "rehearsal.yml",
  "rehearsal.json",
  "rehearsal.ts",
  "rehearsal.mts",
  "rehearsal.js",
  "rehearsal.mjs",
] as const;

/** Loads the named configuration, else the one in this folder. The parser is loaded only if there is one. */
export async function loadConfig(named: string | undefined, folder = process.cwd()): Promise<LoadedConfig> {
  const found = findConfig(named, folder);
  if (found === undefined) return { config: {}, folder };
  const { file, path } = found;
  const { checkConfig, parseConfigText } = await import("./parse-config.ts");
  const config = isModule(file)
    ? checkConfig(await importConfig(path, file), () => ({ file }), file)
    : parseConfigText(await readConfig(path, file), { file });
  return { config: resolvePaths(config, relative(folder, dirname(path))), folder: dirname(path), file };
}

/** Loads the limits of the named configuration, else of the one in this folder. */
export async function loadLimits(named: string | undefined, folder = process.cwd()): Promise<LimitOverrides> {
  return (await loadSection("limits", named, folder)) ?? {};
}

/** Loads the prices of the named configuration, else of the one in this folder. */
export async function loadPrices(
  named: string | undefined,
  folder = process.cwd(),
): Promise<NonNullable<Config["prices"]>> {
  return (await loadSection("prices", named, folder)) ?? {};
}

/** Loads only the rules for text that is replaced in imported conversations. */
export async function loadRedaction(
  named: string | undefined,
  folder = process.cwd(),
): Promise<NonNullable<Config["redact"]>> {
  return (await loadSection("redact", named, folder)) ?? [];
}

/** Loads the targets of the named configuration, else of the one in this folder. */
export async function loadTargets(
  named: string | undefined,
  folder = process.cwd(),
): Promise<NonNullable<Config["targets"]>> {
  return (await loadSection("targets", named, folder)) ?? {};
}

/**
 * Loads only one section. The other keys are for `rehearsal eval`, so a service starts even if they are wrong or refer to variables
 * that are not set.
 */
async function loadSection<Key extends "limits" | "prices" | "redact" | "targets">(
  key: Key,
  named: string | undefined,
  folder: string,
): Promise<Config[Key] | undefined> {
  const found = findConfig(named, folder);
  if (found === undefined) return undefined;
  const { file, path } = found;
  const text = await readConfig(path, file);
  // Without this word there is no such section, and the file need not be parsed or imported.
  if (!new RegExp(String.raw`\b${key}\b`).test(text)) return undefined;
  const { checkConfig, parseConfigText } = await import("./parse-config.ts");
  if (!isModule(file)) return parseConfigText(text, { file, only: key })[key];
  const section = ((await importConfig(path, file)) as Config)[key];
  return checkConfig({ [key]: section }, () => ({ file }), file)[key];
}

function findConfig(named: string | undefined, folder: string): { file: string; path: string } | undefined {
  const file = named ?? configNames.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return undefined;
  const path = resolve(folder, file);
  if (!existsSync(path)) throw configError({ file }, "does not exist");
  return { file, path };
}

const isModule = (file: string): boolean => /\.[cm]?[jt]s$/.test(file);

/** A world whose files have absolute paths. */
export function withWorldPaths<Named extends Pick<World, "module" | "state_file">>(
  world: Named,
  locate: (file: string) => string,
): Named {
  const { module, state_file } = world;
  return {
    ...world,
    ...(module !== undefined && { module: locate(module) }),
    ...(state_file !== undefined && { state_file: locate(state_file) }),
  };
}

/** Paths in a configuration are relative to its folder; the rest of the program expects them relative to the current one. */
function resolvePaths(config: Config, folder: string): Config {
  const fromHere = (file: string): string => (isAbsolute(file) ? file : join(folder, file));
  return {
    ...config,
    ...(config.baseline && isResultsFile(config.baseline) && { baseline: fromHere(config.baseline) }),
    ...(config.output && { output: config.output.map(fromHere) }),
    ...(config.targets && {
      targets: Object.fromEntries(
        Object.entries(config.targets).map(([name, target]) => [name, placed(target, resolve(fromHere(".")))]),
      ),
    }),
    ...(config.world && { world: withWorldPaths(config.world, (file) => resolve(fromHere(file))) }),
    ...(config.scorers && {
      scorers: config.scorers.map((scorer) => withCodePaths(scorer, (file) => resolve(fromHere(file)))),
    }),
  };
}

/** A target on this machine, as named from a folder. */
function placed(target: NonNullable<Config["targets"]>[string], folder: string) {
  if ("module" in target) return { ...target, module: resolve(folder, target.module) };
  return "command" in target ? { ...target, folder: resolve(folder, target.folder ?? ".") } : target;
}

/** The nearest configuration above this folder, as a relative path, for a hint. It is never used silently. */
export function configAbove(folder: string): string | undefined {
  const parent = dirname(folder);
  if (parent === folder) return undefined;
  const name = configNames.find((candidate) => existsSync(join(parent, candidate)));
  if (name !== undefined) return join("..", name);
  const above = configAbove(parent);
  return above === undefined ? undefined : join("..", above);
}

function readConfig(path: string, file: string): Promise<string> {
  return readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw configError({ file }, readFailure(cause), cause);
  });
}

/** Imports a module whose default export is the configuration or a function that returns it. For `watch`, a changed file is imported again. */
async function importConfig(path: string, file: string): Promise<unknown> {
  let exported: unknown;
  try {
    const { mtimeMs } = await stat(path);
    ({ default: exported } = (await import(`${pathToFileURL(path).href}?${mtimeMs}`)) as { default?: unknown });
    if (typeof exported === "function") exported = await (exported as () => unknown)();
  } catch (cause) {
    throw configError(
      { file, ...failurePlace(path, cause) },
      `cannot be loaded: ${configImportFailure(cause, file)}`,
      cause,
    );
  }
  if (exported === undefined) throw configError({ file }, "has no default export");
  return exported;
}

/**
 * Line and column of an error in the module, if its stack has them (JavaScript syntax errors have none). Stacks name the
 * file by its path or its URL, which differ on Windows and for names with spaces.
 */
function failurePlace(path: string, cause: unknown): { line?: number; column?: number } {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const [, after = ""] = stack.replaceAll(pathToFileURL(path).href, () => path).split(path, 2);
  const place = /^(?:\?[\d.]+)?:(?<line>\d+)(?::(?<column>\d+))?/.exec(after)?.groups;
  return place
    ? compact({ line: Number(place["line"]), column: place["column"] ? Number(place["column"]) : undefined })
    : {};
}

/** Suggests .mts or .mjs: Node takes the module kind of .ts and .js from package.json, where `npm init` writes "commonjs". */
function configImportFailure(cause: unknown, file: string): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/Unknown file extension "\.m?ts"/.test(message)) {
    return `Node ${process.versions.node} reads TypeScript with NODE_OPTIONS=--experimental-strip-types only, 22.18 and newer without it`;
  }
  const isModuleSyntax = /outside a module|Unexpected token 'export'/.test(message);
  return isModuleSyntax ? `${message}: name the file ${basename(file).replace(/(?=[jt]s$)/, "m")} instead` : message;
}
