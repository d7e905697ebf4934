import { readFileSync } from "node:fs";
import { parseHubProviders, type HubProvider } from "../../models/routing/hub-providers.ts";
import { providersByKey } from "../../models/routing/known-providers.ts";
import type { Settings } from "../../settings.ts";
import { SettingsError } from "../../settings/settings-error.ts";

/** The providers of HUB_PROVIDERS and, without a hub, those whose usual key is set. */
export function readHubProviders({
  hub,
  hubProviders,
  credentials,
}: Pick<Settings, "hub" | "hubProviders" | "credentials">): readonly HubProvider[] {
  const named = parseHubSetting(hubProviders);
  const taken = new Set(named.map(({ name }) => name));
  return hub ? named : [...named, ...providersByKey(keyFinder(credentials), taken)];
}

/** True for base URLs that have a key of their own. */
export function keyFinder(credentials: Settings["credentials"]): (baseUrl: string) => boolean {
  return (baseUrl) => {
    const { origin, pathname } = new URL(baseUrl);
    return credentials.some((bound) => bound.origin === origin && ["", pathname].includes(bound.path));
  };
}

/** Parses HUB_PROVIDERS: JSON text, or the name of a file with it. */
function parseHubSetting(setting: string | null): readonly HubProvider[] {
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
