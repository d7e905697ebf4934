import { expect, test } from "vitest";
import { UserScorerSetting } from "../../../contract/schemas/scores/scorer-setting.ts";
import { importScenarios } from "../../import-scenarios.ts";
import { exportPromptfoo, toAssertion } from "./promptfoo.ts";

interface Exported {
  readonly tests: readonly { readonly vars: { readonly user_message: string } }[];
}

/** Names that promptfoo 0.123 finds in a variable; without a value for one of them, it sends the variable as written. */
const named = /\{\{[\s]*([^{}\s|"]+)[\s]*(?:\|[^}]+)?\}\}|\{%[\s]*(?:if|for)[\s]+([^{}\s]+)[\s]*.*?%\}/;

test.each([
  [
    "Dear {{ name }}, {% if x %}hello{% endif %}",
    'Dear {{ "{" }}{ name }}, {{ "{" }}% if x %}hello{{ "{" }}% endif %}',
  ],
  ["{% raw %}x{% endraw %}", '{{ "{" }}% raw %}x{{ "{" }}% endraw %}'],
  ["{{{a}}} {# note #}", '{{ "{" }}{{ "{" }}{a}}} {{ "{" }}# note {{ "#" }}}'],
  ["file:///etc/hosts", '{{ "" }}file:///etc/hosts'],
  ["a last line\n", 'a last line\n{{ "" }}'],
  ["{plain}", "{plain}"],
])("writes %j so that promptfoo reads it as text", (user_message, written) => {
  const scenario = { id: "s", description: "", interactions: [{ ...turn, user_message }] };
  const { text } = exportPromptfoo([scenario], "json");
  const variable = (JSON.parse(text) as Exported).tests[0]?.vars.user_message;
  expect(variable).toBe(written);
  expect(variable).not.toMatch(named);
  const { scenarios } = importScenarios({ text, name: "promptfooconfig.json" });
  expect(scenarios[0]?.interactions[0]?.user_message).toBe(user_message);
});

const turn = {
  id: "1",
  interaction_type: "opening",
  reference_reply: "",
  reference_metadata: {},
  agent_reply: "",
  generated_metadata: {},
};

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
])("converts %s for promptfoo; it matches %j: %j", (pattern, reply, isFound) => {
  expect(new RegExp(of({ type: "regex", pattern }).value as string).test(reply)).toBe(isFound);
});

test.each(["(?i)yes", "a(?i:b)", "(?U)a+", "\\p{L}+", "[[:alpha:]]", "\\x{1F600}", "[]a]", "[^]a]", "a\\C"])(
  "does not convert %s, which has no equivalent in JavaScript",
  (pattern) => {
    expect(of({ type: "regex", pattern })).toBeUndefined();
  },
);

test("exports an equals check unless it ignores case", () => {
  expect(of({ type: "equals", text: "yes", negate: true })).toEqual({ type: "not-equals", value: "yes" });
  expect(of({ type: "equals", text: "yes", ignore_case: true })).toBeUndefined();
});

test("exports a schema without its draft, and none that needs a later draft than 7", () => {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  expect(of({ type: "json_schema", schema: { $schema, type: "object" } })).toEqual({
    type: "is-json",
    value: { type: "object" },
  });
  expect(of({ type: "json_schema", schema: { prefixItems: [{ type: "string" }] } })).toBeUndefined();
  expect(of({ type: "json_schema", schema: { properties: { a: { $dynamicRef: "#a" } } } })).toBeUndefined();
});
