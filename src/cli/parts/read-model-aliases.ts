import { checkAliases } from "../../models/routing/aliases.ts";
import { SettingsError } from "../../settings/settings-error.ts";

const variable = "AGENT_MODEL_ALIASES";

/** The aliases of AGENT_MODEL_ALIASES, each written `alias=target`. */
export function readModelAliases(entries: readonly string[]): Readonly<Record<string, string>> {
  const pairs = entries.map((entry) => {
    const [alias = "", ...target] = entry.split("=");
    return [alias.trim(), target.join("=").trim()] as const;
  });
  const aliases = Object.fromEntries(pairs);
  if (Object.keys(aliases).length < pairs.length) throw new SettingsError(variable, "names an alias twice");
  try {
    checkAliases(aliases);
  } catch (cause) {
    throw new SettingsError(variable, `is not a list of alias=model. ${(cause as Error).message}`, { cause });
  }
  return aliases;
}
