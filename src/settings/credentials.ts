import { redactKeys, type Secret } from "../base/secret.ts";
import { parseBaseUrl } from "./address.ts";
import type { Environment } from "./environment.ts";
import { quoted, SettingsError } from "./settings-error.ts";

/** The calls to one origin that a secret may be sent with. */
interface CredentialScope {
  readonly origin: string;
  /** Path of the bound address without a trailing slash; "" for an origin alone. */
  readonly path: string;
  /** True: models below `path` get the secret too. False: only those at `path`. */
  readonly subpaths: boolean;
  /** True when an agent at exactly `path` gets the secret. */
  readonly agent: boolean;
}

/** A secret, where it may be sent and in which header. */
export interface Credential extends CredentialScope {
  readonly secret: Secret;
  readonly header: string;
  /** Written before the secret, as in `Bearer …`; "" for the bare secret. */
  readonly scheme: string;
  /** The environment variable that holds it, if the operator named one. */
  readonly name?: string;
}

/** A secret that the headers of targets with one address and method may name. */
export interface TargetSecret {
  /** The environment variable that holds it. */
  readonly name: string;
  /** May have placeholders in its path and query. */
  readonly address: string;
  readonly method: string;
  readonly secret: Secret;
}

/** The variables that EVAL_CREDENTIALS binds to addresses. A target gets one where an agent would: by POST to exactly the address. */
export function readTargetSecrets(credentials: readonly Credential[]): readonly TargetSecret[] {
  return credentials.flatMap(({ name, origin, path, agent, secret }) =>
    name === undefined || !agent ? [] : [{ name, address: origin + path, method: "POST", secret }],
  );
}

const bearer = { header: "authorization", scheme: "Bearer" } as const;

interface WellKnownKey {
  readonly name: string;
  /** Base URLs of the provider's models. */
  readonly addresses: readonly string[];
  /** True when each model or provider has its own path below these addresses. */
  readonly subpaths: boolean;
}

/** Keys of well-known providers. They are sent to the models there and to no other service of the same account. */
const wellKnown = [
  { name: "OPENAI_API_KEY", addresses: ["https://api.openai.com/v1"], subpaths: false, ...bearer },
  {
    name: "ANTHROPIC_API_KEY",
    addresses: ["https://api.anthropic.com/v1"],
    subpaths: false,
    header: "x-api-key",
    scheme: "",
  },
  { name: "OPENROUTER_API_KEY", addresses: ["https://openrouter.ai/api/v1"], subpaths: false, ...bearer },
  {
    name: "HF_TOKEN",
    addresses: [
      "https://router.huggingface.co",
      "https://api-inference.huggingface.co",
      "https://huggingface.co/api/inference-proxy",
    ],
    subpaths: true,
    ...bearer,
  },
] as const satisfies readonly (WellKnownKey & Pick<Credential, "header" | "scheme">)[];

export const wellKnownKeys: readonly WellKnownKey[] = wellKnown;

/** Headers that carry the request itself; a credential there would break or redirect it. */
const reservedHeaders = new Set([
  "host",
  "connection",
  "transfer-encoding",
  "content-length",
  "content-type",
  "accept",
]);

/** Every credential. The first that covers a call is used: explicit ones, longest path first, then the well-known keys. */
export function readCredentials(environment: Environment): readonly Credential[] {
  const explicit = [...readList(environment), ...readPair(environment)];
  const addresses = new Set<string>();
  for (const { origin, path } of explicit) {
    const address = origin + path;
    if (addresses.has(address))
      throw new SettingsError("EVAL_CREDENTIALS", `binds ${address} twice: keep one credential for it`);
    addresses.add(address);
  }
  return [
    ...explicit.toSorted((left, right) => right.path.length - left.path.length),
    ...readWellKnown(environment).filter(({ origin, path }) => !addresses.has(origin + path)),
  ];
}

/** Reads an address that the operator binds a secret to. The origin of a well-known provider means its models. */
function parseScope(name: string, text: string): CredentialScope {
  const scope = toScope(parseBaseUrl(name, text), { subpaths: true, agent: true });
  const known = wellKnown
    .flatMap(wellKnownScopes)
    .find(({ origin, path }) => origin === scope.origin && [path, ""].includes(scope.path));
  return known ?? scope;
}

function wellKnownScopes({ addresses, subpaths }: WellKnownKey): readonly CredentialScope[] {
  return addresses.map((address) => toScope(address, { subpaths, agent: false }));
}

function toScope(address: string, uses: Pick<CredentialScope, "subpaths" | "agent">): CredentialScope {
  const { origin, pathname } = new URL(address);
  return { origin, path: pathname.replace(/(?<!\/)\/+$/, ""), ...uses };
}

/** Names of the variables that EVAL_CREDENTIALS refers to: they hold secrets although no table lists them. */
export function namedSecrets(environment: Environment): readonly string[] {
  return environment.list("EVAL_CREDENTIALS").map((entry) => splitEntry(entry).name);
}

/** A provider of models. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
}

/** Reads `<PREFIX>_BASE_URL` and `<PREFIX>_API_KEY`. A key without an address is an error. */
export function readEndpoint(environment: Environment, prefix: "HUB" | "STUDIO"): Endpoint | null {
  const address = environment.text(`${prefix}_BASE_URL`);
  const apiKey = environment.key(`${prefix}_API_KEY`);
  if (address !== null) return { baseUrl: parseBaseUrl(`${prefix}_BASE_URL`, address), apiKey };
  if (apiKey !== null) throw keyWithoutAddress(`${prefix}_API_KEY`, `${prefix}_BASE_URL`);
  return null;
}

/** A model the service itself uses: to judge, to label, to embed. */
export interface HelperModel {
  readonly endpoint: string;
  readonly model: string;
  readonly apiKey: Secret | null;
}

/** Reads `<PREFIX>_ENDPOINT`, `<PREFIX>_MODEL` and `<PREFIX>_API_KEY`. Endpoint and model need each other. */
export function readHelperModel(
  environment: Environment,
  prefix: "JUDGE" | "LABELLER" | "SIMULATOR" | "EMBEDDINGS",
): HelperModel | null {
  const endpoint = environment.text(`${prefix}_ENDPOINT`);
  const model = environment.text(`${prefix}_MODEL`);
  const apiKey = environment.key(`${prefix}_API_KEY`);

  if (endpoint === null && apiKey !== null) throw keyWithoutAddress(`${prefix}_API_KEY`, `${prefix}_ENDPOINT`);
  if (endpoint === null && model !== null)
    throw new SettingsError(`${prefix}_MODEL`, `is set without ${prefix}_ENDPOINT`);
  if (endpoint === null) return null;
  if (model === null) throw new SettingsError(`${prefix}_ENDPOINT`, `is set without ${prefix}_MODEL`);
  return { endpoint: parseBaseUrl(`${prefix}_ENDPOINT`, endpoint), model, apiKey };
}

export function keyWithoutAddress(key: string, address: string): SettingsError {
  return new SettingsError(key, `is set without ${address}: a key is only sent to the address it is bound to`);
}

function readList(environment: Environment): readonly Credential[] {
  return environment.list("EVAL_CREDENTIALS").map((entry) => {
    const { address, name, header, scheme } = splitEntry(entry);
    const secret = environment.key(name);
    // The text may be the key itself instead of its name.
    if (secret === null) throw new SettingsError("EVAL_CREDENTIALS", `refers to ${redactKeys(name)}, which is not set`);
    return { ...parseScope("EVAL_CREDENTIALS", address), secret, header, scheme, name };
  });
}

function splitEntry(entry: string): { address: string; name: string; header: string; scheme: string } {
  const separator = entry.indexOf("=");
  const [name = "", header = bearer.header, scheme] = entry.slice(separator + 1).split(":");
  if (separator < 1 || !/^[A-Za-z_]\w*$/.test(name)) {
    // The error does not repeat the text: it may be a key instead of its name.
    throw new SettingsError("EVAL_CREDENTIALS", "holds an entry that is not address=ENVNAME[:header[:scheme]]");
  }
  return {
    address: entry.slice(0, separator),
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
  const scope = address === null ? null : parseScope("EVAL_ENDPOINT_ORIGIN", address);
  if (secret === null) return [];
  if (scope === null) throw keyWithoutAddress("EVAL_ENDPOINT_API_KEY", "EVAL_ENDPOINT_ORIGIN");
  return [{ ...scope, secret, ...bearer }];
}

function readWellKnown(environment: Environment): readonly Credential[] {
  return wellKnown.flatMap((known) => {
    const { name, header, scheme } = known;
    const secret = environment.key(name);
    return secret === null ? [] : wellKnownScopes(known).map((scope) => ({ ...scope, secret, header, scheme }));
  });
}
