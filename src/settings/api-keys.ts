import { splitList } from "./environment.ts";
import { quoted, SettingsError } from "./settings-error.ts";

/** What a key may be allowed to do. `admin` includes the rest. */
export const scopes = ["evaluate", "runs:read", "runs:write", "agent", "models:read", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** A key callers may use: only its SHA-256 is known here. */
export interface ApiKey {
  readonly name: string;
  readonly sha256: string;
  readonly scopes: ReadonlySet<Scope>;
}

const variable = "REHEARSAL_API_KEYS";

/** Reads `name:sha256hex:scope+scope`, comma separated. Values are not repeated in errors: a pasted key would be printed. */
export function parseApiKeys(text: string): readonly ApiKey[] {
  const keys = splitList(text).map(parseApiKey);
  const names = new Set<string>();
  for (const { name } of keys) {
    if (names.has(name)) throw new SettingsError(variable, `names ${quoted(name)} twice: give each key its own name`);
    names.add(name);
  }
  return keys;
}

function parseApiKey(entry: string, index: number): ApiKey {
  const [name = "", sha256 = "", ...rest] = entry.split(":");
  const place = `entry ${index + 1}`;
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw new SettingsError(variable, `${place} has no usable name: write name:sha256hex:scope+scope`);
  }
  if (!/^[0-9a-f]{64}$/i.test(sha256)) {
    throw new SettingsError(variable, `${place} (${name}) holds no SHA-256: write the 64 hex digits of the key's hash`);
  }
  return { name, sha256: sha256.toLowerCase(), scopes: parseScopes(name, rest.join(":")) };
}

function parseScopes(key: string, text: string): ReadonlySet<Scope> {
  const known: readonly string[] = scopes;
  const names = text.split("+").map((name) => name.trim());
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) {
    throw new SettingsError(variable, `gives ${key} the scope ${quoted(wrong)}: use ${scopes.join(", ")} joined by +`);
  }
  return new Set(names as Scope[]);
}
