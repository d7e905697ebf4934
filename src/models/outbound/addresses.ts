import { BlockList, isIPv4, isIPv6 } from "node:net";
import { memoizeText } from "../../base/memoize-text.ts";

/** The kind of an address. `link-local` includes the cloud metadata addresses outside the link-local ranges. */
export type AddressKind = "public" | "private" | "loopback" | "unspecified" | "link-local";

/** Metadata services that hand out credentials: AWS and its EKS agent, Google, Oracle, Alibaba, Scaleway, Akamai. */
const metadataIpv6 = [
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "fd00:c1::a9fe:a9fe/128",
  "fd00:100::100:200/128",
  "fd00:42::42/128",
  "fd00:a9fe:a9fe::1/128",
];

// One list per family: a BlockList that holds ::ffff:0:0/96 would call every IPv4 address blocked.
const ranges = {
  "link-local": [
    ipv4("169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"),
    ipv6("fe80::/10", ...metadataIpv6),
  ],
  loopback: [ipv4("127.0.0.0/8"), ipv6("::1/128")],
  unspecified: [ipv4("0.0.0.0/8"), ipv6("::/128")],
} as const;

const privateIpv4 = ipv4(
  "10.0.0.0/8",
  "100.64.0.0/10",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
);
const globalIpv6 = ipv6("2000::/3");
const specialIpv6 = ipv6("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

/** Classifies by range, never by spelling. Text that is not an address is `link-local`, so every policy refuses it. */
export const addressKind = memoizeText(classify);

function classify(text: string): AddressKind {
  const address = text.replace(/%[^]*/, "");
  if (isIPv4(address)) return ipv4Kind(address);
  return isIPv6(address) ? ipv6Kind(address) : "link-local";
}

function ipv4Kind(address: string): AddressKind {
  for (const kind of ["link-local", "loopback", "unspecified"] as const) {
    if (ranges[kind][0].check(address, "ipv4")) return kind;
  }
  return privateIpv4.check(address, "ipv4") ? "private" : "public";
}

function ipv6Kind(address: string): AddressKind {
  for (const kind of ["link-local", "loopback", "unspecified"] as const) {
    if (ranges[kind][1].check(address, "ipv6")) return kind;
  }
  const embedded = embeddedIpv4(address).map(({ address: inside, routable }) => {
    const kind = ipv4Kind(inside);
    return kind === "public" && !routable ? "private" : kind;
  });
  const strictest = (["link-local", "loopback", "unspecified", "private", "public"] as const).find((kind) =>
    embedded.includes(kind),
  );
  if (strictest) return strictest;
  return globalIpv6.check(address, "ipv6") && !specialIpv6.check(address, "ipv6") ? "public" : "private";
}

function ipv4(...subnets: readonly string[]): BlockList {
  return blockList("ipv4", subnets);
}

function ipv6(...subnets: readonly string[]): BlockList {
  return blockList("ipv6", subnets);
}

function blockList(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", prefix] = subnet.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

/** An IPv4 address found inside an IPv6 one. `routable`: this form may carry traffic to a public IPv4 host today. */
interface EmbeddedIpv4 {
  readonly address: string;
  readonly routable: boolean;
}

interface Form {
  readonly matches: (groups: readonly number[]) => boolean;
  /** The first byte of the IPv4 address; several where the form has several layouts. */
  readonly at: readonly number[];
  readonly routable: boolean;
  /** True when every bit is inverted. */
  readonly inverted?: true;
}

const zero = (groups: readonly number[], from: number, to: number) =>
  groups.slice(from, to).every((group) => group === 0);

const forms: readonly Form[] = [
  // ::ffff:a.b.c.d, IPv4-mapped
  { matches: (groups) => zero(groups, 0, 5) && groups[5] === 0xffff, at: [12], routable: true },
  // ::a.b.c.d, IPv4-compatible (deprecated)
  { matches: (groups) => zero(groups, 0, 6), at: [12], routable: false },
  // ::ffff:0:a.b.c.d, IPv4-translated
  { matches: (groups) => zero(groups, 0, 4) && groups[4] === 0xffff && groups[5] === 0, at: [12], routable: false },
  // 64:ff9b::a.b.c.d, NAT64: what DNS64 answers in an IPv6-only network
  { matches: (groups) => groups[0] === 0x64 && groups[1] === 0xff9b && zero(groups, 2, 6), at: [12], routable: true },
  // 64:ff9b:1::/48, NAT64 for local use (RFC 8215): its network chooses a prefix of 48, 56, 64 or 96 bits (RFC 6052)
  {
    matches: (groups) => groups[0] === 0x64 && groups[1] === 0xff9b && groups[2] === 1,
    at: [12, 6, 7, 9],
    routable: false,
  },
  // 2002:aabb:ccdd::, 6to4
  { matches: (groups) => groups[0] === 0x2002, at: [2], routable: false },
  // 2001::/32, Teredo: the address of the client
  { matches: (groups) => groups[0] === 0x2001 && groups[1] === 0, at: [12], routable: false, inverted: true },
  // …:0:5efe:a.b.c.d and …:200:5efe:a.b.c.d, ISATAP
  { matches: (groups) => (groups[4]! & 0xfdff) === 0 && groups[5] === 0x5efe, at: [12], routable: false },
];

/** The byte that RFC 6052 leaves empty inside the address. */
const emptyByte = 8;

/** Decodes the IPv4 addresses inside a valid IPv6 address. Several results where the layout is ambiguous. */
export function embeddedIpv4(ipv6: string): readonly EmbeddedIpv4[] {
  const groups = ipv6Groups(ipv6);
  const form = forms.find(({ matches }) => matches(groups));
  if (!form) return [];
  const { routable, inverted = false } = form;
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff]).map((byte) => (inverted ? 0xff - byte : byte));
  const found = form.at.map((at) => readAddress(bytes, at));
  // A layout that is not in use yields zeros.
  const addresses = found.filter((address, index) => index === 0 || address !== "0.0.0.0");
  return addresses.map((address) => ({ address, routable }));
}

function readAddress(bytes: readonly number[], at: number): string {
  return bytes
    .filter((_, index) => index >= at && index !== emptyByte)
    .slice(0, 4)
    .join(".");
}

function ipv6Groups(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const left = toGroups(head);
  if (tail === undefined) return left;
  const right = toGroups(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...zeros, ...right];
}

function toGroups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
