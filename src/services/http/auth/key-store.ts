import { compact } from "../../../base/compact.ts";
import { createHash, randomBytes, randomInt } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { Scope } from "../../../contract/operations/operation.ts";
import type { KeyRecords, StoredKey } from "../../../contract/ports/api-keys.ts";
import { isKeyName, type ApiKey } from "../../../settings/api-keys.ts";
import { changeKeyFile, readKeyFile, writePrivately } from "./key-file.ts";

/** The currently usable keys. Read at each request, so that a revoked key ends at once. */
export interface KeySource {
  keys(): Promise<readonly ApiKey[]>;
  /** Called for each key that is accepted. */
  used?(key: ApiKey): void;
}

/** A key as it is listed, without its hash. */
export type ListedKey = Omit<Awaited<ReturnType<KeyRecords["list"]>>[number], "sha256">;

/** Creates a key and stores its hash. The key itself is returned only here and stored nowhere. */
export async function createKey(
  keys: Pick<KeyRecords, "add">,
  { owner, scopes, expiresAt = null }: { owner: string; scopes: readonly Scope[]; expiresAt?: Date | null },
): Promise<{ key: string; record: ListedKey }> {
  if (!isKeyName(owner)) {
    throw new ServiceError("validation_failed", `${JSON.stringify(owner.slice(0, 80))} is not a valid key name.`, {
      hint: "Use 1 to 64 letters, digits, dots, hyphens or underscores, and not the word anonymous. A second name after a slash is the rater of the verdicts: team/ada.",
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

/** All keys, including expired and revoked ones. */
export async function listKeys(keys: Pick<KeyRecords, "list">): Promise<readonly ListedKey[]> {
  return (await keys.list()).map(({ sha256: _hash, ...listed }) => listed);
}

/** Revokes a key. It stays listed, so a service whose only key it was stays closed. False when there is no such key. */
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
  /** True if the file held keys when the service started. */
  readonly hadKeys?: boolean;
}

/**
 * The keys of the environment and of the file together. The file is read again when it changes. A file that becomes unreadable, vanishes
 * or loses its last key closes the service instead of opening it.
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
      if (isGuarded && all.length === 0) throw unreadable(new Error("The key file no longer holds a key."));
      return all;
    },
    used({ id }) {
      if (id !== undefined) lastUsed(id);
    },
  };
}

interface SharedKeySourceOptions {
  /** The keys in the database. */
  readonly records: KeyRecords;
  /** The keys of this process: those of the environment and of its data folder. */
  readonly own: KeySource;
  /** Called when the database cannot be read; the known keys stay in use. */
  readonly onError: (error: unknown) => void;
  /** The interval at which the database is read: a revoked key ends everywhere within this time and that of a query. */
  readonly everyMs?: number;
}

/**
 * The keys of a shared database and of this process. The database is read every two seconds instead of at each request, so that callers
 * with a known key are served while it is unavailable. A key in both has ended when either says so.
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
      if (isGuarded && merged.keys.length === 0) throw unreadable(new Error("The database no longer holds a key."));
      return merged.keys;
    },
    used(key) {
      if (!stored.some(({ id }) => id === key.id)) own.used?.(key);
      else if (key.id !== undefined) lastUsed(key.id);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Each key once, from the first list that has it, with the earliest end of all. */
function mergeKeys(keys: readonly ApiKey[]): readonly ApiKey[] {
  const merged = new Map<string, ApiKey>();
  for (const key of keys) {
    const known = merged.get(key.sha256);
    const ends = [known?.endsAt, key.endsAt].filter((end) => end !== undefined);
    merged.set(key.sha256, { ...(known ?? key), ...(ends.length > 0 && { endsAt: Math.min(...ends) }) });
  }
  return [...merged.values()];
}

/** Evaluates once per round of the event loop, so that requests that arrive together share the result. */
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

/** Synchronous because it runs at each request: a stat call takes less time than a switch to the thread pool. */
function versionOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found ? `${found.ino}:${found.mtimeMs}:${found.size}` : "none";
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): ServiceError {
  return new ServiceError("storage_unavailable", "The API keys cannot be read at the moment.", { cause });
}

function toApiKey({ id, owner, scopes, sha256, expires_at, revoked_at }: StoredKey): ApiKey {
  // A revoked key has ended even if this host's clock is behind that of the host where it was revoked.
  const endsAt = revoked_at === null ? Date.parse(expires_at ?? "") : Number.NEGATIVE_INFINITY;
  return compact({
    id,
    name: owner,
    scopes: new Set(scopes),
    sha256,
    endsAt: !Number.isNaN(endsAt) ? endsAt : undefined,
  });
}

const Times = z.record(z.string(), z.iso.datetime());

/** The interval at which the times are written: exact enough to see whether a key is in use, and cheap. */
const writeEveryMs = 60_000;

/** A separate file: the services never write the key file, so they cannot undo a revocation. */
const timesFileOf = (keyFile: string): string => keyFile.replace(/\.json$/, "-used.json");

/** The last use of each key, by id. Unreadable times count as none. */
export async function readLastUsed(keyFile: string): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map(Object.entries(Times.parse(JSON.parse(await readFile(timesFileOf(keyFile), "utf8")))));
  } catch {
    return new Map();
  }
}

/** Merges times into those in the file. */
export async function writeLastUsed(keyFile: string, times: ReadonlyMap<string, string>): Promise<void> {
  const all = { ...Object.fromEntries(await readLastUsed(keyFile)), ...Object.fromEntries(times) };
  await writePrivately(timesFileOf(keyFile), JSON.stringify(all));
}

/** Returns a function to call at each use. Times are written about once a minute. */
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
    // A full disk or an unavailable database must not fail the request.
    const waitMs = Math.max(0, written + writeEveryMs - performance.now());
    timer ??= setTimeout(() => void write().catch(() => {}), waitMs).unref();
  };
}

/** A generated key. Only its hash is stored. */
interface GeneratedKey {
  readonly id: string;
  readonly key: string;
  readonly sha256: string;
}

export function generateKey(): GeneratedKey {
  const id = createId();
  const key = `rh_${id}_${randomBytes(32).toString("base64url")}`;
  return { id, key, sha256: createHash("sha256").update(key).digest("hex") };
}

/** True for texts in the format of a generated key, which has 256 random bits. */
export function isGeneratedKey(text: string): boolean {
  return /^rh_[0-9A-Za-z]{8}_[\w-]{43}$/.test(text);
}

/** Without characters that look alike. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";

function createId(): string {
  return Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join("");
}
