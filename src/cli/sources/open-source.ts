import { createEvaluationClient, type EvaluationClient } from "../../client/evaluation-client.ts";
import type { Settings } from "../../settings.ts";
import type { TargetSecret } from "../../settings/credentials.ts";
import { readClientSettings } from "../../settings/client-settings.ts";
import { requireServiceAddress } from "../options/addresses.ts";
import type { SourceOptions } from "../options/shared-options.ts";
import { loadEnvironment, loadSettings, unreachable } from "../config/load-settings.ts";
import type { RunSource } from "./run-source.ts";

/** Opens the runs a command works with. `concurrency` is the value of `-j`, used by estimates. */
export async function openSource({
  server,
  dataDir,
  config,
  envFile,
  concurrency,
  targetSecrets = [],
}: SourceOptions & {
  concurrency?: number | undefined;
  targetSecrets?: readonly TargetSecret[];
}): Promise<RunSource> {
  loadEnvironment(envFile);
  const address = server ?? serverFromEnvironment(dataDir);
  if (address !== undefined) return openServerSource(address);
  const loaded = await loadSettings({
    config,
    envFile,
    overrides: { ...unreachable, ...unrestricted.overrides, ...dataFolderOverrides(dataDir) },
    limits: unrestricted.limits,
  });
  const bound = { ...loaded.settings, targetSecrets: [...loaded.settings.targetSecrets, ...targetSecrets] };
  const settings = withTypedConcurrency(bound, concurrency);
  const { hasStore, noRuns, openLocalSource } = await import("./local-source.ts");
  return hasStore(settings) ? openLocalSource(settings) : noRuns(settings, dataDir);
}

/** The server from the environment, which --data-dir outranks. */
export function serverFromEnvironment(dataDir: string | undefined): string | undefined {
  return dataDir === undefined ? (readClientSettings(process.env).server ?? undefined) : undefined;
}

/** Settings for --data-dir, which also outranks a database from the environment. */
export function dataFolderOverrides(dataDir: string | undefined): Record<string, string> {
  return dataDir === undefined ? {} : { REHEARSAL_DATA_DIR: dataDir, DATABASE_URL: "", DATABASE_URL_FILE: "" };
}

/** A client of the evaluation service at `server`, with the key from REHEARSAL_API_KEY. */
export function serverClient(server: string): EvaluationClient {
  requireServiceAddress("--server", server, "the address of an evaluation service, like http://127.0.0.1:8001");
  return createEvaluationClient({ url: server, apiKey: readClientSettings(process.env).apiKey?.reveal() });
}

function openServerSource(server: string): RunSource {
  return { ...serverClient(server), async [Symbol.asyncDispose]() {} };
}

/** The highest limits, for services that only this command can reach. */
export const unrestricted = {
  overrides: { REHEARSAL_MAX_BODY_BYTES: String(1024 ** 3) },
  limits: { max_attempts: 100_000, max_interactions: 10_000_000, max_calls_per_run: 10_000_000 },
} as const;

const originLimit = "REHEARSAL_CONCURRENCY_PER_ORIGIN";

/**
 * Applies `-j`: the command makes this many calls at once, regardless of other processes and of a service's defaults. Only
 * an explicit limit per origin still applies. A run may have more attempts in progress, since those being stored make no call.
 */
export function withTypedConcurrency(settings: Settings, typed: number | undefined): Settings {
  if (typed === undefined) return settings;
  const { perOrigin } = settings.concurrency;
  const limited = hasOriginLimit();
  return {
    ...settings,
    ownConcurrency: !limited,
    concurrency: { global: typed, perRun: 2 * typed, perOrigin: limited ? perOrigin : Math.max(perOrigin, typed) },
  };
}

/** Warns when an explicit limit per origin is below `-j`. */
export function concurrencyWarning({ concurrency }: Settings, typed: number | undefined): string | null {
  const { perOrigin } = concurrency;
  if (typed === undefined || typed <= perOrigin || !hasOriginLimit()) return null;
  return `-j ${typed}: ${originLimit} allows ${perOrigin} calls at once to one origin`;
}

/** Only valid after the environment files have been read. */
function hasOriginLimit(): boolean {
  return Boolean(process.env[originLimit]?.trim());
}
