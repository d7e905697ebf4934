/** An IPv4 address found inside an IPv6 one. `routable`: this form may carry traffic to a public IPv4 host today. */
interface EmbeddedIpv4 {
  readonly address: string;
  readonly routable: boolean;
}

interface Form {
  readonly matches: (groups: readonly number[]) => boolean;
  /** Where the IPv4 address begins, as the number of its first byte. Several where the form has several layouts. */
  readonly at: readonly number[];
  readonly routable: boolean;
  /** Every bit is turned round. */
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

/** Decodes every known way to write an IPv4 address inside a (valid) IPv6 address. Several where nobody can tell which is meant. */
export function embeddedIpv4(ipv6: string): readonly EmbeddedIpv4[] {
  const groups = ipv6Groups(ipv6);
  const form = forms.find(({ matches }) => matches(groups));
  if (!form) return [];
  const { routable, inverted = false } = form;
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff]).map((byte) => (inverted ? 0xff - byte : byte));
  const found = form.at.map((at) => readAddress(bytes, at));
  // A layout that is not the one in use finds nothing but zeros in the address of another.
  const told = found.filter((address, index) => index === 0 || address !== "0.0.0.0");
  return told.map((address) => ({ address, routable }));
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
