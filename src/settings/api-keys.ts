import { join } from "node:path";
import { scopes, type Scope } from "../contract/operations/operation.ts";
import { splitList } from "./environment.ts";
import { quoted, SettingsError } from "./settings-error.ts";

/** A key of callers. Only its SHA-256 is stored. */
export interface ApiKey {
  /** `owner`, or `owner/rater`. All keys of one owner see the same runs, so that a key can be replaced. */
  readonly name: string;
  readonly sha256: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Set for keys created with `rehearsal keys create`, which can expire. */
  readonly id?: string;
  /** Milliseconds since 1970; minus infinity for a revoked key. */
  readonly endsAt?: number;
}

/** Owner of what callers without a key create. No key may have this name: it would see all of that. */
export const anonymousName = "anonymous";

/** True when a key may have this name. */
export function isKeyName(name: string): boolean {
  return /^[\w.-]{1,64}(?:\/[\w.-]{1,64})?$/.test(name) && !isAnonymous(name);
}

const isAnonymous = (name: string): boolean => ownerAndRater(name).owner.toLowerCase() === anonymousName;

/** The owner of a key, and the person whose verdicts it may store: several people may work on the runs of one owner. */
export function ownerAndRater(name: string): { readonly owner: string; readonly rater: string } {
  const [owner = "", rater = owner] = name.split("/");
  return { owner, rater };
}

/** The file of the keys created with `rehearsal keys create`. */
export const keyFileIn = (dataDir: string): string => join(dataDir, "keys.json");

/** True when keys were created in this data folder. An unreadable file counts as no keys, so that it exposes nothing. */
export function hasStoredKeys(dataDir: string, readFile: (path: string) => string): boolean {
  try {
    const { keys } = JSON.parse(readFile(keyFileIn(dataDir))) as { keys?: unknown };
    return Array.isArray(keys) && keys.length > 0;
  } catch {
    return false;
  }
}

const variable = "REHEARSAL_API_KEYS";

/** Parses `name:sha256hex:scope+scope`, comma separated. Errors do not repeat values: one may be a key. */
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
  if (isAnonymous(name)) {
    throw new SettingsError(
      variable,
      `${place} is named ${name}, which is reserved for callers without a key: choose another`,
    );
  }
  if (!isKeyName(name)) {
    throw new SettingsError(variable, `${place} has no usable name: write name:sha256hex:scope+scope`);
  }
  if (!/^[0-9a-f]{64}$/i.test(sha256)) {
    // The error does not repeat the name: without a hash after it, it may be the key.
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
