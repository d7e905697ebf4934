import { readFileSync } from "node:fs";
import { parseHubProviders, type HubProvider } from "../../models/routing/hub-providers.ts";
import { SettingsError } from "../../settings/settings-error.ts";

/** The hubs of HUB_PROVIDERS, written there or in the file it names. */
export function readHubProviders(setting: string | null): readonly HubProvider[] {
  if (setting === null) return [];
  try {
    const text = setting.trimStart().startsWith("{") ? setting : readFileSync(setting, "utf8");
    return parseHubProviders(text, process.env);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const problem = code === undefined ? (cause as Error).message : `names a file that cannot be read (${code})`;
    throw new SettingsError("HUB_PROVIDERS", problem, { cause });
  }
}
