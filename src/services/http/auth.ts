import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import { scopes, type ApiKey, type Scope } from "../../settings/api-keys.ts";
import type { Caller, ShellEnvironment } from "./shell-environment.ts";

const anyone: Caller = { name: "anonymous", scopes: new Set(scopes) };
const challenge = { "www-authenticate": 'Bearer realm="rehearsal"' };

export interface AuthenticateOptions {
  /** None: the service is open. The settings allow that on a loopback address only. */
  readonly apiKeys: readonly ApiKey[];
  /** Routes that answer without a key: health, documents, the page's files. */
  readonly isPublic: (request: { method: string; path: string }) => boolean;
}

/** Finds out who is calling. Every route needs a key unless it is public: a forgotten route is a closed one. */
export function authenticate({ apiKeys, isPublic }: AuthenticateOptions): MiddlewareHandler<ShellEnvironment> {
  const keys = apiKeys.map(({ name, scopes: allowed, sha256 }) => ({
    caller: { name, scopes: allowed },
    hash: Buffer.from(sha256, "hex"),
  }));

  return async (context, next) => {
    const { method, path } = context.req;
    if (keys.length === 0) context.set("caller", anyone);
    else if (!isPublic({ method, path })) context.set("caller", findCaller(readKey(context), keys));
    await next();
  };
}

/** Admits callers whose key has the scope. `admin` has every scope. */
export function requireScope(scope: Scope): MiddlewareHandler<ShellEnvironment> {
  return async (context, next) => {
    const caller = context.get("caller") as Caller | undefined;
    if (!caller?.scopes.has(scope) && !caller?.scopes.has("admin")) {
      throw new ServiceError("scope_missing", `This needs a key with the scope ${scope}.`);
    }
    await next();
  };
}

/** The key of either header. Both headers go through here, so neither can be a way around the other. */
function readKey(context: Context): string {
  const authorization = context.req.header("authorization");
  const apiKey = context.req.header("x-api-key");
  const bearer = authorization === undefined ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1];

  if (authorization !== undefined && bearer === undefined) {
    throw new ServiceError("auth_invalid", "Authorization must be Bearer followed by a key.", { headers: challenge });
  }
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) {
    throw new ServiceError("auth_invalid", "Authorization and x-api-key hold different keys.", { headers: challenge });
  }
  const key = bearer ?? apiKey;
  if (!key) throw new ServiceError("auth_missing", "This service needs an API key.", { headers: challenge });
  return key;
}

function findCaller(key: string, known: readonly { caller: Caller; hash: Buffer }[]): Caller {
  const hash = createHash("sha256").update(key).digest();
  // Every key is compared, so the time taken says nothing about which one was near.
  const [match] = known.filter((candidate) => timingSafeEqual(candidate.hash, hash));
  if (match === undefined) throw new ServiceError("auth_invalid", "The API key is not known.", { headers: challenge });
  return match.caller;
}
