import { expect, test } from "vitest";
import { Secret } from "../../base/secret.ts";
import { redactSecrets } from "./redact-secrets.ts";

const key = 'a+b/c=="d e\\é';

test.each([
  ["as it is", key],
  ["in a link", new URLSearchParams({ key }).toString().slice("key=".length)],
  ["in part of a path", encodeURIComponent(key)],
  ["in a link with small letters", encodeURIComponent(key).toLowerCase()],
  ["in a link that escapes no more than it must", "a%2Bb/c==%22d%20e%5C%C3%A9"],
  ["in JSON", JSON.stringify(key).slice(1, -1)],
  ["in JSON with escaped slashes", JSON.stringify(key).slice(1, -1).replaceAll("/", "\\/")],
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
