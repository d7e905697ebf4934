import { expect, test } from "vitest";
import { importScenarios } from "../import-scenarios.ts";
import { exportPromptfoo } from "./promptfoo.ts";

interface Exported {
  readonly tests: readonly { readonly vars: { readonly user_message: string } }[];
}

/** Names that promptfoo 0.123 finds in a variable: where the test lacks one of them, the variable is sent as it is written. */
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
])("%j is a text for promptfoo, not a template", (user_message, written) => {
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
