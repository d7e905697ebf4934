import { createHash, timingSafeEqual } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import { ServiceError, type ErrorCode } from "../../../contract/errors/errors.ts";
import { scopes, type Scope } from "../../../contract/operations/operation.ts";
import { ownerAndRater, type ApiKey } from "../../../settings/api-keys.ts";
import { isGeneratedKey, type KeySource } from "./key-store.ts";
import { addressOf, responseOf, type Caller, type ShellEnvironment } from "../environment/shell-environment.ts";
import { createSlidingWindow } from "../limits/sliding-window.ts";

const anonymousCaller: Caller = { owner: null, scopes: new Set(scopes) };
const challenge = { "www-authenticate": 'Bearer realm="rehearsal"' };

/** Wrong keys that one address may send per minute. */
const wrongKeysPerMinute = 10;

/** Fixed keys of the environment, or a source that is read at each request. */
export type ApiKeys = readonly ApiKey[] | KeySource;

interface AuthenticationOptions {
  /** Empty: the service is open. The settings allow that on a loopback address only. */
  readonly apiKeys: ApiKeys;
  /** Concurrent responses per key; 0 for any number. */
  readonly responsesPerKey?: number | undefined;
}

/** Identifies the caller. Every request needs a key unless its route is public. */
export function createAuthentication({
  apiKeys,
  responsesPerKey = 0,
}: AuthenticationOptions): (context: Context<ShellEnvironment>, isPublic: boolean) => Promise<void> {
  const source: KeySource = isKeySource(apiKeys) ? apiKeys : { keys: async () => apiKeys };
  const wrongKeys = createSlidingWindow({ limit: wrongKeysPerMinute });
  const countResponse = createConcurrencyPerKey(responsesPerKey);
  const watchExpiry = createKeyExpiryWatch({
    isUsable: async (sha256) => (await source.keys()).some((key) => key.sha256 === sha256 && !hasEnded(key)),
  });

  return async (context, isPublic) => {
    // Public routes work even when the keys cannot be read.
    const keys = isPublic ? await source.keys().catch(() => null) : await source.keys();
    if (keys?.length === 0) context.set("caller", anonymousCaller);
    else if (!isPublic && keys) {
      const text = readKey(context);
      const address = addressOf(context);
      // A generated key cannot be guessed, so it is checked however many wrong keys its address has sent: behind a proxy all clients
      // share one address. Keys chosen by people can be guessed, and are refused unchecked.
      if (!isGeneratedKey(text)) refuseGuessing(wrongKeys.wait(address));
      const found = findKey(text, keys);
      if (found === null || hasEnded(found)) {
        refuseGuessing(wrongKeys.take(address));
        throw found === null ? unauthorized("auth_invalid", "The API key is not known.") : endedKey();
      }
      source.used?.(found);
      const { owner, rater } = ownerAndRater(found.name);
      context.set("caller", { owner, rater, scopes: found.scopes, key: found.sha256 });
      const outgoing = responseOf(context);
      if (!outgoing) return;
      countResponse(outgoing, found.sha256);
      watchExpiry(outgoing, found.sha256);
    }
  };
}

/** Throws unless the key of the caller has the scope; `admin` has every scope. */
export function checkScope(caller: Caller | undefined, scope: Scope): void {
  if (hasScope(caller, scope)) return;
  throw new ServiceError("scope_missing", `This needs a key with the scope ${scope}.`);
}

export function hasScope(caller: Caller | undefined, scope: Scope): boolean {
  return caller !== undefined && (caller.scopes.has(scope) || caller.scopes.has("admin"));
}

/** Reads the key from either header. If both are sent they must agree, so that neither bypasses the other. */
function readKey(context: Context): string {
  const authorization = context.req.header("authorization");
  const apiKey = context.req.header("x-api-key");
  const bearer = authorization === undefined ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1];

  if (authorization !== undefined && bearer === undefined) {
    throw unauthorized("auth_invalid", "Authorization must be Bearer followed by a key.");
  }
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) {
    throw unauthorized("auth_invalid", "Authorization and x-api-key hold different keys.");
  }
  const key = bearer ?? apiKey;
  if (!key) throw unauthorized("auth_missing", "This service needs an API key.");
  return key;
}

function refuseGuessing(waitMs: number): void {
  if (waitMs === 0) return;
  throw new ServiceError("rate_limited", "Too many wrong API keys came from this address.", { retryAfterMs: waitMs });
}

/** Compares every key, so that the time taken reveals nothing about a near match. */
function findKey(text: string, keys: readonly ApiKey[]): ApiKey | null {
  const hash = createHash("sha256").update(text).digest();
  const [match] = keys.filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, "hex"), hash));
  return match ?? null;
}

function hasEnded({ endsAt = Infinity }: ApiKey): boolean {
  return endsAt <= Date.now();
}

function unauthorized(code: ErrorCode, detail: string): ServiceError {
  return new ServiceError(code, detail, { headers: challenge });
}

function endedKey(): ServiceError {
  return unauthorized("auth_expired", "The API key has expired or was revoked.");
}

export function isKeySource(keys: ApiKeys): keys is KeySource {
  return !Array.isArray(keys);
}

const retryAfterMs = 2000;

/** Limits the concurrent responses of each key, including streams, so that one key cannot take every connection. 0 means no limit. */
export function createConcurrencyPerKey(most: number): (outgoing: ServerResponse, key: string) => void {
  const open = new Map<string, number>();

  function close(key: string): void {
    const left = (open.get(key) ?? 1) - 1;
    if (left > 0) open.set(key, left);
    else open.delete(key);
  }

  return (outgoing, key) => {
    const count = (open.get(key) ?? 0) + 1;
    if (most > 0 && count > most) {
      const detail = `This key already has ${most} requests in progress, which is its limit.`;
      throw new ServiceError("rate_limited", detail, {
        retryAfterMs,
        hint: "Close unused streams, wait for other responses, or raise limits.http_max_requests_per_key in rehearsal.yaml.",
      });
    }
    open.set(key, count);
    outgoing.once("close", () => close(key));
  };
}

interface KeyExpiryOptions {
  /** True if the key with this hash may still be used. Rejects when that cannot be determined now. */
  readonly isUsable: (sha256: string) => Promise<boolean>;
  readonly everyMs?: number;
}

/** Cuts responses whose key expires or is revoked while they are being written, so that no stream outlives its key. */
export function createKeyExpiryWatch({
  isUsable,
  everyMs = 2000,
}: KeyExpiryOptions): (outgoing: ServerResponse, sha256: string) => void {
  const open = new Map<ServerResponse, string>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const ended = new Set<string>();
    for (const sha256 of new Set(open.values())) if (!(await isUsable(sha256))) ended.add(sha256);
    for (const [outgoing, sha256] of open) if (ended.has(sha256)) outgoing.destroy();
  }

  return (outgoing, sha256) => {
    open.set(outgoing, sha256);
    timer ??= setInterval(() => void check().catch(() => {}), everyMs).unref();
    outgoing.once("close", () => {
      open.delete(outgoing);
      if (open.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  };
}
