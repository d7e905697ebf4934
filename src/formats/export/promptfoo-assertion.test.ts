import { expect, test } from "vitest";
import { UserScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { toAssertion } from "./promptfoo-assertion.ts";

const of = (check: object) => toAssertion(UserScorerSetting.parse(check), (text) => text) as { value?: unknown };

test.each([
  [String.raw`\bnumber \d+\.$`, "the\nnumber 7.\nis", true],
  [String.raw`^\d+$`, "first\n12\nlast", true],
  [String.raw`^\d+$`, "first\na 12\nlast", false],
  [String.raw`(?-m)^\d+$`, "first\n12\nlast", false],
  [String.raw`(?-m)^a|(?m:^)b(?m:$)`, "c\nb\nd", true],
  [String.raw`\AYes\. \(sure\)\z`, "Yes. (sure)", true],
  [String.raw`\AYes`, "Oh, Yes", false],
  [String.raw`(?P<year>\d{4})-[\d-]+`, "on 2024-05-06", true],
  [String.raw`\Qa.b[^$\E$`, "a.b[^$", true],
  [String.raw`[^$\]]+\^`, "a^", true],
])("promptfoo finds %s in %j: %j", (pattern, reply, isFound) => {
  expect(new RegExp(of({ type: "regex", pattern }).value as string).test(reply)).toBe(isFound);
});

test.each(["(?i)yes", "a(?i:b)", "(?U)a+", "\\p{L}+", "[[:alpha:]]", "\\x{1F600}", "[]a]", "[^]a]", "a\\C"])(
  "the pattern %s has no form in JavaScript",
  (pattern) => {
    expect(of({ type: "regex", pattern })).toBeUndefined();
  },
);

test("a text the reply equals goes out unless case is ignored, which promptfoo cannot", () => {
  expect(of({ type: "equals", text: "yes", negate: true })).toEqual({ type: "not-equals", value: "yes" });
  expect(of({ type: "equals", text: "yes", ignore_case: true })).toBeUndefined();
});

test("a schema goes without the name of its draft, and one of a later draft than 7 not at all", () => {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  expect(of({ type: "json_schema", schema: { $schema, type: "object" } })).toEqual({
    type: "is-json",
    value: { type: "object" },
  });
  expect(of({ type: "json_schema", schema: { prefixItems: [{ type: "string" }] } })).toBeUndefined();
  expect(of({ type: "json_schema", schema: { properties: { a: { $dynamicRef: "#a" } } } })).toBeUndefined();
});
