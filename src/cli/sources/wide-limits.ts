import type { Settings } from "../../settings.ts";
import { numberVariables } from "../../settings/number-variables.ts";

/** Nobody else can reach a command's own services, and whoever typed it sets the limits: they are as wide as they go. */
export const wideLimits = {
  REHEARSAL_MAX_BODY_BYTES: String(1024 ** 3),
  REHEARSAL_MAX_ATTEMPTS: "100000",
  REHEARSAL_MAX_INTERACTIONS: "10000000",
  REHEARSAL_MAX_CALLS_PER_RUN: "10000000",
} as const;

const originLimit = numberVariables.concurrency.perOrigin.name;

/**
 * The settings of a command for which a number of calls at once was typed (`-j`): so many it makes, whatever other processes do and
 * whatever the defaults of a service are. Only a limit of the origin that was set holds as well. The run may hold more attempts than
 * that: those whose replies are being stored make no call.
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

/** Says which setting keeps a command from making as many calls at once as was typed, if one does. */
export function limitOfTyped({ concurrency }: Settings, typed: number | undefined): string | null {
  const { perOrigin } = concurrency;
  if (typed === undefined || typed <= perOrigin || !hasOriginLimit()) return null;
  return `-j ${typed}: ${originLimit} allows ${perOrigin} calls at once to one origin`;
}

/** True only after the files of the environment have been read. */
function hasOriginLimit(): boolean {
  return Boolean(process.env[originLimit]?.trim());
}
