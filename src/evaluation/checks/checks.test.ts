import { expect, test } from "vitest";
import { UserScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { prepareText } from "../../scoring/text/prepare-text.ts";
import { createCheck } from "./create-checks.ts";
import { compilePattern, PatternError } from "./compile-pattern.ts";

const call = { latency_ms: 900, first_token_ms: null, cost: null };

function check(setting: Record<string, unknown>, reply: string, references: string[] = [], figures = {}) {
  return createCheck(UserScorerSetting.parse(setting))({
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { ...call, ...figures },
  });
}

test.each([
  [{ type: "contains", text: "refund" }, "Your REFUND is on its way", 1],
  [{ type: "contains", text: "refund", ignore_case: false }, "Your REFUND is on its way", 0],
  [{ type: "contains", text: ["refund", "Friday"] }, "Your refund comes soon", 0],
  [{ type: "contains", text: ["refund", "Friday"], mode: "any" }, "Your refund comes soon", 1],
  [{ type: "contains", text: ["as an AI", "sorry"], mode: "none" }, "Your refund comes soon", 1],
  [{ type: "contains", text: "two words" }, "two\n  words", 1],
  [{ type: "contains", text: "don't know" }, "I don’t know", 1],
  [{ type: "contains", text: "don’t know", ignore_case: false }, "I don't know", 1],
  [{ type: "contains", text: "24-hour service" }, "We have a 24\u{2011}hour ser\u{AD}vice", 1],
  [{ type: "equals", text: "billing" }, "billing", 1],
  [{ type: "equals", text: "billing" }, "billing.", 0],
  [{ type: "equals", text: "billing" }, "Billing", 0],
  [{ type: "equals", text: "billing", ignore_case: true }, "Billing", 1],
  [{ type: "equals", text: "billing", negate: true }, "billing", 0],
  [{ type: "equals", text: "billing", negate: true }, " billing", 1],
  [{ type: "similarity", metric: "edit_similarity", reference: "sitting", threshold: 0.5 }, "kitten", 1],
  [{ type: "similarity", metric: "edit_similarity", reference: "sitting", threshold: 0.6 }, "kitten", 0],
  [{ type: "similarity", metric: "token_f1", reference: "two words" }, "two others", 0.5],
  [{ type: "regex", pattern: "\\b\\d{5}\\b" }, "order 48213", 1],
  [{ type: "regex", pattern: "^[\\u4e00-\\u9fa5]+$" }, "你好", 1],
  [{ type: "regex", pattern: "^yes", ignore_case: true }, "well\nYes", 1],
  [{ type: "regex", pattern: "sorry", negate: true }, "sorry", 0],
  [{ type: "numeric", expected: 25, tolerance: 0.5 }, "It is $25.40", 1],
  [{ type: "numeric", expected: 1, tolerance: 0.1 }, "1.1 seconds", 1],
  [{ type: "numeric", expected: 100, tolerance: 0.1, relative: true }, "110.000001", 0],
  [{ type: "numeric", expected: 1234.5 }, "exactly 1,234.50 dollars", 1],
  [{ type: "numeric", expected: 100, tolerance: 0.1, relative: true }, "about 91", 1],
  [{ type: "numeric", expected: 25 }, "none", 0],
  [{ type: "numeric", expected: 4 }, "on A4 paper", 0],
  [{ type: "length", min: 2, max: 3, unit: "words" }, "one two three", 1],
  [{ type: "length", max: 3 }, "four", 0],
  [{ type: "length", max: 1 }, "👍", 1],
  [{ type: "latency", max_ms: 1_000 }, "", 1],
  [{ type: "latency", max_ms: 500 }, "", 0],
])("%j of %j is %d", (setting, reply, value) => {
  expect(check(setting, reply).value).toBe(value);
});

test("similarity without its own reference uses the reference replies", () => {
  const setting = { type: "similarity", metric: "rouge_l", threshold: 0.9 };
  expect(check(setting, "in 5 days", ["tomorrow", "in 5 days"]).value).toBe(1);
  expect(check(setting, "in 5 days", ["in 6 days"])).toEqual({
    value: 0,
    reason: "rouge_l 0.667 (2 of 3 reference words in the same order among 3), at least 0.9 asked",
  });
  expect(check(setting, "in 5 days")).toEqual({ value: null, reason: "no reference reply" });
});

test("names a pattern that was not found", () => {
  const reason = String.raw`the pattern \b24 hours\b was not found`;
  expect(check({ type: "regex", pattern: String.raw`\b24 hours\b` }, "in one hour")).toEqual({ value: 0, reason });
});

test("returns null with a reason when a check cannot decide", () => {
  expect(check({ type: "cost", max: 1 }, "")).toEqual({ value: null, reason: "no price is known for this model" });
  expect(check({ type: "latency", max_ms: 1, of: "first_token" }, "").value).toBeNull();
  expect(check({ type: "numeric" }, "5", ["no figure"])).toMatchObject({ value: null });
  expect(check({ type: "cost", max: 0.01 }, "", [], { cost: 0.02 }).value).toBe(0);
});

test("expects the reference's number when none is given", () => {
  expect(check({ type: "numeric" }, "That makes 12.", ["It is 12 in all"]).value).toBe(1);
});

const schema = {
  type: "object",
  properties: { id: { type: "integer" }, code: { type: "string", pattern: "^(a+)+$" } },
  required: ["id"],
};

test.each([
  ['{"id": 3}', 1, "fits the schema"],
  ['```json\n{"id": 3}\n```', 1, "fits the schema"],
  ['```JSON\r\n{"id": 3}\r\n```\n', 1, "fits the schema"],
  ['\uFEFF{"id": 3}', 1, "fits the schema"],
  ['{"id": "3"}', 0, "/id must be integer"],
  ["{}", 0, "the reply must have required property 'id'"],
  ["Here it is: {}", 0, "the reply is not JSON"],
])("%j against a JSON schema is %d: %s", (reply, value, reason) => {
  expect(check({ type: "json_schema", schema }, reply)).toEqual({ value, reason });
});

test("keeps the patterns of a schema apart", () => {
  const two = { properties: { x: { pattern: "^a$" }, y: { pattern: "^b$" } } };
  expect(check({ type: "json_schema", schema: two }, '{"x": "a", "y": "b"}').value).toBe(1);
  expect(check({ type: "json_schema", schema: two }, '{"x": "a", "y": "a"}').value).toBe(0);
});

test.each(["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"])(
  "applies the rules of %s",
  ($schema) => {
    const tuple = { $schema, type: "array", items: [{ type: "string" }, { type: "integer" }] };
    expect(check({ type: "json_schema", schema: tuple }, '["a", 1]').value).toBe(1);
    expect(check({ type: "json_schema", schema: tuple }, '["a", "b"]').value).toBe(0);
  },
);

test("matches a schema's pattern against the whole text, not its lines", () => {
  const digits = { type: "string", pattern: "^\\d+$" };
  expect(check({ type: "json_schema", schema: digits }, '"12"').value).toBe(1);
  expect(check({ type: "json_schema", schema: digits }, '"12\\nand more"').value).toBe(0);
});

test.each([
  ["date", ["2024-02-29", "2000-02-29", "0004-02-29"], ["2023-02-29", "1900-02-29", "2024-13-01", "29.02.2024", ""]],
  ["time", ["10:00:00Z", "10:00:00.5+05:30", "23:59:60Z", "15:59:60-08:00"], ["10:00", "10:00:00", "10:00:60Z"]],
  ["date-time", ["2024-02-29T10:00:00Z", "2024-02-29t10:00:00z"], ["2024-02-29T10:00:00", "2023-02-29T10:00:00Z"]],
  ["duration", ["P1Y2M3DT4H5M6S", "P2W", "PT1H"], ["P", "PT", "P1YT", "P1D1Y", "P1WT1H", "1Y"]],
  ["email", ["ann@example.org", "a.b+c@d-e.co"], ["ann", "ann@example", "a..b@c.de", "@c.de", "a@b@c.de", "a@b.de."]],
  ["hostname", ["localhost", "a.example.org."], ["-a.de", "a..b", "a_b.de", "", "x".repeat(64)]],
  ["ipv4", ["0.0.0.0", "255.255.255.255"], ["256.1.1.1", "1.2.3", "1.2.3.4.", "01.2.3.4"]],
  [
    "ipv6",
    ["::", "fe80::1", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"],
    ["1::2::3", "12345::", "1:2:3:4:5:6:7", "fe80::1%eth0"],
  ],
  [
    "uri",
    ["https://a.b/c?d=e#f", "urn:isbn:1", "http://[::1]:80/%20"],
    ["/a", "http://a b", "http://a%zz", "http://[:1]/"],
  ],
  ["uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567e89b12d3a456426614174000", "order-1"]],
])("checks the format %s", (format, right, wrong) => {
  const scored = (texts: readonly unknown[]) =>
    texts.map((text) => [text, check({ type: "json_schema", schema: { format } }, JSON.stringify(text))]);
  const misfit = { value: 0, reason: `the reply must match format "${format}"` };
  expect(scored([...right, 5])).toEqual([...right, 5].map((text) => [text, { value: 1, reason: "fits the schema" }]));
  expect(scored(wrong)).toEqual(wrong.map((text) => [text, misfit]));
});

test("ignores unknown formats", () => {
  const schema = { $id: "not a uri", $comment: "x", type: "string", format: "color" };
  expect(check({ type: "json_schema", schema }, '"red"').value).toBe(1);
});

test("a price is a multiple of a cent", () => {
  const cents = { type: "number", multipleOf: 0.01 };
  expect(check({ type: "json_schema", schema: cents }, "19.99").value).toBe(1);
  expect(check({ type: "json_schema", schema: cents }, "19.995").value).toBe(0);
});

test("does not judge an endless schema or a reply nested too deeply", () => {
  const reason = "the schema refers to itself without end, or the reply is nested too deeply";
  expect(check({ type: "json_schema", schema: { $ref: "#" } }, "{}")).toEqual({ value: null, reason, failed: true });
  const nested = { type: "array", items: { $ref: "#" } };
  expect(check({ type: "json_schema", schema: nested }, "[[[]]]").value).toBe(1);
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  expect(check({ type: "json_schema", schema: nested }, deep)).toEqual({ value: null, reason, failed: true });
});

test("compiles a schema part once, even with a hundred references to it", () => {
  const named = (prefix: string, count: number, value: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, value]));
  const part = { properties: named("p", 500, { type: "string" }) };
  const schema = { $defs: { part }, properties: named("r", 500, { $ref: "#/$defs/part" }) };
  expect(check({ type: "json_schema", schema }, '{"r499": {"p499": 1}}')).toEqual({
    value: 0,
    reason: "/r499/p499 must be string",
  });
});

test("runs patterns in linear time, in schemas too, and refuses others", () => {
  const hostile = `${"a".repeat(50_000)}!`;
  expect(compilePattern("^(a+)+$").test(hostile)).toBe(false);
  expect(check({ type: "json_schema", schema }, JSON.stringify({ id: 1, code: hostile })).value).toBe(0);
  for (const pattern of ["(?=a)", "(?<!a)b", "(a)\\1", "[", "a{2000}"]) {
    expect(() => compilePattern(pattern)).toThrow(PatternError);
  }
});

test("ignores inherited properties of JavaScript objects", () => {
  const team = { type: "object", properties: { constructor: { type: "string" } } };
  expect(check({ type: "json_schema", schema: team }, "{}").value).toBe(1);
  expect(check({ type: "json_schema", schema: team }, '{"constructor": 1}').value).toBe(0);
  const needed = { ...team, required: ["constructor"] };
  expect(check({ type: "json_schema", schema: needed }, "{}").value).toBe(0);
  expect(check({ type: "json_schema", schema: needed }, '{"constructor": "Ferrari"}').value).toBe(1);
});
