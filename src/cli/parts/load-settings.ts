import { loadEnvFile } from "node:process";
import { readSettings, type Settings } from "../../settings.ts";
import { CliError } from "../cli-error.ts";

export interface LoadedSettings {
  readonly settings: Settings;
  readonly warnings: readonly string[];
}

/** Adds the variables of `.env` in this folder, or of the files named instead. What the environment says outranks a file. */
export function loadEnvironment(files: readonly string[] = []): void {
  if (files.length === 0) return loadIfThere();
  for (const file of files) {
    try {
      loadEnvFile(file);
    } catch (cause) {
      throw new CliError(`the environment file ${file} cannot be read`, undefined, { cause });
    }
  }
}

function loadIfThere(): void {
  try {
    loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

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
