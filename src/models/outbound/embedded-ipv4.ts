/** An IPv4 address found inside an IPv6 one. `routable`: this form may carry traffic to a public IPv4 host today. */
export interface EmbeddedIpv4 {
  readonly address: string;
  readonly routable: boolean;
}

interface Form {
  readonly matches: (groups: readonly number[]) => boolean;
  /** Index of the first of the two groups that hold the IPv4 address. */
  readonly at: number;
  readonly routable: boolean;
}

const zero = (groups: readonly number[], from: number, to: number) =>
  groups.slice(from, to).every((group) => group === 0);

const forms: readonly Form[] = [
  // ::ffff:a.b.c.d, IPv4-mapped
  { matches: (groups) => zero(groups, 0, 5) && groups[5] === 0xffff, at: 6, routable: true },
  // ::a.b.c.d, IPv4-compatible (deprecated)
  { matches: (groups) => zero(groups, 0, 6), at: 6, routable: false },
  // ::ffff:0:a.b.c.d, IPv4-translated
  { matches: (groups) => zero(groups, 0, 4) && groups[4] === 0xffff && groups[5] === 0, at: 6, routable: false },
  // 64:ff9b::a.b.c.d, NAT64: what DNS64 answers in an IPv6-only network
  { matches: (groups) => groups[0] === 0x64 && groups[1] === 0xff9b && zero(groups, 2, 6), at: 6, routable: true },
  // 64:ff9b:1::/48, NAT64 for local use
  { matches: (groups) => groups[0] === 0x64 && groups[1] === 0xff9b && groups[2] === 1, at: 6, routable: false },
  // 2002:aabb:ccdd::, 6to4
  { matches: (groups) => groups[0] === 0x2002, at: 1, routable: false },
  // …:0:5efe:a.b.c.d and …:200:5efe:a.b.c.d, ISATAP
  { matches: (groups) => (groups[4]! & 0xfdff) === 0 && groups[5] === 0x5efe, at: 6, routable: false },
];

/** Decodes every known way to write an IPv4 address inside a (valid) IPv6 address. */
export function embeddedIpv4(ipv6: string): EmbeddedIpv4 | null {
  const groups = ipv6Groups(ipv6);
  const form = forms.find(({ matches }) => matches(groups));
  if (!form) return null;
  const high = groups[form.at]!;
  const low = groups[form.at + 1]!;
  return { address: [high >> 8, high & 0xff, low >> 8, low & 0xff].join("."), routable: form.routable };
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
