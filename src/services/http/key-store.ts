import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ServiceError } from "../../contract/errors.ts";
import type { Scope } from "../../contract/operations/operation.ts";
import { isKeyName, type ApiKey } from "../../settings/api-keys.ts";
import { changeKeyFile, readKeyFile, writePrivately, type KeyRecord } from "./key-file.ts";
import { makeKey } from "./made-key.ts";

/** Every key that may be used at this moment. Asked at each request, so that a revoked key ends at once. */
export interface KeySource {
  keys(): Promise<readonly ApiKey[]>;
  /** Told of each key that was accepted. */
  used?(key: ApiKey): void;
}

/** A key as it is shown to people. */
export interface ListedKey extends Omit<KeyRecord, "sha256"> {
  readonly last_used_at: string | null;
}

/** Makes a key and keeps its hash. The key itself is returned this once and is nowhere else. */
export async function createKey(
  file: string,
  { owner, scopes, expiresAt = null }: { owner: string; scopes: readonly Scope[]; expiresAt?: Date | null },
): Promise<{ key: string; record: ListedKey }> {
  if (!isKeyName(owner)) {
    throw new ServiceError("validation_failed", `${JSON.stringify(owner.slice(0, 80))} is no name a key may have.`, {
      hint: "Use 1 to 64 letters, digits, dots, hyphens or underscores, and not the word anonymous.",
    });
  }
  const { id, key, sha256 } = makeKey();
  const record: KeyRecord = {
    id,
    owner,
    scopes: [...new Set(scopes)],
    sha256,
    created_at: new Date().toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    revoked_at: null,
  };
  await changeKeyFile(file, (keys) => [...keys, record]);
  return { key, record: toListed(record, null) };
}

/** Every key that was ever made, also those that ended. */
export async function listKeys(file: string): Promise<readonly ListedKey[]> {
  const [keys, used] = await Promise.all([readKeyFile(file), readLastUsed(file)]);
  return keys.map((key) => toListed(key, used.get(key.id) ?? null));
}

/** Ends a key. It stays listed, and a service that only ever had this key stays closed. False when there is no such key. */
export async function revokeKey(file: string, id: string): Promise<boolean> {
  let found = false;
  await changeKeyFile(file, (keys) =>
    keys.map((key) => {
      if (key.id !== id) return key;
      found = true;
      return { ...key, revoked_at: key.revoked_at ?? new Date().toISOString() };
    }),
  );
  return found;
}

interface KeySourceOptions {
  readonly file: string;
  readonly fixed?: readonly ApiKey[];
  /** Whether the file held keys when the service was started. */
  readonly hadKeys?: boolean;
}

/**
 * The keys of the environment and of the file together. The file is read again whenever it changed; one that cannot be
 * read, is gone after it was there, or has lost its last key closes the service instead of opening it.
 */
export function createKeySource({ file, fixed = [], hadKeys = false }: KeySourceOptions): KeySource {
  const lastUsed = createLastUsed(file);
  const currentVersion = oncePerTurn(() => versionOf(file));
  let version = "none";
  let stored: readonly ApiKey[] = [];
  let isGuarded = hadKeys;

  return {
    async keys() {
      const now = currentVersion();
      if (now === "none" && version !== "none") throw unreadable(new Error("The key file is gone."));
      if (now !== version) {
        stored = (await readKeyFile(file).catch((cause: unknown) => Promise.reject(unreadable(cause)))).map(toApiKey);
        version = now;
      }
      isGuarded ||= stored.length > 0;
      const keys = stored.length === 0 ? fixed : [...fixed, ...stored];
      if (isGuarded && keys.length === 0) throw unreadable(new Error("The key file holds no key any more."));
      return keys;
    },
    used({ id }) {
      if (id !== undefined) lastUsed(id);
    },
  };
}

/** Asks once for all who want to know it in the same turn of the event loop: requests that came together see the same. */
function oncePerTurn<Value>(ask: () => Value): () => Value {
  let known: { readonly value: Value } | null = null;
  return () => {
    if (known === null) {
      known = { value: ask() };
      setImmediate(() => (known = null));
    }
    return known.value;
  };
}

/** Synchronous, since it is asked at each request: a look at one file of the data folder is done before a thread is found. */
function versionOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found ? `${found.ino}:${found.mtimeMs}:${found.size}` : "none";
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): ServiceError {
  return new ServiceError("storage_unavailable", "The API keys cannot be read just now.", { cause });
}

function toApiKey({ id, owner, scopes, sha256, expires_at, revoked_at }: KeyRecord): ApiKey {
  const ends = [expires_at, revoked_at].flatMap((time) => (time === null ? [] : [Date.parse(time)]));
  return { id, name: owner, scopes: new Set(scopes), sha256, ...(ends.length > 0 && { endsAt: Math.min(...ends) }) };
}

function toListed({ sha256: _hash, ...key }: KeyRecord, lastUsedAt: string | null): ListedKey {
  return { ...key, last_used_at: lastUsedAt };
}

const Times = z.record(z.string(), z.iso.datetime());

/** How often the times are written: often enough for "is this key still in use?", too seldom to cost anything. */
const writeEveryMs = 60_000;

/** A file of its own: the services never write the file of the keys, so they can never undo a revocation. */
const timesFileOf = (keyFile: string): string => keyFile.replace(/\.json$/, "-used.json");

/** When each key was last used, by id. Unreadable times are no reason to fail. */
export async function readLastUsed(keyFile: string): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map(Object.entries(Times.parse(JSON.parse(await readFile(timesFileOf(keyFile), "utf8")))));
  } catch {
    return new Map();
  }
}

/** Returns a function to be told of each use. Times are written about once a minute, and kept by whoever wrote them last. */
export function createLastUsed(keyFile: string): (id: string) => void {
  const fresh = new Map<string, string>();
  let written = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;

  async function write(): Promise<void> {
    written = performance.now();
    timer = null;
    const times = new Map(fresh);
    const all = { ...Object.fromEntries(await readLastUsed(keyFile)), ...Object.fromEntries(times) };
    await writePrivately(timesFileOf(keyFile), JSON.stringify(all));
    for (const [id, time] of times) if (fresh.get(id) === time) fresh.delete(id);
  }

  return (id) => {
    fresh.set(id, new Date().toISOString());
    // A full disk must not fail the request that only wanted to be noted.
    const waitMs = Math.max(0, written + writeEveryMs - performance.now());
    timer ??= setTimeout(() => void write().catch(() => {}), waitMs).unref();
  };
}
