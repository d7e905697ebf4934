import { isIP } from "node:net";
import type { PolicyName } from "../../contract/schemas/endpoint-policy.ts";
import { addressKind } from "./address-ranges.ts";

export interface HostPort {
  /** An IP address without brackets, or a host name. */
  readonly host: string;
  readonly port: number;
}

export interface EndpointPolicy {
  readonly name: PolicyName;
  /** Origins that `allowlist` admits. */
  readonly allowedOrigins: Pick<ReadonlySet<string>, "has">;
  /** True for an address at which the caller itself answers: calling it would make a loop. */
  readonly isOwnAddress: (address: HostPort) => boolean;
  /** True for an address that this process opened to be called, whatever the policy. */
  readonly isOpenedHere: (address: HostPort) => boolean;
}

/** Says why an IP address (or `localhost`) may not be called under this policy, or null when it may. */
export function addressRefusal({ host, port }: HostPort, policy: EndpointPolicy): string | null {
  const kind = isIP(host.replace(/%.*$/, "")) ? addressKind(host) : "loopback";
  if (kind === "link-local") return "Link-local and metadata addresses are never called";
  if (policy.isOwnAddress({ host, port })) return "This is an address of this service itself";
  if (policy.name === "public" && kind !== "public") return "Only public addresses may be called here";
  return null;
}

/** The same for an address as the endpoint has it. Only there one that was opened here is known: a name may resolve to anything. */
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
