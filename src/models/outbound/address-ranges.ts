import { BlockList, isIPv4, isIPv6 } from "node:net";
import { embeddedIpv4 } from "./embedded-ipv4.ts";
import { rememberLast } from "./remember-last.ts";

/** What an address means to a guard. `link-local` also holds the cloud metadata addresses outside the link-local ranges. */
export type AddressKind = "public" | "private" | "loopback" | "unspecified" | "link-local";

/** Where clouds tell a machine its credentials: AWS and the agent of its Kubernetes, Google, Oracle, Alibaba, Scaleway, Akamai. */
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

/** Classifies by range, never by spelling. What is not an address at all is `link-local`, so every policy refuses it. */
export const addressKind = rememberLast(classify);

function classify(text: string): AddressKind {
  const address = text.replace(/%.*$/, "");
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
