import { expect, test } from "vitest";
import { fillPrompt, promptTemplate } from "./read-prompt.ts";
import { renderTemplate } from "./render-template.ts";

test.each([
  ["Hello {{ name }}!", "Hello Ann!"],
  ["{{user.city|upper}}", "ROME"],
  ["{{ user | dump }}", '{"city":"Rome"}'],
  ["{% raw %}{{ name }}{% endraw %}", "{{ name }}"],
  ["a{# secret #}b", "ab"],
  ["{% if name %}yes{% else %}no{% endif %}", "yes"],
  ["{% if not name %}yes{% elif user %}maybe{% else %}no{% endif %}", "maybe"],
  ["{% for c in _conversation %}{{ c.input }}{% endfor %}now", "now"],
])("%s → %s", (template, text) => {
  expect(renderTemplate(template, { name: "Ann", user: { city: "Rome" } })).toMatchObject({
    text,
    unknown: [],
    missing: [],
  });
});

test("what is not understood is named, and so is a variable without a value", () => {
  const { unknown, missing } = renderTemplate("{{ a }} {{ b() }} {% for x in list %}{% endfor %} {{ c | sort }}", {
    c: 1,
  });
  expect(missing).toEqual(["a"]);
  expect(unknown).toEqual(["{{ b() }}", "{% for x in list %}", "filter sort"]);
});

test("inherited properties are no variables", () => {
  expect(renderTemplate("{{ constructor }}{{ a.toString }}", { a: {} }).missing).toEqual(["constructor", "a.toString"]);
});

test("values keep a chat prompt in one piece, whatever is in them", () => {
  const vars = { question: 'He said "no"\n{}' };
  for (const template of [
    '[{"role":"user","content":"{{question}}"}]',
    '[{"role":"user","content":{{ question | dump }}}]',
    "- role: user\n  content: '{{question}}'",
  ]) {
    expect(fillPrompt(template, vars).messages).toEqual([{ role: "user", content: vars.question }]);
  }
});

test("files are not taken for prompts", () => {
  expect(["file://a.txt", "prompts/a.json", "a.py:run", { id: "file://x" }].map(promptTemplate)).toEqual(
    Array(4).fill(undefined),
  );
  expect(["Say hi", { raw: "Say {{x}}" }].map(promptTemplate)).toEqual(["Say hi", "Say {{x}}"]);
});
