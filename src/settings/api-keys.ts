import { join } from "node:path";
import { scopes, type Scope } from "../contract/operations/operation.ts";
import { splitList } from "./environment.ts";
import { quoted, SettingsError } from "./settings-error.ts";

/** A key callers may use: only its SHA-256 is known here. */
export interface ApiKey {
  /** Whose key it is. Several keys of one owner see the same runs, so that a key can be replaced. */
  readonly name: string;
  readonly sha256: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Set for keys that were made here: they have an id and can end. */
  readonly id?: string;
  /** Milliseconds since 1970; minus infinity for a key that was revoked. */
  readonly endsAt?: number;
}

/** The name of callers without a key. A key of this name would see what they own, so there is none. */
export const anonymousName = "anonymous";

/** Whether a key may carry this name. */
export function isKeyName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name) && name.toLowerCase() !== anonymousName;
}

/** Where the keys that were made here are kept. */
export const keyFileIn = (dataDir: string): string => join(dataDir, "keys.json");

/** Whether keys were made in this data directory. What cannot be read is none: it must not be what opens an address. */
export function hasStoredKeys(dataDir: string, readFile: (path: string) => string): boolean {
  try {
    const { keys } = JSON.parse(readFile(keyFileIn(dataDir))) as { keys?: unknown };
    return Array.isArray(keys) && keys.length > 0;
  } catch {
    return false;
  }
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
  if (name.toLowerCase() === anonymousName) {
    throw new SettingsError(
      variable,
      `${place} is named ${name}, which stands for callers without a key: choose another`,
    );
  }
  if (!isKeyName(name)) {
    throw new SettingsError(variable, `${place} has no usable name: write name:sha256hex:scope+scope`);
  }
  if (!/^[0-9a-f]{64}$/i.test(sha256)) {
    // Alone, or before anything but a hash, what should be the name may be the key.
    throw new SettingsError(
      variable,
      `${place} holds no SHA-256: write name:sha256hex:scope+scope, with the 64 hex digits of the key's hash`,
    );
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
