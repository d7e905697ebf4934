import { isHeaderText } from "../contract/header-text.ts";
import { Secret } from "../contract/secret.ts";
import { parseEndpoint } from "./outbound/parse-endpoint.ts";

/** A secret and the one origin (scheme, host and port) it may be sent to. */
export interface CredentialBinding {
  readonly origin: string;
  readonly secret: Secret;
  /** Name of the header that carries it. Default: authorization. */
  readonly header: string;
  /** Word before the secret, such as Bearer. Empty: the bare secret. */
  readonly scheme: string;
}

/**
 * Binds a secret to the origin of `url`. `source` names where the secret came from, for the error message.
 * The scheme defaults to Bearer in the authorization header and to none in any other.
 */
export function bindCredential(options: {
  url: string;
  secret: Secret;
  header?: string | undefined;
  scheme?: string | undefined;
  source?: string;
}): CredentialBinding {
  const { url, secret, source = "The credential" } = options;
  const header = (options.header || "authorization").toLowerCase();
  const scheme = options.scheme ?? (header === "authorization" ? "Bearer" : "");
  const parsed = parseEndpoint(url);
  if (!parsed.ok) throw new Error(`${source}: "${url}" is no origin a credential can be bound to. ${parsed.detail}`);
  if (!/^[a-z0-9-]+$/.test(header)) throw new Error(`${source}: "${header}" is not the name of a header.`);
  if (!/^[\w-]*$/.test(scheme)) throw new Error(`${source}: "${scheme}" is not an authentication scheme.`);
  const value = secret.reveal().trim();
  if (!isHeaderText(value)) throw new Error(`${source} is empty or holds characters that a header cannot carry.`);
  return { origin: parsed.url.origin, secret: new Secret(value), header, scheme };
}
