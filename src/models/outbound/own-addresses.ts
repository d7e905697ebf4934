import { isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { addressKind, type AddressKind } from "./address-ranges.ts";
import { embeddedIpv4 } from "./embedded-ipv4.ts";
import { isLocalhostName, type HostPort } from "./endpoint-policy.ts";

interface OwnAddresses {
  /** Call it once the service listens: only then is its port known. */
  add(address: HostPort): void;
  /** For `createOutbound({ isOwnAddress })`. Knows every spelling of this machine. */
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
      here.some((address) => !isLoopback(address.host)) &&
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

function isLoopback(host: string): boolean {
  return isIP(host) ? addressKind(host) === "loopback" : isLocalhostName(host);
}

/** An interface is listed by its IPv4 address, however that is dressed as an IPv6 one. */
function plainAddresses(host: string): readonly string[] {
  const inside = isIPv6(host) ? embeddedIpv4(host).map(({ address }) => address) : [];
  return [...inside, host];
}

function interfaceAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []));
}
