import { expect, test } from "vitest";
import { fillPrompt, promptTemplate } from "./read-prompt.ts";
import { renderTemplate, templatePieces, type TemplatePiece } from "./render-template.ts";

test.each([
  ["Hello {{ name }}!", "Hello Ann!"],
  ["{{user.city|upper}}", "ROME"],
  ["{{ user | dump }}", '{"city":"Rome"}'],
  ["{% raw %}{{ name }}{% endraw %}", "{{ name }}"],
  ["a{# secret #}b", "ab"],
  ["{% if name %}yes{% else %}no{% endif %}", "yes"],
  ["{% if not name %}yes{% elif user %}maybe{% else %}no{% endif %}", "maybe"],
  ["{% for c in _conversation %}{{ c.input }}{% endfor %}now", "now"],
  ["{{ nobody | default('someone') }}, {{ '' | default('x', true) }}", "someone, x"],
  ["{{ list | join(', ') }} {{ list[1] }} {{ list | length }} {{ user['city'] | lower }}", "a, b b 2 rome"],
  ["{% if user.city == 'Rome' and 'a' in list %}yes{% endif %}{{ 'no' if not name }}", "yes"],
  ["{% if nobody is defined or list.length > 2 %}yes{% elif 3 * 2 >= 6 %}six{% endif %}", "six"],
  ["{% for entry in list %}{{ loop.index }}{{ entry }}{% if not loop.last %}, {% endif %}{% endfor %}", "1a, 2b"],
  ["{% for key, value in user %}{{ key ~ '=' ~ value }}{% endfor %}", "city=Rome"],
  ["- {%- for entry in list %} {{ entry | upper }} {%- endfor %}.", "- A B."],
  ["{{ (stored | load).id }} {{ name | replace('A', 'E') | title }}", "7 Enn"],
])("%s → %s", (template, text) => {
  const vars = { name: "Ann", user: { city: "Rome" }, list: ["a", "b"], stored: '{"id": 7}' };
  expect(renderTemplate(template, vars)).toMatchObject({
    text,
    unknown: [],
    missing: [],
  });
});

test("what is not understood is named, and so is a variable without a value", () => {
  const { unknown, missing } = renderTemplate(
    "{{ a.b }} {{ b() }} {% set x = 1 %} {{ c | sort }} {% if c ** 2 %}{% endif %} {% if a %}{{ d() }}{% endif %}",
    { c: 1 },
  );
  expect(missing).toEqual(["a.b"]);
  expect(unknown).toEqual(["{{ b() }}", "{% set x = 1 %}", "filter sort", "{% if c ** 2 %}"]);
});

test("a short template cannot keep us busy", () => {
  const nested = "{% for a in list %}".repeat(9);
  const { unknown } = renderTemplate(nested, { list: Array.from({ length: 1000 }, () => "x") });
  expect(unknown).toEqual(["more than 10000 rounds of a loop"]);
  expect(renderTemplate("{% if a %}".repeat(100_000), { a: 1 }).unknown.length).toBeGreaterThan(0);
  for (const start of [
    "(".repeat(100_000),
    "(".repeat(990),
    "[".repeat(990),
    "a[".repeat(450),
    "a if a else ".repeat(80),
  ])
    expect(renderTemplate(`{{ ${start} }}`, {}).unknown).toHaveLength(1);
  const growing = `{{ 'aa' ${"| replace('a', 'aaaaaaaaaaaaaaaaaaaa') ".repeat(24)}}}`;
  expect(renderTemplate(growing, {}).unknown).toEqual(["filter replace"]);
  expect(renderTemplate(`{{ ${"not ".repeat(240)}a }}`, { a: 1 }).text).toBe("true");
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

const told = (template: string): string[] =>
  [...templatePieces(template)]
    .filter(({ content }) => content !== "")
    .map(({ kind, content }: TemplatePiece) => `${kind} ${content}`);

test.each([
  ["a {{ b }} c", ["text a ", "output b", "text  c"]],
  ["{{- a -}}{%- if b -%}c", ["output a", "tag if b", "text c"]],
  ["a{# {{ b }} #}c", ["text a", "text c"]],
  ["{% raw %}{{ a }}{%- endraw -%}b", ["raw {{ a }}", "text b"]],
  ["{% raw %}endraw {% endraw %}b", ["raw endraw ", "text b"]],
  ["{% raw %}{{ a }}", ["tag raw", "output a"]],
  ["a {%- if b -%} c {{ d -}} e", ["text a", "tag if b", "text c ", "output d", "text e"]],
  ["{{ a", ["text {{ a"]],
  ["{# {{ a }}", ["text {# ", "output a"]],
  ["{{{ a }}}", ["output { a", "text }"]],
])("%j", (template, pieces) => expect(told(template)).toEqual(pieces));

test.each(["{{", "{%", "{#", "{% raw %}", "{{-", "{% if x"])("%j without an end takes no second look", (opening) => {
  const looks: string[] = [];
  const template = new String(opening.repeat(1000));
  template.indexOf = (wanted: string, after?: number) => {
    looks.push(wanted);
    return String.prototype.indexOf.call(template, wanted, after);
  };
  expect([...templatePieces(template as string)].map(({ content }) => content).join("")).not.toBe("");
  const closed = opening.includes("}") ? 1000 : 0;
  expect(looks.length).toBeLessThanOrEqual(closed + 3);
});
