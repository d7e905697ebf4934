import { readClientSettings } from "../../settings/client-settings.ts";
import type { SourceOptions } from "../options.ts";
import { loadEnvironment, loadSettings, reachedByNobody } from "../parts/load-settings.ts";
import type { RunSource } from "./run-source.ts";
import { openServerSource } from "./server-source.ts";
import { wideLimits, withTypedConcurrency } from "./wide-limits.ts";

/** The runs a command was asked to work with. `concurrency`: calls at once that an estimate is to count with, as typed. */
export async function openSource({
  server,
  dataDir,
  envFile,
  concurrency,
}: SourceOptions & { concurrency?: number | undefined }): Promise<RunSource> {
  loadEnvironment(envFile);
  const address = server ?? serverFromEnvironment(dataDir);
  if (address !== undefined) return openServerSource(address);
  const loaded = loadSettings({
    files: envFile ?? [],
    overrides: { ...reachedByNobody, ...wideLimits, ...typedFolder(dataDir) },
  });
  const settings = withTypedConcurrency(loaded.settings, concurrency);
  const { hasStore, noRuns, openLocalSource } = await import("./local-source.ts");
  return hasStore(settings) ? openLocalSource(settings) : noRuns(settings, dataDir);
}

/** A folder that was typed outranks a service that was merely set. */
export function serverFromEnvironment(dataDir: string | undefined): string | undefined {
  return dataDir === undefined ? (readClientSettings(process.env).server ?? undefined) : undefined;
}

/** The settings for a folder that was typed, which also outranks a database that was merely set. */
export function typedFolder(dataDir: string | undefined): Record<string, string> {
  return dataDir === undefined ? {} : { REHEARSAL_DATA_DIR: dataDir, DATABASE_URL: "", DATABASE_URL_FILE: "" };
}
