import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { compact } from "../../base/compact.ts";
import { refuseBinary } from "../../formats/documents/decode-text.ts";
import { readSettings, type Settings } from "../../settings.ts";
import type { LimitOverrides } from "../../settings/numbers.ts";
import { CliError } from "../terminal/cli-error.ts";
import { configuredSecrets, findTargetProblems } from "./find-target.ts";
import { readFailure } from "../terminal/files.ts";
import type { LocalOptions } from "../options/shared-options.ts";
import { loadLimits, loadPrices, loadRedaction, loadTargets } from "./load-config.ts";

interface LoadOptions extends Pick<LocalOptions, "config" | "envFile"> {
  /** Variables from the command line. They outrank the environment. */
  readonly overrides?: Readonly<Record<string, string | undefined>>;
  /** Limits that outrank the configuration. */
  readonly limits?: LimitOverrides;
  /** False for a process that serves no requests. */
  readonly listens?: boolean;
  /** True for services and their workers: requests may name the targets of the configuration. */
  readonly targets?: boolean;
}

/** Reads the settings from the environment, `.env` and the sections `limits` and `prices` of the configuration file. */
export async function loadSettings({
  config,
  envFile,
  overrides = {},
  limits = {},
  listens = true,
  targets: namesTargets = false,
}: LoadOptions = {}): Promise<{ readonly settings: Settings; readonly warnings: readonly string[] }> {
  loadEnvironment(envFile);
  const configured = await loadLimits(config);
  const prices = await loadPrices(config);
  const redact = await loadRedaction(config);
  const { settings, warnings } = readSettings(
    { ...process.env, ...compact(overrides) },
    { limits: { ...configured, ...limits }, listens },
  );
  const targets = namesTargets ? await declaredTargets(config) : {};
  return {
    settings: {
      ...settings,
      redact,
      ...(Object.keys(prices).length > 0 && { prices }),
      targets,
      targetSecrets: [...settings.targetSecrets, ...configuredSecrets(targets)],
    },
    warnings,
  };
}

/** A service does not start with a target that it could never ask. */
async function declaredTargets(config: string | undefined): Promise<NonNullable<Settings["targets"]>> {
  const targets = await loadTargets(config);
  const [problem] = findTargetProblems({ targets: onlyByHttp(targets) }, config ?? "rehearsal.yaml");
  if (problem !== undefined) throw new CliError(problem);
  return targets;
}

/** Modules and commands are not started by a service, so they need not be there. */
const onlyByHttp = (targets: NonNullable<Settings["targets"]>): NonNullable<Settings["targets"]> =>
  Object.fromEntries(Object.entries(targets).filter(([, target]) => "url" in target));

/** Overrides for a command that nothing else can reach: exposure settings and the keys they require do not apply. */
export const unreachable = {
  REHEARSAL_HOST: "127.0.0.1",
  REHEARSAL_ALLOWED_HOSTS: "",
  REHEARSAL_EVAL_PUBLIC_URL: "",
} as const;

/** Adds the variables of `.env`, or of the named files, to the environment. Existing variables stay unchanged. */
export function loadEnvironment(files: readonly string[] = []): void {
  if (files.length === 0) return load(".env", { optional: true });
  // The first value stays, so files are read in reverse order: a later file outranks an earlier one, as with Node's option.
  for (const file of files.toReversed()) load(file);
}

function load(file: string, { optional = false } = {}): void {
  try {
    // Node's own loader makes a byte order mark part of the first name and cannot read UTF-16.
    const text = new TextDecoder().decode(readFileSync(file));
    refuseBinary(text);
    for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // A folder named .env is a Python environment.
    if (optional && (code === "ENOENT" || code === "EISDIR")) return;
    throw new CliError(`the environment file ${file} ${readFailure(cause)}`, undefined, { cause });
  }
}
