import type { SourceOptions } from "../options.ts";
import { loadEnvironment, loadSettings } from "../parts/load-settings.ts";
import type { RunSource } from "./run-source.ts";
import { openServerSource } from "./server-source.ts";

/** The runs a command was asked to work with. */
export async function openSource({ server, dataDir, envFile }: SourceOptions): Promise<RunSource> {
  loadEnvironment(envFile);
  const address = server ?? serverFromEnvironment(dataDir);
  if (address !== undefined) return openServerSource(address);
  const { settings } = loadSettings({ files: envFile ?? [], overrides: { REHEARSAL_DATA_DIR: dataDir } });
  const { hasStore, noRuns, openLocalSource } = await import("./local-source.ts");
  return hasStore(settings) ? openLocalSource(settings) : noRuns;
}

/** A folder that was typed outranks a service that was merely set. */
export function serverFromEnvironment(dataDir: string | undefined): string | undefined {
  return dataDir === undefined ? process.env["REHEARSAL_SERVER"] || undefined : undefined;
}
