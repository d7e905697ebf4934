import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { omitUndefined } from "../../base/json.ts";
import { refuseBinary } from "../../formats/documents/decode-text.ts";
import { readSettings, type Settings } from "../../settings.ts";
import { CliError } from "../cli-error.ts";
import { readFailure } from "../files.ts";

interface LoadedSettings {
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
    // Not by Node's own loader, which takes a byte order mark for a part of the first name and reads nothing in UTF-16.
    const text = new TextDecoder().decode(readFileSync(file));
    refuseBinary(text);
    for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // A folder of this name is somebody's Python.
    if (mayBeMissing && (code === "ENOENT" || code === "EISDIR")) return;
    throw new CliError(`the environment file ${file} ${readFailure(cause)}`, undefined, { cause });
  }
}

/** For a command that nobody can reach: where others reach a service, and whether it has keys for that, does not concern it. */
export const reachedByNobody = {
  REHEARSAL_HOST: "127.0.0.1",
  REHEARSAL_ALLOWED_HOSTS: "",
  REHEARSAL_EVAL_PUBLIC_URL: "",
} as const;

/** The settings from the environment and `.env`; what was typed as an option outranks both. */
export function loadSettings({
  files = [],
  overrides = {},
  listens = true,
}: {
  files?: readonly string[];
  overrides?: Readonly<Record<string, string | undefined>>;
  listens?: boolean;
} = {}): LoadedSettings {
  loadEnvironment(files);
  return readSettings({ ...process.env, ...omitUndefined(overrides) }, { listens });
}
