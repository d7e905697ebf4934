import { expect, test } from "vitest";
import { Secret } from "../../../base/secret.ts";
import { generateKey } from "../auth/key-store.ts";
import { createScrubber, scrub } from "./scrub.ts";

const value = "canary/sécret+42 value";
const clean = createScrubber([new Secret(value)]);

test.each([
  ["plain", value],
  ["URL", encodeURIComponent(value)],
  ["form", new URLSearchParams({ value }).toString()],
  ["JSON", JSON.stringify({ message: `refused: ${value}` })],
  ["base64", Buffer.from(value).toString("base64")],
  ["base64url", Buffer.from(value).toString("base64url")],
  ["Basic", Buffer.from(`u:${value}`).toString("base64")],
  ["Basic with a longer name", Buffer.from(`us:${value}:x`).toString("base64")],
  ["hex", Buffer.from(value).toString("hex")],
])("removes a known secret in its %s form", (_name, text) => {
  const result = clean(`before ${text} after`);
  expect(result).toContain("[redacted]");
  expect(result).toMatch(/^before .* after$/);
  for (const part of [value, "canary", encodeURIComponent(value)]) expect(result).not.toContain(part);
});

test("removes all of a secret that begins like another one", () => {
  const both = createScrubber([new Secret("canary"), new Secret("canary-and-more")]);
  expect(both("before canary-and-more after")).toBe("before [redacted] after");
});

test.each([
  ["Authorization: Bearer abc.def-ghi_jkl", "Authorization: Bearer [redacted]"],
  ["key sk-proj-abcdefghijklmnopqrstuvwx here", "key [redacted] here"],
  ["token hf_abcdefghijklmnopqrstuvwx", "token [redacted]"],
  ["https://user:pa55word@host/path", "https://user:[redacted]@host/path"],
  ["GET /x?api_key=abcdef123&y=1", "GET /x?api_key=[redacted]&y=1"],
  ['{"x-api-key":"abcdef123"}', '{"x-api-key":"[redacted]"}'],
  ["POST http://h/worlds/TTpG7EsKATxUdj0Hc85hWIyd6z_bOUjGm0NwmoUpDTU/mcp", "POST http://h/worlds/[redacted]/mcp"],
  [
    "world=http%3A%2F%2Fh%2Fworlds%2FTTpG7EsKATxUdj0Hc85hWIyd6z%2Fmcp",
    "world=http%3A%2F%2Fh%2Fworlds%2F[redacted]%2Fmcp",
  ],
  [
    '{"url":"http:\\/\\/h\\/worlds\\/TTpG7EsKATxUdj0H.c85hWI\\/mcp"}',
    '{"url":"http:\\/\\/h\\/worlds\\/[redacted]\\/mcp"}',
  ],
  ["examples/worlds/orders.yaml", "examples/worlds/orders.yaml"],
  ['{"body":"{\\"password\\":\\"hunter22\\"}"}', '{"body":"{\\"password\\":\\"[redacted]\\"}"}'],
])("removes text that looks like a key: %s", (text, expected) => {
  expect(scrub(text)).toBe(expected);
});

test("removes a generated key anywhere in a text", () => {
  expect(scrub(`{"path":"/runs/${generateKey().key}","status":404}`)).toBe('{"path":"/runs/[redacted]","status":404}');
});

test("keeps ordinary text, also with a very short secret", () => {
  const text =
    '{"level":"info","path":"/runs/018f-sk-1","msg":"the basic information, a secretary and https://host:8000/a@b"}';
  expect(createScrubber([new Secret("info")])(text)).toBe(text);
});
