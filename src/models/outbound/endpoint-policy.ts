import { isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import type { PolicyName } from "../../contract/schemas/shared/endpoint-policy.ts";
import { addressKind, embeddedIpv4, type AddressKind } from "./addresses.ts";
import { memoizeText } from "../../base/memoize-text.ts";

export interface HostPort {
  /** An IP address without brackets, or a host name. */
  readonly host: string;
  readonly port: number;
}

export interface EndpointPolicy {
  readonly name: PolicyName;
  /** Origins that `allowlist` admits. */
  readonly allowedOrigins: Pick<ReadonlySet<string>, "has">;
  /** True for an address of this service itself: calling it would make a loop. */
  readonly isOwnAddress: (address: HostPort) => boolean;
  /** True for an address that this process opened for its own calls: allowed under every policy. */
  readonly isOpenedHere: (address: HostPort) => boolean;
}

/** The reason why an IP address (or `localhost`) may not be called under this policy, or null. */
export function addressRefusal({ host, port }: HostPort, policy: EndpointPolicy): string | null {
  const kind = isIP(host.replace(/%[^]*/, "")) ? addressKind(host) : "loopback";
  if (kind === "link-local") return "Link-local and metadata addresses are never called";
  if (policy.isOwnAddress({ host, port })) return "This is an address of this service itself";
  if (policy.name === "public" && kind !== "public") return "Only public addresses may be called here";
  return null;
}

/** The same for a literal address in an endpoint. Addresses opened here are allowed only in this form: a name may resolve to anything. */
export function literalRefusal(address: HostPort, policy: EndpointPolicy): string | null {
  return isOpenedHere(address, policy) ? null : addressRefusal(address, policy);
}

export function isOpenedHere(address: HostPort, policy: EndpointPolicy): boolean {
  return policy.isOpenedHere(address) && !policy.isOwnAddress(address);
}

export function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** `localhost` and every name under it mean this machine by definition (RFC 6761). */
export function isLocalhostName(host: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(host);
}

export interface InvalidEndpoint {
  readonly ok: false;
  readonly code: "endpoint_invalid";
  readonly detail: string;
}

/** `url` is shared between all callers with the same text: copy it before changing it. */
type ParsedEndpoint = { readonly ok: true; readonly url: URL } | InvalidEndpoint;

/** The limit of common servers. A tool's query holds text of the model and may be long. */
const maximumLength = 8192;

/**
 * Reads an endpoint with the URL parser that is also used to connect. Spellings that the parser would silently repair
 * (white space, backslashes, missing slashes, an escaped host) are refused, so that the written endpoint is the called one.
 */
export const parseEndpoint = memoizeText(parseUrl);

function parseUrl(text: string): ParsedEndpoint {
  if (text.length > maximumLength) return invalidEndpoint(`The endpoint is longer than ${maximumLength} characters.`);
  if (/[\s\p{Cc}]/u.test(text)) {
    return invalidEndpoint("The endpoint holds white space or control characters.");
  }
  if (!URL.canParse(text)) {
    const isAbsolute = /^https?:\/\/[^/?#]/i.test(text);
    return invalidEndpoint(
      `The endpoint ${isAbsolute ? "has a host or port that is not valid" : "is not an absolute URL"}.`,
    );
  }
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return invalidEndpoint("The endpoint must use http or https.");
  const authority = /^https?:\/\/([^/?#\\]+)/i.exec(text)?.[1];
  if (authority === undefined || text.includes("\\"))
    return invalidEndpoint("The endpoint must begin with http(s)://<host>.");
  if (authority.includes("@")) return invalidEndpoint("The endpoint must not hold user info.");
  if (authority.includes("%")) return invalidEndpoint("The host of the endpoint must not be percent-encoded.");
  if (text.includes("#")) return invalidEndpoint("The endpoint must not have a fragment.");
  if (url.port === "0") return invalidEndpoint("The endpoint must not use port 0.");
  return { ok: true, url };
}

function invalidEndpoint(detail: string): InvalidEndpoint {
  return { ok: false, code: "endpoint_invalid", detail };
}

export type EndpointCheck =
  | { readonly ok: true; readonly url: URL }
  | InvalidEndpoint
  | {
      readonly ok: false;
      readonly code: "endpoint_not_allowed";
      readonly detail: string;
      /** `origin`: not on the allowlist. `address`: refused by the policy. */
      readonly reason: "origin" | "address";
    };

/**
 * Checks an endpoint without DNS. An accepted endpoint may still be refused when it is called: its name can resolve to a
 * refused address.
 */
export function checkEndpointPolicy(text: string, policy: EndpointPolicy): EndpointCheck {
  const parsed = parseEndpoint(text);
  if (!parsed.ok) return parsed;
  const { url } = parsed;
  const host = hostOf(url);
  const address = { host, port: portOf(url) };
  if (isIP(host) || isLocalhostName(host)) {
    const refusal = literalRefusal(address, policy);
    if (refusal) return { ok: false, code: "endpoint_not_allowed", detail: `${refusal}.`, reason: "address" };
  }
  if (policy.name === "allowlist" && !policy.allowedOrigins.has(url.origin) && !isOpenedHere(address, policy)) {
    const detail = `The origin ${url.origin} is not on the list of allowed endpoints.`;
    return { ok: false, code: "endpoint_not_allowed", detail, reason: "origin" };
  }
  return parsed;
}

interface OwnAddresses {
  /** Call it once the service listens: only then is its port known. */
  add(address: HostPort): void;
  /** For `createOutbound({ isOwnAddress })`. Recognizes every spelling of this machine's addresses. */
  readonly isOwnAddress: (address: HostPort) => boolean;
}

/** Remembers where a service listens, so that it never calls itself: as an endpoint under test, or as its own hub. */
export function createOwnAddresses(): OwnAddresses {
  const listening: HostPort[] = [];

  function isOwnAddress({ host, port }: HostPort): boolean {
    const here = listening.filter((address) => address.port === port);
    if (here.length === 0) return false;
    if (isThisMachine(host)) return true;
    // A service bound to all or to other interfaces also answers on this machine's other addresses.
    return (
      here.some((address) => !isLoopbackAddress(address.host)) &&
      plainAddresses(host).some((plain) => interfaceAddresses().has(plain))
    );
  }

  return { add: (address) => void listening.push(address), isOwnAddress };
}

function isThisMachine(host: string): boolean {
  if (!isIP(host)) return isLocalhostName(host);
  const kind: AddressKind = addressKind(host);
  return kind === "loopback" || kind === "unspecified";
}

function isLoopbackAddress(host: string): boolean {
  return isIP(host) ? addressKind(host) === "loopback" : isLocalhostName(host);
}

/** Interfaces are listed with IPv4 addresses, which a host may write in an IPv6 form. */
function plainAddresses(host: string): readonly string[] {
  const inside = isIPv6(host) ? embeddedIpv4(host).map(({ address }) => address) : [];
  return [...inside, host];
}

function interfaceAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []));
}
