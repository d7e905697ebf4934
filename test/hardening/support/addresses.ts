/** Ways to write one IPv4 address that a URL parser reads as that address, or that carry it inside an IPv6 one. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => value.toString(16);
  const octal = (value: number) => `0${value.toString(8)}`;
  const tail = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
  const digits = (start: number) => address.replaceAll(/\d/g, (digit) => String.fromCodePoint(start + Number(digit)));
  const plain = [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number)}`,
    `0X${hex(number).toUpperCase()}`,
    octal(number),
  ];
  const parts = [
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map((part) => `0x${hex(part)}`).join("."),
    `${octal(a)}.${b}.0x${hex(c)}.${d}`,
    `${a}.${b * 65536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `000${octal(a)}.${b}.${c}.${d}`,
  ];
  const unicode = [digits(0xff10), digits(0x1d7ce), ...["。", "．", "｡"].map((stop) => address.replaceAll(".", stop))];
  const inIpv6 = [
    `[::ffff:${address}]`,
    `[::ffff:${tail}]`,
    `[0:0:0:0:0:ffff:${tail}]`,
    `[::FFFF:${tail.toUpperCase()}]`,
    `[::ffff:0:${tail}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${tail}]`,
    // The other layouts of RFC 6052: prefixes of 48, 56 and 64 bits.
    `[64:ff9b:1:${hex(a * 256 + b)}:${hex(c)}:${hex(d * 256)}::]`,
    `[64:ff9b:1:${hex(a)}:${hex(b)}:${hex(c * 256 + d)}::]`,
    `[64:ff9b:1:0:${hex(a)}:${hex(b * 256 + c)}:${hex(d * 256)}:0]`,
    `[2001:0:4136:e378:8000:63bf:${hex((255 - a) * 256 + 255 - b)}:${hex((255 - c) * 256 + 255 - d)}]`,
    `[2002:${tail}::1]`,
  ];
  return [...plain, ...parts, ...unicode, ...inIpv6];
}

export const loopbackHosts: readonly string[] = [
  ...new Set([
    ...spellings("127.0.0.1"),
    ...spellings("127.255.255.254"),
    ...spellings("0.0.0.0"),
    ..."127.1 0 0x7f.1 [::] [::1] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::7f00:1] localhost LOCALHOST localhost. a.localhost ｌocalhost".split(
      " ",
    ),
  ]),
];

export const privateHosts: readonly string[] = [
  ...spellings("10.0.0.1"),
  ...spellings("192.168.1.1"),
  ..."172.16.0.1 172.31.255.255 100.64.0.1 198.18.0.1 192.0.2.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255".split(
    " ",
  ),
  ..."[fc00::1] [fdff::1] [fec0::1] [ff02::1] [100::1] [2001:db8::1] [3fff::1] [2001::1]".split(" "),
];

export const metadataHosts: readonly string[] = [
  ...new Set([
    ...spellings("169.254.169.254"),
    ...spellings("169.254.0.1"),
    ...spellings("100.100.100.200"),
    ..."168.63.129.16 [fe80::1] [febf::1] [fd00:ec2::254] [fd20:ce::254] [::169.254.169.254] [::a9fe:a9fe]".split(" "),
    ..."[fd00:ec2::23] [fd00:c1::a9fe:a9fe] [fd00:100::100:200] [fd00:42::42] [fd00:a9fe:a9fe::1]".split(" "),
  ]),
];

/** Texts that are no endpoint, though a lenient reader would make one of them that leads to `host`. */
export const notEndpoints = (host: string): readonly string[] => [
  "",
  " ",
  "null",
  "example",
  host,
  `//${host}/v1`,
  "/v1",
  "http://",
  "http:///v1",
  `http:${host}`,
  `http:/${host}`,
  `http:\\\\${host}`,
  `http://example.com\\@${host}`,
  `http://example.com#@${host}`,
  `http://example.com@${host}`,
  `http://u:p@${host}/`,
  `http://@${host}/`,
  ` http://${host}/`,
  `http://${host}/ `,
  `\thttp://${host}`,
  `http://${host}\n`,
  `ht\ttp://${host}`,
  `http://${host}/\r\nx: y`,
  `http://${host}/\0`,
  `http://${host}/#`,
  `http://%31%32%37.0.0.1/`,
  "file:///etc/passwd",
  "ftp://x",
  "gopher://x",
  "unix:/run/x.sock",
  `ws://${host}`,
  `wss://${host}`,
  "blob:http://x/1",
  "javascript:alert(1)",
  "data:application/json,{}",
  "about:blank",
  `http+unix://${host}`,
  `httpss://${host}`,
  "mailto:a@b.c",
  "http://[::1",
  "http://[fe80::1%25eth0]/",
  "http://1.2.3.4.5/",
  "http://256.1.1.1/",
  "http://a:0/",
  "http://a:65536/",
  "http://a:x/",
  `http://${host}/${"a".repeat(2048)}`,
];
