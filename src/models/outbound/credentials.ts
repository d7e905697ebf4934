import { Secret } from "../../base/secret.ts";
import { isHeaderText } from "../../base/text.ts";
import { protocols, type ProtocolOf } from "../../contract/protocols/protocols.ts";
import { parseEndpoint } from "./endpoint-policy.ts";
import { hasVersion, withoutOperation } from "./endpoint-url.ts";

/**
 * The calls that can carry a credential, named by the end of their path. `agent` is a POST to the agent's own address,
 * `agent-run` a read of the log of one of its runs.
 */
export type ModelOperation =
  | (typeof protocols)[ProtocolOf<"model">]["path"]
  | "embeddings"
  | "models"
  | "agent"
  | "agent-run";

/** A secret and the calls at one origin (scheme, host and port) that may carry it. */
export interface CredentialBinding {
  readonly origin: string;
  /** Path of the bound address without a trailing slash; "" for the origin alone. */
  readonly path: string;
  /** True: also for models below `path`. False: only at `path`, or at `path/v1` if `path` has no version. */
  readonly subpaths: boolean;
  /** True: for an agent at exactly `path`. */
  readonly agent: boolean;
  /** The protocol of the endpoint. If several bindings cover a call, one with the call's protocol is preferred. */
  readonly protocol?: ProtocolOf<"model" | "backend"> | undefined;
  readonly secret: Secret;
  /** Name of the header that carries it. Default: authorization. */
  readonly header: string;
  /** Word before the secret, such as Bearer. Empty: the bare secret. */
  readonly scheme: string;
}

/** The parts of a call that decide whether a credential is sent. */
interface CredentialedCall {
  /** The address as sent: parsed, with dot segments resolved. */
  readonly url: URL;
  /** Undefined: no credential is sent. */
  readonly operation: ModelOperation | undefined;
}

/**
 * Binds a secret to the endpoint at `url`. `source` names the secret's origin in error messages.
 * The scheme defaults to Bearer in the authorization header and to none in any other.
 */
export function bindCredential(options: {
  url: string;
  secret: Secret;
  protocol?: CredentialBinding["protocol"];
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
  const path = pathname.replace(/(?<!\/)\/+$/, "");
  const agent = protocol !== undefined && operationOf(protocol) === "agent";
  return { origin, path, subpaths: false, agent, protocol, secret: new Secret(value), header, scheme };
}

/** True when a credential may be sent with a call. Paths are compared by segment, as sent. */
export function coversCall(binding: CredentialBinding, { url, operation }: CredentialedCall): boolean {
  if (operation === undefined || url.origin !== binding.origin) return false;
  const path = url.pathname.replace(/\/$/, "");
  if (operation === "agent") return binding.agent && path === binding.path;
  if (operation === "agent-run") return binding.agent && isRunOf(path, binding.path);
  if (!path.endsWith(`/${operation}`)) return false;
  const base = path.slice(0, -`/${operation}`.length);
  const bound = withoutOperation(binding.path);
  if (base === bound || (base === `${bound}/v1` && !hasVersion(bound))) return true;
  return binding.subpaths && isBelow(base, bound) && (!versioned.has(operation) || hasVersion(base));
}

/** The operations whose base URLs end in a version, so that a path without one is another operation. */
const versioned: ReadonlySet<string> = new Set(
  Object.values(protocols).flatMap((facts) => (facts.kind === "model" && facts.addsVersion ? [facts.path] : [])),
);

/** True for the path of a run's log below the path of its agent. */
function isRunOf(path: string, agent: string): boolean {
  return path.startsWith(`${agent}/agent/runs/`) && /^[\w-]+$/.test(path.slice(`${agent}/agent/runs/`.length));
}

/** Servers disagree about escaped, empty and parametrised segments, so a path with them is below nothing. */
function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}/`) && /^(?:\/[^/%;]+)+$/.test(path.slice(parent.length));
}

/** The address to which a credential must be bound to cover a call. */
export function addressToBind({ url, operation }: CredentialedCall): string {
  return url.origin + (operation === "agent" ? url.pathname : withoutOperation(url.pathname));
}

type Header = readonly [name: string, value: string];

/** The credential of a request, if any. */
interface CredentialChoice {
  readonly headers: readonly Header[];
  /** True when the origin has a credential, but none that covers this call. */
  readonly isWithheld: boolean;
}

/**
 * Chooses the credential of a request among those that cover it: its own, else the first of its protocol, else the first.
 * Several may cover it, since two providers may share an address.
 */
export type CredentialHeaders = (call: CredentialedCall, own?: CredentialBinding) => CredentialChoice;

function operationOf(protocol: ProtocolOf<"model" | "backend">): ModelOperation {
  const facts = protocols[protocol];
  return facts.kind === "model" ? facts.path : "agent";
}

export function createCredentialHeaders(bindings: readonly CredentialBinding[]): CredentialHeaders {
  const byOrigin = Map.groupBy(bindings, ({ origin }) => origin);
  return (call, own) => {
    const { origin } = call.url;
    if (own && coversCall(own, call)) return { headers: [toHeader(own)], isWithheld: false };
    const atOrigin = byOrigin.get(origin) ?? [];
    const covering = atOrigin.filter((binding) => coversCall(binding, call));
    const alike = ({ protocol }: CredentialBinding) => !protocol || operationOf(protocol) === call.operation;
    const chosen = covering.find(alike) ?? covering[0];
    if (chosen) return { headers: [toHeader(chosen)], isWithheld: false };
    return { headers: [], isWithheld: atOrigin.length > 0 || own?.origin === origin };
  };
}

function toHeader({ header, scheme, secret }: CredentialBinding): Header {
  return [header, scheme === "" ? secret.reveal() : `${scheme} ${secret.reveal()}`];
}
