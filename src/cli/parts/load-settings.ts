import { loadEnvFile } from "node:process";
import { readSettings, type Settings } from "../../settings.ts";
import { CliError } from "../cli-error.ts";

export interface LoadedSettings {
  readonly settings: Settings;
  readonly warnings: readonly string[];
}

/** Adds the variables of `.env` in this folder, or of the files named instead. What the environment says outranks a file. */
export function loadEnvironment(files: readonly string[] = []): void {
  if (files.length === 0) return load(".env", { mayBeMissing: true });
  // What was read first stays, so the last file goes first: as with Node's own option, a later one outranks.
  for (const file of files.toReversed()) load(file);
}

function load(file: string, { mayBeMissing = false } = {}): void {
  try {
    loadEnvFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (mayBeMissing && code === "ENOENT") return;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read${code === undefined ? "" : ` (${code})`}`;
    throw new CliError(`the environment file ${file} ${why}`, undefined, { cause });
  }
}

/** For a command that nobody can reach: where a service listens, and whether it has keys for that, does not concern it. */
export const reachedByNobody = { REHEARSAL_HOST: "127.0.0.1" } as const;

/** The settings from the environment and `.env`; what was typed as an option outranks both. */
export function loadSettings({
  files = [],
  overrides = {},
}: {
  files?: readonly string[];
  overrides?: Readonly<Record<string, string | undefined>>;
} = {}): LoadedSettings {
  loadEnvironment(files);
  const typed = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return readSettings({ ...process.env, ...Object.fromEntries(typed) });
}
