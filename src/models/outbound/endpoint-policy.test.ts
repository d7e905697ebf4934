import { networkInterfaces } from "node:os";
import fc from "fast-check";
import { expect, test } from "vitest";
import { addressKind } from "./addresses.ts";
import { checkEndpointPolicy, createOwnAddresses, hostOf, type EndpointPolicy } from "./endpoint-policy.ts";

const policy = (name: EndpointPolicy["name"], allowed: string[] = []): EndpointPolicy => ({
  name,
  allowedOrigins: new Set(allowed),
  isOwnAddress: () => false,
  isOpenedHere: () => false,
});

/** Ways to write one IPv4 address that a URL parser reads as that address. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => value.toString(16);
  const octal = (value: number) => `0${value.toString(8)}`;
  const group = (high: number, low: number) => hex(high * 256 + low);
  const tail = `${group(a, b)}:${group(c, d)}`;
  const fullWidth = address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number)}`,
    `0X${hex(number).toUpperCase()}`,
    octal(number),
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map((part) => `0x${hex(part)}`).join("."),
    `${octal(a)}.${b}.0x${hex(c)}.${d}`,
    `${a}.${b * 65536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    fullWidth,
    address.replaceAll(".", "。"),
    address.replaceAll(".", "．"),
    address.replaceAll(".", "｡"),
    `[::ffff:${address}]`,
    `[::ffff:${tail}]`,
    `[0:0:0:0:0:ffff:${tail}]`,
    `[::FFFF:${tail.toUpperCase()}]`,
    `[::ffff:0:${tail}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${tail}]`,
    `[64:ff9b:1::${tail}]`,
    // The other layouts of RFC 6052: prefixes of 48, 56 and 64 bits.
    `[64:ff9b:1:${group(a, b)}:${hex(c)}:${hex(d * 256)}::]`,
    `[64:ff9b:1:${hex(a)}:${hex(b)}:${group(c, d)}::]`,
    `[64:ff9b:1:0:${hex(a)}:${group(b, c)}:${hex(d * 256)}:0]`,
    `[2001:0:4136:e378:8000:63bf:${group(255 - a, 255 - b)}:${group(255 - c, 255 - d)}]`,
    `[2002:${tail}::]`,
    `[2002:${tail}::1]`,
    `[2001:4860::5efe:${tail}]`,
    `[2001:4860::200:5efe:${tail}]`,
  ];
}

const metadataLiterals = [
  ...spellings("169.254.169.254"),
  ...spellings("169.254.0.1"),
  ...spellings("100.100.100.200"),
  "168.63.129.16",
  "[::169.254.169.254]",
  "[::a9fe:a9fe]",
  "[fe80::1]",
  "[febf::1]",
  "[FE80:0:0:0:0:0:0:1]",
  "[fd00:ec2::254]",
  "[fd00:0ec2:0:0:0:0:0:254]",
  "[fd20:ce::254]",
  "[fd00:ec2::23]",
  "[fd00:c1::a9fe:a9fe]",
  "[fd00:100::100:200]",
  "[fd00:42::42]",
  "[fd00:a9fe:a9fe::1]",
];

const privateLiterals = Object.values({
  spelled: ["127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0"].flatMap(
    spellings,
  ),
  ranges: "172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1".split(" "),
  multicastAndReserved: "224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255".split(" "),
  short: "0 127.1 0x7f.1 ①②⑦.0.0.1".split(" "),
  ipv6: "[::] [::1] [0:0:0:0:0:0:0:1] [fc00::1] [fdff::1] [fec0::1] [ff02::1] [100::1] [4000::1]".split(" "),
  specialIpv6: "[2001::1] [2001:db8::1] [3fff::1] [2002:808:808::] [::127.0.0.1] [::7f00:1] [::8.8.8.8]".split(" "),
  localhost: "localhost LOCALHOST localhost. app.localhost ｌocalhost ⓛocalhost".split(" "),
}).flat();

test("covers more than a hundred different spellings", () => {
  expect(new Set([...metadataLiterals, ...privateLiterals]).size).toBeGreaterThan(200);
});

test.each(["local", "allowlist", "public"] as const)(
  "policy %s refuses every spelling of a metadata address",
  (name) => {
    for (const host of metadataLiterals) {
      const allowed = [`http://${host}`, new URL(`http://${host}`).origin];
      const check = checkEndpointPolicy(`http://${host}:80/latest`, policy(name, allowed));
      expect.soft(check, host).toMatchObject({ ok: false, code: "endpoint_not_allowed", reason: "address" });
    }
  },
);

test("refuses every spelling of a non-public address under policy public", () => {
  for (const host of privateLiterals) {
    for (const url of [`http://${host}/v1`, `https://${host}:8443`]) {
      expect
        .soft(checkEndpointPolicy(url, policy("public")), url)
        .toMatchObject({ ok: false, code: "endpoint_not_allowed" });
    }
  }
});

test("allows this machine and the local network under policy local", () => {
  for (const host of privateLiterals)
    expect.soft(checkEndpointPolicy(`http://${host}:11434/v1`, policy("local")).ok, host).toBe(true);
});

test.each([
  "https://api.openai.com/v1",
  "https://openrouter.ai/api/v1/chat/completions",
  "http://8.8.8.8",
  "https://1.1.1.1:8443/v1?api-version=2024-10-21",
  "https://[2606:4700:4700::1111]/v1",
  "https://[64:ff9b::8.8.8.8]/v1",
  "https://[::ffff:1.1.1.1]/v1",
  "https://bücher.example/v1",
  "https://EXAMPLE.com/%7Euser/v1",
  "http://169.253.255.255/v1",
  "http://172.32.0.1/v1",
  "http://100.128.0.1/v1",
  "http://127.0.0.1.example.com/v1",
  "http://notlocalhost/v1",
])("accepts %s under every policy that may", (url) => {
  expect(checkEndpointPolicy(url, policy("local")).ok).toBe(true);
  expect(checkEndpointPolicy(url, policy("public")).ok).toBe(true);
  expect(checkEndpointPolicy(url, policy("allowlist", [new URL(url).origin])).ok).toBe(true);
});

const notEndpoints = {
  notAbsolute: [
    "",
    "null",
    "undefined",
    "example.com",
    "//example.com/v1",
    "/v1",
    "http://",
    "http:///v1",
    "http://?x",
  ],
  slashes: ["http:127.0.0.1", "http:/127.0.0.1", "http:example.com", "http:\\\\example.com", "http:/\\example.com"],
  backslashes: ["http://example.com\\@127.0.0.1", "http://127.0.0.1\\.example.com", "http://example.com/a\\b"],
  outerSpace: [" http://example.com", "http://example.com ", "\thttp://example.com", "http://example.com\n"],
  innerSpace: ["http://exa\tmple.com", "http://exam ple.com", "http://example.com/a b", "http://example.com\r\nx: y"],
  control: ["http://example.com/\u0000", "http://example.com/\u0085", "http://example.com/\u007f"],
  userInfo: ["http://u:p@example.com", "http://u@example.com", "http://@example.com", "http://example.com@127.0.0.1"],
  fragment: ["http://example.com#@127.0.0.1", "http://example.com/#fragment", "http://example.com#"],
  escapedHost: ["http://%31%32%37.0.0.1", "http://127.0.0.1%2f@x", "http://localhost%00.example.com"],
  zone: ["http://[fe80::1%25eth0]", "http://[fe80::1%eth0]"],
  badHost: ["http://[::1", "http://1.2.3.4.5", "http://256.1.1.1"],
  port: ["http://example.com:0", "http://example.com:65536", "http://example.com:port"],
  scheme: ["file:///etc/passwd", "ftp://example.com", "gopher://example.com", "unix:/run/x.sock", "ws://example.com"],
  pseudoScheme: ["blob:http://example.com/1", "javascript:alert(1)", "data:application/json,{}", "about:blank"],
  nearScheme: ["http+unix://x", "httpss://x", "wss://example.com", "mailto:a@b.c"],
  overLong: [`http://example.com/${"a".repeat(8192)}`],
};

test.each(Object.values(notEndpoints).flat())("%j is not an endpoint", (text) => {
  for (const name of ["local", "allowlist", "public"] as const) {
    expect(checkEndpointPolicy(text, policy(name))).toMatchObject({ ok: false, code: "endpoint_invalid" });
  }
});

test.each([
  ["127.0.0.1:8000/v1", "The endpoint is not an absolute URL."],
  ["http://127.0.0.1:99999/v1", "The endpoint has a host or port that is not valid."],
  ["https://[::1/v1", "The endpoint has a host or port that is not valid."],
])("explains the problem with %s", (text, detail) => {
  expect(checkEndpointPolicy(text, policy("local"))).toMatchObject({ detail });
});

test("allows exactly the listed origins under policy allowlist", () => {
  const listed = policy("allowlist", ["https://api.example.com", "http://127.0.0.1:11434"]);
  expect(checkEndpointPolicy("https://api.example.com/v1", listed).ok).toBe(true);
  expect(checkEndpointPolicy("https://API.example.com:443/v1", listed).ok).toBe(true);
  expect(checkEndpointPolicy("http://127.0.0.1:11434/v1", listed).ok).toBe(true);
  for (const url of [
    "http://api.example.com/v1",
    "https://api.example.com:8443/v1",
    "https://api.example.com./v1",
    "https://api.example.com.evil.example/v1",
    "http://127.0.0.1:11435/v1",
    "http://localhost:11434/v1",
  ]) {
    expect
      .soft(checkEndpointPolicy(url, listed), url)
      .toMatchObject({ ok: false, code: "endpoint_not_allowed", reason: "origin" });
  }
});

test("accepts only names and public addresses under policy public", () => {
  const part = fc.oneof(
    fc.nat(255).map(String),
    fc.nat(255).map((n) => `0x${n.toString(16)}`),
    fc.nat(255).map((n) => `0${n.toString(8)}`),
  );
  const ipv4 = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("."));
  const ipv6 = fc.ipV6().map((address) => `[${address}]`);
  const host = fc.oneof(ipv4, ipv6, fc.nat(0xffffffff).map(String));
  const accepted = fc.check(
    fc.property(host, fc.constantFrom("http", "https"), (name, scheme) => {
      const check = checkEndpointPolicy(`${scheme}://${name}/v1`, policy("public"));
      return !check.ok || addressKind(hostOf(check.url)) === "public";
    }),
    { numRuns: 3000 },
  );
  expect(accepted).toMatchObject({ failed: false });
});

test.each([
  { port: 80, refused: "http://localhost/v1", taken: "https://localhost/v1" },
  { port: 443, refused: "https://localhost/v1", taken: "http://localhost/v1" },
])("uses the default port of the scheme: $refused is our own at $port", ({ port, refused, taken }) => {
  const own = createOwnAddresses();
  own.add({ host: "127.0.0.1", port });
  const local: EndpointPolicy = { ...policy("local"), isOwnAddress: own.isOwnAddress };
  expect([refused, taken].map((url) => checkEndpointPolicy(url, local).ok)).toEqual([false, true]);
});

test("classifies addresses in the spelling of a resolver", () => {
  expect(addressKind("::ffff:169.254.169.254")).toBe("link-local");
  expect(addressKind("::ffff:100.100.100.200")).toBe("link-local");
  expect(addressKind("::ffff:172.16.0.1")).toBe("private");
  expect(addressKind("::ffff:8.8.8.8")).toBe("public");
});

test("refuses the service's own port in every spelling of this machine", () => {
  const own = createOwnAddresses();
  own.add({ host: "127.0.0.1", port: 8001 });
  const local: EndpointPolicy = { ...policy("local"), isOwnAddress: own.isOwnAddress };
  const hosts = [
    ...spellings("127.0.0.1"),
    ...spellings("127.9.9.9"),
    ...spellings("0.0.0.0"),
    "[::1]",
    "[::]",
    "localhost",
    "LocalHost.",
  ];
  for (const host of hosts) {
    expect
      .soft(checkEndpointPolicy(`http://${host}:8001/evaluate`, local), host)
      .toMatchObject({ ok: false, reason: "address" });
    expect.soft(checkEndpointPolicy(`http://${host}:8000/`, local).ok, host).toBe(true);
  }
  expect(checkEndpointPolicy("http://192.168.1.5:8001/", local).ok).toBe(true);
});

const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);

test("has no own address before the service listens", () => {
  expect(createOwnAddresses().isOwnAddress({ host: "127.0.0.1", port: 8001 })).toBe(false);
});

test("recognizes every spelling of this machine at its port only", () => {
  const own = createOwnAddresses();
  own.add({ host: "127.0.0.1", port: 8001 });
  for (const host of [
    "127.0.0.1",
    "127.1.2.3",
    "::1",
    "::",
    "0.0.0.0",
    "localhost",
    "x.localhost",
    "::ffff:127.0.0.1",
  ]) {
    expect.soft(own.isOwnAddress({ host, port: 8001 }), host).toBe(true);
    expect.soft(own.isOwnAddress({ host, port: 8000 }), host).toBe(false);
  }
  expect(own.isOwnAddress({ host: "example.com", port: 8001 })).toBe(false);
});

test("recognizes the network addresses of a service on all interfaces", () => {
  const own = createOwnAddresses();
  own.add({ host: "0.0.0.0", port: 8001 });
  for (const { address, family } of others) {
    const spellings =
      family === "IPv4" ? [address, new URL(`http://[::ffff:${address}]`).hostname.slice(1, -1)] : [address];
    for (const host of spellings) expect.soft(own.isOwnAddress({ host, port: 8001 }), host).toBe(true);
  }
  expect(own.isOwnAddress({ host: "203.0.113.77", port: 8001 })).toBe(false);
});
