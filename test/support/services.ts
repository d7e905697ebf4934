import { startServices } from "../../src/cli/commands/operate/serve.ts";
import { readSettings, type Settings } from "../../src/settings.ts";
import type { NumberSettings } from "../../src/settings/numbers.ts";
import { serviceEnvironment, serviceLimits } from "./service-environment.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface RunningServices extends AsyncDisposable {
  readonly agent: string;
  readonly evaluation: string;
}

/** Numeric settings by group, such as `{ upstream: { retries: 1 } }`, whether operators can change them or not. */
type NumberOverrides = { readonly [Group in keyof NumberSettings]?: Partial<NumberSettings[Group]> };

/** Both services as an operator would start them, on free ports, with a store of their own and quick retries. */
export async function runServices(
  environment: Record<string, string> = {},
  numbers: NumberOverrides = {},
): Promise<RunningServices> {
  const folder = await temporaryFolder();
  const { settings, warnings } = readSettings(
    { ...serviceEnvironment, REHEARSAL_DATA_DIR: folder.path, LOG_LEVEL: "silent", ...environment },
    { limits: { ...serviceLimits, upstream_retry_base_ms: 1 } },
  );
  if (warnings.length > 0) throw new Error(warnings.join("; "));
  const services = await startServices(withNumbers(settings, numbers), []);
  return {
    agent: services.agent.url,
    evaluation: services.evaluation.url,
    async [Symbol.asyncDispose]() {
      await services.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function withNumbers(settings: Settings, overrides: NumberOverrides): Settings {
  const groups = Object.entries(overrides) as [keyof NumberSettings, object][];
  const changed = groups.map(([group, numbers]) => [group, { ...settings[group], ...numbers }] as const);
  return { ...settings, ...Object.fromEntries(changed) };
}
