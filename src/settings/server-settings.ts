import { isLoopback, parseOrigin } from "./address.ts";
import { parseApiKeys, type ApiKey } from "./api-keys.ts";
import type { Environment } from "./environment.ts";
import { parseNumber } from "./numbers.ts";
import { quoted, SettingsError } from "./settings-error.ts";

export interface ServerSettings {
  readonly host: string;
  /** 0 = any free port. */
  readonly agentPort: number;
  readonly evalPort: number;
  /** Host names the services answer, besides the loopback ones. `*.name` covers subdomains, `*` any name. */
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Address at which browsers reach the evaluation service, if it differs from where it listens. */
  readonly evalPublicUrl: string | null;
  readonly apiKeys: readonly ApiKey[];
  /** True when keys were created with `rehearsal keys create`; each request reads them from their file. */
  readonly storedKeys: boolean;
  readonly allowUnauthenticated: boolean;
}

const consent = "yes-i-understand";

/** Reads where the services listen and who may call them. Throws if others can reach them without a key. */
export function readServerSettings(
  environment: Environment,
  { storedKeys, sharedKeys, listens }: { storedKeys: boolean; sharedKeys: boolean; listens: boolean },
): ServerSettings {
  const host = parseHost(environment.text("REHEARSAL_HOST") ?? "127.0.0.1");
  const settings: ServerSettings = {
    host,
    agentPort: readPort(environment, "REHEARSAL_AGENT_PORT", 8000),
    evalPort: readPort(environment, "REHEARSAL_EVAL_PORT", 8001),
    allowedHosts: [...ownNames(host), ...environment.list("REHEARSAL_ALLOWED_HOSTS").map(parseHostPattern)],
    corsOrigins: environment.list("REHEARSAL_CORS_ORIGINS").map(parseCorsOrigin),
    evalPublicUrl: readPublicUrl(environment),
    apiKeys: parseApiKeys(environment.secret("REHEARSAL_API_KEYS")?.reveal() ?? ""),
    storedKeys,
    allowUnauthenticated: readConsent(environment),
  };
  checkPorts(settings);
  // Keys in a database are known only once it is open; `startServices` checks again then.
  if (listens && !isProtected(settings) && !sharedKeys) refuseExposure(settings);
  return settings;
}

/** The setting that lets others reach the services, directly or through a proxy; null when only this machine can. */
export function exposedBy({
  host,
  allowedHosts,
  evalPublicUrl,
}: Pick<ServerSettings, "host" | "allowedHosts" | "evalPublicUrl">): { name: string; value: string } | null {
  if (!isLoopback(host)) return { name: "REHEARSAL_HOST", value: host };
  const publicName = allowedHosts.find((pattern) => !isLoopbackName(pattern));
  if (publicName !== undefined) return { name: "REHEARSAL_ALLOWED_HOSTS", value: publicName };
  if (evalPublicUrl === null || isLoopbackName(new URL(evalPublicUrl).hostname)) return null;
  return { name: "REHEARSAL_EVAL_PUBLIC_URL", value: evalPublicUrl };
}

/** Browsers resolve every name below `localhost` to this machine (RFC 6761). */
function isLoopbackName(pattern: string): boolean {
  const name = pattern.replace(/:\d+$/, "");
  return isLoopback(name) || name.endsWith(".localhost");
}

function parseHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, "$1");
  if (!/^[A-Za-z0-9.:_-]+$/.test(host)) {
    throw new SettingsError("REHEARSAL_HOST", `is ${quoted(text)}: use an address or a name, like 127.0.0.1`);
  }
  return host;
}

/** The name callers use for `host`. A wildcard address is never used as a name, and loopback names are always answered. */
function ownNames(host: string): readonly string[] {
  if (isLoopback(host) || host === "0.0.0.0" || host === "::") return [];
  return [host.includes(":") ? `[${host}]` : host.toLowerCase()];
}

function readPort(environment: Environment, name: string, fallback: number): number {
  const text = environment.text(name);
  return text === null ? fallback : parseNumber(name, text, { minimum: 0, maximum: 65_535 });
}

function parseHostPattern(text: string): string {
  if (text === "*" || /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/i.test(text)) {
    return text.toLowerCase();
  }
  throw new SettingsError(
    "REHEARSAL_ALLOWED_HOSTS",
    `holds ${quoted(text)}: use names like eval.example.com, without scheme or path`,
  );
}

function parseCorsOrigin(text: string): string {
  if (text === "*") {
    throw new SettingsError(
      "REHEARSAL_CORS_ORIGINS",
      'holds "*": any web page could then use the service, so list the origins',
    );
  }
  return parseOrigin("REHEARSAL_CORS_ORIGINS", text);
}

function readPublicUrl(environment: Environment): string | null {
  const text = environment.text("REHEARSAL_EVAL_PUBLIC_URL");
  return text === null ? null : parseOrigin("REHEARSAL_EVAL_PUBLIC_URL", text);
}

function readConsent(environment: Environment): boolean {
  const text = environment.text("REHEARSAL_ALLOW_UNAUTHENTICATED");
  if (text !== null && text !== consent) {
    throw new SettingsError(
      "REHEARSAL_ALLOW_UNAUTHENTICATED",
      `is ${quoted(text)}: the only value it takes is ${consent}`,
    );
  }
  return text === consent;
}

function checkPorts({ agentPort, evalPort }: ServerSettings): void {
  if (agentPort === evalPort && agentPort !== 0) {
    throw new SettingsError(
      "REHEARSAL_EVAL_PORT",
      `is ${evalPort}, the same as REHEARSAL_AGENT_PORT: give each service its own port`,
    );
  }
}

/** Throws if a service without API keys can be reached by others, unless the operator agreed to that. */
export function refuseExposure(settings: ServerSettings): void {
  const exposed = exposedBy(settings);
  if (exposed === null || settings.allowUnauthenticated) return;
  const { name, value } = exposed;
  const closed = name === "REHEARSAL_HOST" ? "use 127.0.0.1, " : "";
  throw new SettingsError(
    name,
    `is ${quoted(value)}, which others can reach, and no API keys are set: create one with "rehearsal keys create", set REHEARSAL_API_KEYS, ${closed}or set REHEARSAL_ALLOW_UNAUTHENTICATED=${consent}`,
  );
}

/** Warns that others can use the services without a key, when the operator agreed to that. */
export function warnOfExposure(settings: ServerSettings): readonly string[] {
  const exposed = exposedBy(settings);
  if (exposed === null || isProtected(settings) || !settings.allowUnauthenticated) return [];
  return [
    `${exposed.name} is ${exposed.value} and no API keys are set: everyone who can reach this machine can use the services`,
  ];
}

const isProtected = ({ apiKeys, storedKeys }: ServerSettings): boolean => apiKeys.length > 0 || storedKeys;
