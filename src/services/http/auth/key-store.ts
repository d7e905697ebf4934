import { createHash, randomBytes, randomInt } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ServiceError } from "../../../contract/errors.ts";
import type { Scope } from "../../../contract/operations/operation.ts";
import type { KeyRecords, StoredKey } from "../../../contract/ports/api-keys.ts";
import { isKeyName, type ApiKey } from "../../../settings/api-keys.ts";
import { changeKeyFile, readKeyFile, writePrivately } from "./key-file.ts";

/** Every key that may be used at this moment. Asked at each request, so that a revoked key ends at once. */
export interface KeySource {
  keys(): Promise<readonly ApiKey[]>;
  /** Told of each key that was accepted. */
  used?(key: ApiKey): void;
}

/** A key as it is shown to people. */
export type ListedKey = Omit<Awaited<ReturnType<KeyRecords["list"]>>[number], "sha256">;

/** Makes a key and keeps its hash. The key itself is returned this once and is nowhere else. */
export async function createKey(
  keys: Pick<KeyRecords, "add">,
  { owner, scopes, expiresAt = null }: { owner: string; scopes: readonly Scope[]; expiresAt?: Date | null },
): Promise<{ key: string; record: ListedKey }> {
  if (!isKeyName(owner)) {
    throw new ServiceError("validation_failed", `${JSON.stringify(owner.slice(0, 80))} is no name a key may have.`, {
      hint: "Use 1 to 64 letters, digits, dots, hyphens or underscores, and not the word anonymous.",
    });
  }
  const { id, key, sha256 } = generateKey();
  const record = {
    id,
    owner,
    scopes: [...new Set(scopes)],
    created_at: new Date().toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    revoked_at: null,
  };
  await keys.add([{ ...record, sha256 }]);
  return { key, record: { ...record, last_used_at: null } };
}

/** Every key that was ever made, also those that ended. */
export async function listKeys(keys: Pick<KeyRecords, "list">): Promise<readonly ListedKey[]> {
  return (await keys.list()).map(({ sha256: _hash, ...listed }) => listed);
}

/** Ends a key. It stays listed, and a service that only ever had this key stays closed. False when there is no such key. */
export async function revokeKey(keys: Pick<KeyRecords, "revoke">, id: string): Promise<boolean> {
  return keys.revoke(id, new Date().toISOString());
}

/** The keys of a data folder. */
export function fileKeys(file: string): KeyRecords {
  return {
    async list() {
      const [keys, used] = await Promise.all([readKeyFile(file), readLastUsed(file)]);
      return keys.map((key) => ({ ...key, last_used_at: used.get(key.id) ?? null }));
    },
    add: (added) => changeKeyFile(file, (keys) => [...keys, ...added]),
    async revoke(id, at) {
      let found = false;
      await changeKeyFile(file, (keys) =>
        keys.map((key) => {
          if (key.id !== id) return key;
          found = true;
          return { ...key, revoked_at: key.revoked_at ?? at };
        }),
      );
      return found;
    },
    noteUse: (times) => writeLastUsed(file, times),
  };
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
  const lastUsed = createLastUsed(fileKeys(file).noteUse);
  const currentVersion = oncePerTurn(() => versionOf(file));
  let version = "none";
  let stored: readonly ApiKey[] = [];
  let all = fixed;
  let isGuarded = hadKeys;

  return {
    async keys() {
      const now = currentVersion();
      if (now === "none" && version !== "none") throw unreadable(new Error("The key file is gone."));
      if (now !== version) {
        stored = (await readKeyFile(file).catch((cause: unknown) => Promise.reject(unreadable(cause)))).map(toApiKey);
        all = [...fixed, ...stored];
        version = now;
      }
      isGuarded ||= stored.length > 0;
      if (isGuarded && all.length === 0) throw unreadable(new Error("The key file holds no key any more."));
      return all;
    },
    used({ id }) {
      if (id !== undefined) lastUsed(id);
    },
  };
}

export interface SharedKeySourceOptions {
  /** The keys in the database. */
  readonly records: KeyRecords;
  /** The keys of this process alone: those of the environment and of its data folder. */
  readonly own: KeySource;
  /** Called when the database could not be read: the keys that were known stay in use. */
  readonly onError: (error: unknown) => void;
  /** How often the database is read: a key that was revoked there ends everywhere within this time and that of a query. */
  readonly everyMs?: number;
}

/**
 * The keys of a database that several services share, and those of this process. The database is read every two seconds and not at each
 * request, so that a caller whose key is known is served while the database is away. A key that both know has ended when either says so.
 */
export async function createSharedKeySource({
  records,
  own,
  onError,
  everyMs = 2_000,
}: SharedKeySourceOptions): Promise<KeySource & Disposable> {
  const lastUsed = createLastUsed(records.noteUse);
  const read = async (): Promise<readonly ApiKey[]> => (await records.list()).map(toApiKey);
  let stored = await read();
  let isGuarded = stored.length > 0;
  let reading = false;
  let merged: Readonly<Record<"stored" | "local" | "keys", readonly ApiKey[]>> | null = null;

  async function refresh(): Promise<void> {
    if (reading) return;
    reading = true;
    try {
      stored = await read();
      isGuarded ||= stored.length > 0;
    } catch (error) {
      onError(error);
    } finally {
      reading = false;
    }
  }

  const timer = setInterval(() => void refresh(), everyMs).unref();
  return {
    async keys() {
      const local = await own.keys();
      if (merged?.stored !== stored || merged.local !== local)
        merged = { stored, local, keys: mergeKeys([...stored, ...local]) };
      if (isGuarded && merged.keys.length === 0) throw unreadable(new Error("The database holds no key any more."));
      return merged.keys;
    },
    used(key) {
      if (!stored.some(({ id }) => id === key.id)) own.used?.(key);
      else if (key.id !== undefined) lastUsed(key.id);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Each key once, as the first list has it, and ended as soon as any of them says so. */
function mergeKeys(keys: readonly ApiKey[]): readonly ApiKey[] {
  const merged = new Map<string, ApiKey>();
  for (const key of keys) {
    const known = merged.get(key.sha256);
    const ends = [known?.endsAt, key.endsAt].filter((end) => end !== undefined);
    merged.set(key.sha256, { ...(known ?? key), ...(ends.length > 0 && { endsAt: Math.min(...ends) }) });
  }
  return [...merged.values()];
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

function toApiKey({ id, owner, scopes, sha256, expires_at, revoked_at }: StoredKey): ApiKey {
  // A revoked key has ended even where the clock is behind that of the host it was revoked on.
  const endsAt = revoked_at === null ? Date.parse(expires_at ?? "") : Number.NEGATIVE_INFINITY;
  return { id, name: owner, scopes: new Set(scopes), sha256, ...(!Number.isNaN(endsAt) && { endsAt }) };
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

/** Adds times to those in the file. */
export async function writeLastUsed(keyFile: string, times: ReadonlyMap<string, string>): Promise<void> {
  const all = { ...Object.fromEntries(await readLastUsed(keyFile)), ...Object.fromEntries(times) };
  await writePrivately(timesFileOf(keyFile), JSON.stringify(all));
}

/** Returns a function to be told of each use. Times are written about once a minute. */
export function createLastUsed(noteUse: KeyRecords["noteUse"]): (id: string) => void {
  const fresh = new Map<string, string>();
  let written = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;

  async function write(): Promise<void> {
    written = performance.now();
    timer = null;
    const times = new Map(fresh);
    await noteUse(times);
    for (const [id, time] of times) if (fresh.get(id) === time) fresh.delete(id);
  }

  return (id) => {
    fresh.set(id, new Date().toISOString());
    // A full disk, or a database that is away, must not fail the request that only wanted to be noted.
    const waitMs = Math.max(0, written + writeEveryMs - performance.now());
    timer ??= setTimeout(() => void write().catch(() => {}), waitMs).unref();
  };
}

/** A key of our own making. Only its hash is kept. */
interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly sha256: string;
}

export function generateKey(): MadeKey {
  const id = createId();
  const key = `rh_${id}_${randomBytes(32).toString("base64url")}`;
  return { id, key, sha256: createHash("sha256").update(key).digest("hex") };
}

/** Whether a text has the form of such a key: it then has 256 random bits, or is none. */
export function isGeneratedKey(text: string): boolean {
  return /^rh_[0-9A-Za-z]{8}_[\w-]{43}$/.test(text);
}

/** Letters that no two people read differently. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";

function createId(): string {
  return Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join("");
}
