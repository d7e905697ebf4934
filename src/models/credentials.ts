import type { Protocol } from "../contract/schemas/evaluation-request.ts";
import { isHeaderText } from "../base/text.ts";
import { Secret } from "../base/secret.ts";
import { hasVersion, withoutOperation } from "./adapters/endpoint-url.ts";
import { parseEndpoint } from "./outbound/parse-endpoint.ts";

/** The calls a credential can be sent with, each named as its path ends; `agent` is a POST to the agent's own address. */
export type Operation = "chat/completions" | "responses" | "messages" | "embeddings" | "models" | "agent";

/** A secret, and the calls of one origin (scheme, host and port) it may be sent with. */
export interface CredentialBinding {
  readonly origin: string;
  /** Path of the address it is bound to, without a slash at its end: "" for an origin alone. */
  readonly path: string;
  /** True: models below `path` get it too. False: only those at `path`, or at `path/v1` if it has no version. */
  readonly subpaths: boolean;
  /** Whether an agent at exactly `path` gets it. */
  readonly agent: boolean;
  /** The protocol of the endpoint it was set for. If several bindings cover a call, one of its protocol counts first. */
  readonly protocol?: Protocol | undefined;
  readonly secret: Secret;
  /** Name of the header that carries it. Default: authorization. */
  readonly header: string;
  /** Word before the secret, such as Bearer. Empty: the bare secret. */
  readonly scheme: string;
}

/** What decides whether a credential is sent with a request. */
export interface CredentialedCall {
  /** The address as it is sent: parsed, with its dot segments resolved. */
  readonly url: URL;
  /** Undefined: no credential is sent. */
  readonly operation: Operation | undefined;
}

/**
 * Binds a secret to the endpoint at `url`. `source` names where the secret came from, for the error message.
 * The scheme defaults to Bearer in the authorization header and to none in any other.
 */
export function bindCredential(options: {
  url: string;
  secret: Secret;
  protocol?: Protocol | undefined;
  header?: string | undefined;
  scheme?: string | undefined;
  source?: string;
}): CredentialBinding {
  const { url, secret, protocol, source = "The credential" } = options;
  const header = (options.header || "authorization").toLowerCase();
  const scheme = options.scheme ?? (header === "authorization" ? "Bearer" : "");
  const parsed = parseEndpoint(url);
  if (!parsed.ok) throw new Error(`${source}: "${url}" is no address a credential can be bound to. ${parsed.detail}`);
  if (!/^[a-z0-9-]+$/.test(header)) throw new Error(`${source}: "${header}" is not the name of a header.`);
  if (!/^[\w-]*$/.test(scheme)) throw new Error(`${source}: "${scheme}" is not an authentication scheme.`);
  const value = secret.reveal().trim();
  if (!isHeaderText(value)) throw new Error(`${source} is empty or holds characters that a header cannot carry.`);
  const { origin, pathname } = parsed.url;
  const path = pathname.replace(/\/+$/, "");
  const agent = protocol === "agent";
  return { origin, path, subpaths: false, agent, protocol, secret: new Secret(value), header, scheme };
}

/** Whether a credential may be sent with a call: paths are compared segment by segment, as they are sent. */
export function coversCall(binding: CredentialBinding, { url, operation }: CredentialedCall): boolean {
  if (operation === undefined || url.origin !== binding.origin) return false;
  const path = url.pathname.replace(/\/$/, "");
  if (operation === "agent") return binding.agent && path === binding.path;
  if (!path.endsWith(`/${operation}`)) return false;
  const base = path.slice(0, -`/${operation}`.length);
  const bound = withoutOperation(binding.path);
  if (base === bound || (base === `${bound}/v1` && !hasVersion(bound))) return true;
  return binding.subpaths && isBelow(base, bound) && (operation !== "messages" || hasVersion(base));
}

/** Servers disagree about what escaped, empty and parametrised segments mean, so a path with them is below nothing. */
function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}/`) && /^(?:\/[^/%;]+)+$/.test(path.slice(parent.length));
}

/** The address that a credential has to be bound to in order to cover a call. */
export function addressToBind({ url, operation }: CredentialedCall): string {
  return url.origin + (operation === "agent" ? url.pathname : withoutOperation(url.pathname));
}
