import { expect, test } from "vitest";
import { createSecretRedactor, redactSecrets } from "./redact-secrets.ts";
import { Secret } from "./secret.ts";

const key = 'a+b/c=="d e\\é';

test.each([
  ["as it is", key],
  ["in a link", new URLSearchParams({ key }).toString().slice("key=".length)],
  ["in part of a path", encodeURIComponent(key)],
  ["in a link with small letters", encodeURIComponent(key).toLowerCase()],
  ["in a link that escapes no more than it must", "a%2Bb/c==%22d%20e%5C%C3%A9"],
  ["in JSON", JSON.stringify(key).slice(1, -1)],
  ["in JSON with escaped slashes", JSON.stringify(key).slice(1, -1).replaceAll("/", "\\/")],
  ["in JSON in JSON", JSON.stringify(JSON.stringify({ key })).slice('"{\\"key\\":\\"'.length, -'\\"}"'.length)],
  ["in JSON three times", JSON.stringify(JSON.stringify(JSON.stringify(key))).slice(7, -7)],
  ["in a link in a link", encodeURIComponent(encodeURIComponent(key))],
  ["in HTML", key.replaceAll('"', "&quot;")],
  ["in HTML by numbers", key.replaceAll(/[^a-z]/g, (character) => `&#${character.codePointAt(0)};`)],
  ["in HTML by hex numbers", key.replaceAll(/\W/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`)],
  ["in JSON of plain ASCII", 'a\\u002bb\\/c\\u003d\\u003D\\"d e\\\\\\u00E9'],
])("redacts a key %s", (_, written) => {
  expect(redactSecrets(`before ${written} after`, [new Secret(key)])).toBe("before [redacted] after");
});

test.each([
  ["base64", Buffer.from(key).toString("base64")],
  ["base64 of more than the key", Buffer.from(`user:${key}`).toString("base64")],
  ["base64 for an address", Buffer.from(`u:${key}:x`).toString("base64url")],
  ["hex", Buffer.from(key).toString("hex")],
  ["hex in capitals", Buffer.from(key).toString("hex").toUpperCase()],
])("redacts a key in %s", (_, written) => {
  const clean = redactSecrets(`before ${written} after`, [new Secret(key)]);
  expect(clean).toMatch(/^before [\w+/-]{0,8}\[redacted\][\w+/=-]{0,6} after$/);
});

test("redacts base64 in a link", () => {
  const binary = "~~~???~~~???>>>";
  const encoded = Buffer.from(binary).toString("base64");
  expect(encoded).toMatch(/[+/]/);
  const [redactor, link] = [createSecretRedactor([new Secret(binary)]), encodeURIComponent(encoded)];
  expect(redactor.text(`?auth=${link}&x=1`)).toBe("?auth=[redacted]&x=1");
  expect(redactor.text(JSON.stringify({ auth: encoded }).replaceAll("/", "\\/"))).toBe('{"auth":"[redacted]"}');
});

test("redacts texts and names of a JSON value, and leaves it a JSON value", () => {
  const { value } = createSecretRedactor([new Secret("nabcdef")]);
  const given = { text: "\nabcdef", nabcdef: [1, null, true, { arguments: '{"a":"nabcdef"}' }] };
  expect(value(given)).toEqual({
    text: "\nabcdef",
    "[redacted]": [1, null, true, { arguments: '{"a":"[redacted]"}' }],
  });
});

test.each([1, 2, 7, 1_000])("redacts a text that comes in pieces of %i characters", (size) => {
  const secrets = [new Secret(key), new Secret("canary-and-more")];
  const encoded = Buffer.from(key).toString("hex");
  const text = `${"a+".repeat(300)}${key}b${JSON.stringify(key)} ${encoded}${"x".repeat(900)}canary-and-mor`;
  const written: string[] = [];
  const stream = createSecretRedactor(secrets).stream((piece) => written.push(piece));
  for (let at = 0; at < text.length; at += size) stream.add(text.slice(at, at + size));
  stream.end();
  expect(written.join("")).toBe(redactSecrets(text, secrets));
  expect(written.join("")).toContain('[redacted]b"[redacted]" [redacted]xxx');
  // A long text is not held back until its end.
  expect(written.length).toBeGreaterThan(size === 1_000 ? 1 : 2);
});

test("takes time proportional to the text", () => {
  const { text, stream } = createSecretRedactor([
    new Secret('\\"\\\\"&%25%&amp;\\"'),
    new Secret("a-secret/of+the=target"),
  ]);
  for (const piece of ["\\", "%25", "&amp;", '\\"', "a-secret/", "&#0000"]) {
    const long = piece.repeat(200_000);
    expect(text(long)).toBe(long);
    const pieces = stream(() => {});
    for (let at = 0; at < 20_000; at += 1) pieces.add(piece);
    pieces.end();
  }
});

test("redacts all of a key that begins like another one", () => {
  const secrets = [new Secret("canary"), new Secret("canary-and-more")];
  expect(redactSecrets("before canary-and-more after", secrets)).toBe("before [redacted] after");
});

test("redacts the lines of a multi-line key one by one", () => {
  const pem = "-----BEGIN KEY-----\nabcdefgh\nijklmnop\n-----END KEY-----";
  expect(redactSecrets("error in abcdefgh", [new Secret(pem)])).toBe("error in [redacted]");
});

test("redacts a key without its scheme, and nothing else", () => {
  const secrets = [new Secret("Bearer abc.def-123"), new Secret("short")];
  expect(redactSecrets("Bearer abc.def-123, abc.def-123, abc%2Edef-123", secrets)).toBe(
    "[redacted], [redacted], [redacted]",
  );
  expect(redactSecrets("abcxdef-123, ABC.DEF-123, short, Bearer", secrets)).toBe(
    "abcxdef-123, ABC.DEF-123, short, Bearer",
  );
});
