import { expect, test } from "vitest";
import { fillPrompt, promptTemplate } from "./config.ts";
import { renderTemplate, splitTemplate, type TemplatePiece } from "./render-template.ts";

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
  ["{% for entry in [] %}{{ entry }}{% else %}none{% endfor %}{% set city = user.city %} {{ city }}", "none Rome"],
  ["{% if name === 'Ann' %}a{% endif %}{% if count === '7' %}b{% elseif count == '7' %}c{% endif %}", "ac"],
  ["{{ 'yes' if [] else 'no' }}{% if nobody > 3 or name < 'B' %}!{% endif %}{{ count / 2 }} {{ 4 / 2 }}", "yes!3.5 2"],
  ["{{ größe }}{{ nothing | default('x') }}", "L"],
  ["{{ (stored | load).id }} {{ name | replace('A', 'E') | title }}", "7 Enn"],
])("%s → %s", (template, text) => {
  const vars = {
    name: "Ann",
    user: { city: "Rome" },
    list: ["a", "b"],
    stored: '{"id": 7}',
    count: 7,
    größe: "L",
    nothing: null,
  };
  expect(renderTemplate(template, vars)).toMatchObject({
    text,
    unknown: [],
    missing: [],
  });
});

test.each([
  ["{{ b() }}", "b()"],
  ["{{ a.b.c() }}", "a.b.c()"],
  ["{{ a | sort }}", "filter sort"],
  ["{% macro m() %}x{% endmacro %}", "{% macro %}"],
  ["{{ b ~ 'x' }}", "tags that cannot be read or evaluated"],
  ["{% if a %}", "tags that cannot be read or evaluated"],
])("reports %s instead of running it", (template, unknown) => {
  expect(renderTemplate(template, { a: { b: 1 } })).toMatchObject({ text: template, unknown: [unknown] });
});

test("reports variables without a value, except those a condition tests", () => {
  const template =
    "{{ a.b }}{% if c %}{{ d }}{% endif %}{{ e | default('') }}{{ f is defined }}{% for x in g %}{% endfor %}";
  expect(renderTemplate(template, {}).missing).toEqual(["a.b", "g"]);
});

test("limits the work of a template", () => {
  const refused = ["more than 1000000 characters or 100000 steps"];
  const list = Array.from({ length: 1000 }, () => "x");
  const double = (first: string, more: string, last: string): string =>
    `{% set a = ${first} %}${`{% set a = ${more} %}`.repeat(60)}${last}`;
  for (const template of [
    `${"{% for a in list %}".repeat(9)}${"{% endfor %}".repeat(9)}`,
    double("'ab'", "a ~ a", "{{ a | upper }}"),
    double("[1]", "a + a", "{{ a | length }}"),
    double("[1]", "[a, a]", "{{ a | dump }}"),
    `{{ 'aa' ${"| replace('a', 'aaaaaaaaaaaaaaaaaaaa') ".repeat(24)}}}`,
    `{{ [${"long,".repeat(150)}] | dump }}`,
    "{{ list | join(long) }}",
  ])
    expect(renderTemplate(template, { list, long: "x".repeat(100_000) }).unknown).toEqual(refused);
  for (const start of [
    "(".repeat(100_000),
    "(".repeat(990),
    "[".repeat(990),
    "a[".repeat(450),
    "a if a else ".repeat(80),
  ])
    expect(renderTemplate(`{{ ${start} }}`, {}).unknown).toHaveLength(1);
  expect(renderTemplate("{% if a %}".repeat(100_000), { a: 1 }).unknown).toHaveLength(1);
  expect(renderTemplate(`{{ ${"not ".repeat(240)}a }}`, { a: 1 }).text).toBe("true");
});

test("does not read inherited properties", () => {
  expect(renderTemplate("{{ constructor }}{{ a.toString }}", { a: {} }).missing).toEqual(["constructor", "a.toString"]);
});

test("keeps a chat prompt intact for any values", () => {
  const vars = { question: 'He said "no"\n{}' };
  for (const template of [
    '[{"role":"user","content":"{{question}}"}]',
    '[{"role":"user","content":{{ question | dump }}}]',
    "- role: user\n  content: '{{question}}'",
  ]) {
    expect(fillPrompt(template, vars).messages).toEqual([{ role: "user", content: vars.question }]);
  }
});

test("does not use file names as prompts", () => {
  expect(["file://a.txt", "prompts/a.json", "a.py:run", { id: "file://x" }].map(promptTemplate)).toEqual(
    Array(4).fill(undefined),
  );
  expect(["Say hi", { raw: "Say {{x}}" }].map(promptTemplate)).toEqual(["Say hi", "Say {{x}}"]);
});

const piecesOf = (template: string): string[] =>
  [...splitTemplate(template)]
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
])("splits %j", (template, pieces) => expect(piecesOf(template)).toEqual(pieces));

test.each(["{{", "{%", "{#", "{% raw %}", "{{-", "{% if x"])("scans %j without an end only once", (opening) => {
  const looks: string[] = [];
  const template = new String(opening.repeat(1000));
  template.indexOf = (wanted: string, after?: number) => {
    looks.push(wanted);
    return String.prototype.indexOf.call(template, wanted, after);
  };
  expect([...splitTemplate(template as string)].map(({ content }) => content).join("")).not.toBe("");
  const closed = opening.includes("}") ? 1000 : 0;
  expect(looks.length).toBeLessThanOrEqual(closed + 3);
});
