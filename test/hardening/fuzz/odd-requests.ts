import fc, { type Arbitrary } from "fast-check";

const printable = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "?").trim());

/** Values of the wrong kind for a path, a query or a header. */
export const oddParameters: Arbitrary<string> = fc.oneof(
  printable,
  fc.constantFrom("", "0", "-1", "1e9", "../x", "%00", "a".repeat(300), "' OR '1'='1", "null", "true", "{}", "a,b,,c"),
);

/** Bodies that are no JSON, or JSON that means harm. */
export const oddBodies: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    "{",
    "null",
    "[]",
    "0",
    '"text"',
    "\uFEFF{}",
    '{"a":1,"a":2}',
    `${"[".repeat(40)}${"]".repeat(40)}`,
    `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"a":1e400}',
    '{"a":"\\ud800"}',
    "{'a':1}",
    '{"a":NaN}',
    "{}{}",
  ),
  fc.string({ maxLength: 200 }),
);

export const oddContentTypes: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ "content-type": "application/json" }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      {},
      { "content-type": "text/plain" },
      { "content-type": "application/x-www-form-urlencoded" },
      { "content-type": "multipart/form-data; boundary=x" },
      { "content-type": "application/json; charset=utf-16" },
      { "content-type": "application/jsonx" },
      { "content-type": "application/json", "content-encoding": "gzip" },
    ),
  },
);
