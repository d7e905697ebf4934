import type { Secret } from "../contract/secret.ts";
import { withoutKeys } from "../contract/without-keys.ts";
import { parseBaseUrl, parseOrigin } from "./address.ts";
import type { Environment } from "./environment.ts";
import { quoted, SettingsError } from "./settings-error.ts";

/** A secret and the one origin it may be sent to. */
export interface Credential {
  readonly origin: string;
  readonly secret: Secret;
  readonly header: string;
  /** Written before the secret, as in `Bearer …`; "" for the bare secret. */
  readonly scheme: string;
}

const bearer = { header: "authorization", scheme: "Bearer" } as const;

/** Keys with a public home: bound to it and sent nowhere else. */
const wellKnown = [
  { name: "OPENAI_API_KEY", origins: ["https://api.openai.com"], ...bearer },
  { name: "ANTHROPIC_API_KEY", origins: ["https://api.anthropic.com"], header: "x-api-key", scheme: "" },
  { name: "OPENROUTER_API_KEY", origins: ["https://openrouter.ai"], ...bearer },
  {
    name: "HF_TOKEN",
    origins: ["https://router.huggingface.co", "https://api-inference.huggingface.co", "https://huggingface.co"],
    ...bearer,
  },
] as const;

export const wellKnownKeys: readonly { readonly name: string; readonly origins: readonly string[] }[] = wellKnown;

/** Headers that carry the request itself; a credential there would break or redirect it. */
const reservedHeaders = new Set([
  "host",
  "connection",
  "transfer-encoding",
  "content-length",
  "content-type",
  "accept",
]);

/** Every credential with its origin. What the operator bound explicitly outranks a well-known key. */
export function readCredentials(environment: Environment): readonly Credential[] {
  const explicit = [...readList(environment), ...readPair(environment)];
  const origins = new Set<string>();
  for (const { origin } of explicit) {
    if (origins.has(origin))
      throw new SettingsError("EVAL_CREDENTIALS", `binds ${origin} twice: keep one credential for it`);
    origins.add(origin);
  }
  return [...explicit, ...readWellKnown(environment).filter(({ origin }) => !origins.has(origin))];
}

/** Names of variables that EVAL_CREDENTIALS refers to: they are ours although no table knows them. */
export function namedSecrets(environment: Environment): readonly string[] {
  return environment.list("EVAL_CREDENTIALS").map((entry) => splitEntry(entry).name);
}

/** A key with the base URL it belongs to; a key alone would have nowhere it may go. */
export function readEndpoint(environment: Environment, prefix: "HUB" | "STUDIO"): Endpoint | null {
  const address = environment.text(`${prefix}_BASE_URL`);
  const apiKey = environment.key(`${prefix}_API_KEY`);
  if (address !== null) return { baseUrl: parseBaseUrl(`${prefix}_BASE_URL`, address), apiKey };
  if (apiKey !== null) throw keyWithoutHome(`${prefix}_API_KEY`, `${prefix}_BASE_URL`);
  return null;
}

export interface Endpoint {
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
}

export function keyWithoutHome(key: string, home: string): SettingsError {
  return new SettingsError(key, `is set without ${home}: a key is only sent to the origin it is bound to`);
}

function readList(environment: Environment): readonly Credential[] {
  return environment.list("EVAL_CREDENTIALS").map((entry) => {
    const { origin, name, header, scheme } = splitEntry(entry);
    const secret = environment.key(name);
    // What was written may be the key itself.
    if (secret === null)
      throw new SettingsError("EVAL_CREDENTIALS", `refers to ${withoutKeys(name)}, which is not set`);
    return { origin: parseOrigin("EVAL_CREDENTIALS", origin), secret, header, scheme };
  });
}

function splitEntry(entry: string): { origin: string; name: string; header: string; scheme: string } {
  const separator = entry.indexOf("=");
  const [name = "", header = bearer.header, scheme] = entry.slice(separator + 1).split(":");
  if (separator < 1 || !/^[A-Za-z_]\w*$/.test(name)) {
    // The text is not repeated: it may be a key pasted where its name belongs.
    throw new SettingsError("EVAL_CREDENTIALS", "holds an entry that is not origin=ENVNAME[:header[:scheme]]");
  }
  return {
    origin: entry.slice(0, separator),
    name,
    header: parseHeader(header),
    scheme: scheme ?? (header.toLowerCase() === bearer.header ? bearer.scheme : ""),
  };
}

function parseHeader(header: string): string {
  const name = header.toLowerCase();
  if (!/^[a-z0-9-]+$/.test(name) || reservedHeaders.has(name)) {
    throw new SettingsError(
      "EVAL_CREDENTIALS",
      `names the header ${quoted(header)}: use one like authorization or x-api-key`,
    );
  }
  return name;
}

function readPair(environment: Environment): readonly Credential[] {
  const secret = environment.key("EVAL_ENDPOINT_API_KEY");
  const address = environment.text("EVAL_ENDPOINT_ORIGIN");
  const origin = address === null ? null : parseOrigin("EVAL_ENDPOINT_ORIGIN", address);
  if (secret === null) return [];
  if (origin === null) throw keyWithoutHome("EVAL_ENDPOINT_API_KEY", "EVAL_ENDPOINT_ORIGIN");
  return [{ origin, secret, ...bearer }];
}

function readWellKnown(environment: Environment): readonly Credential[] {
  return wellKnown.flatMap(({ name, origins, header, scheme }) => {
    const secret = environment.key(name);
    return secret === null ? [] : origins.map((origin) => ({ origin, secret, header, scheme }));
  });
}
