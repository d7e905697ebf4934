import { redactKeys, type Secret } from "../base/secret.ts";
import { parseBaseUrl } from "./address.ts";
import type { Environment } from "./environment.ts";
import { quoted, SettingsError } from "./settings-error.ts";

/** The calls of one origin that a secret may be sent with. */
interface Home {
  readonly origin: string;
  /** Path of the address it is bound to, without a slash at its end: "" for an origin alone. */
  readonly path: string;
  /** True: models below `path` get it too. False: only those at `path`. */
  readonly subpaths: boolean;
  /** Whether an agent at exactly `path` gets it. */
  readonly agent: boolean;
}

/** A secret, where it may be sent and how. */
export interface Credential extends Home {
  readonly secret: Secret;
  readonly header: string;
  /** Written before the secret, as in `Bearer …`; "" for the bare secret. */
  readonly scheme: string;
}

const bearer = { header: "authorization", scheme: "Bearer" } as const;

interface WellKnownKey {
  readonly name: string;
  /** Where its models are. */
  readonly addresses: readonly string[];
  /** True: below these addresses, each model or provider has a path of its own. */
  readonly subpaths: boolean;
}

/** Keys with a public home: sent to the models there, and to nothing else of the same account. */
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

/**
 * Every credential with the calls it is bound to. The first that covers a call counts: what the operator bound explicitly,
 * the longest path first, then the well-known keys.
 */
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

/** Reads an address that the operator binds a secret to. The origin of a well-known provider stands for its models. */
function parseHome(name: string, text: string): Home {
  const home = toHome(parseBaseUrl(name, text), { subpaths: true, agent: true });
  const known = wellKnown
    .flatMap(wellKnownHomes)
    .find(({ origin, path }) => origin === home.origin && [path, ""].includes(home.path));
  return known ?? home;
}

function wellKnownHomes({ addresses, subpaths }: WellKnownKey): readonly Home[] {
  return addresses.map((address) => toHome(address, { subpaths, agent: false }));
}

function toHome(address: string, scope: Pick<Home, "subpaths" | "agent">): Home {
  const { origin, pathname } = new URL(address);
  return { origin, path: pathname.replace(/\/+$/, ""), ...scope };
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
  return new SettingsError(key, `is set without ${home}: a key is only sent to the address it is bound to`);
}

function readList(environment: Environment): readonly Credential[] {
  return environment.list("EVAL_CREDENTIALS").map((entry) => {
    const { address, name, header, scheme } = splitEntry(entry);
    const secret = environment.key(name);
    // What was written may be the key itself.
    if (secret === null) throw new SettingsError("EVAL_CREDENTIALS", `refers to ${redactKeys(name)}, which is not set`);
    return { ...parseHome("EVAL_CREDENTIALS", address), secret, header, scheme };
  });
}

function splitEntry(entry: string): { address: string; name: string; header: string; scheme: string } {
  const separator = entry.indexOf("=");
  const [name = "", header = bearer.header, scheme] = entry.slice(separator + 1).split(":");
  if (separator < 1 || !/^[A-Za-z_]\w*$/.test(name)) {
    // The text is not repeated: it may be a key pasted where its name belongs.
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
  const home = address === null ? null : parseHome("EVAL_ENDPOINT_ORIGIN", address);
  if (secret === null) return [];
  if (home === null) throw keyWithoutHome("EVAL_ENDPOINT_API_KEY", "EVAL_ENDPOINT_ORIGIN");
  return [{ ...home, secret, ...bearer }];
}

function readWellKnown(environment: Environment): readonly Credential[] {
  return wellKnown.flatMap((known) => {
    const { name, header, scheme } = known;
    const secret = environment.key(name);
    return secret === null ? [] : wellKnownHomes(known).map((home) => ({ ...home, secret, header, scheme }));
  });
}
