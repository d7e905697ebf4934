import { expect, test } from "vitest";
import { templatePieces, type TemplatePiece } from "./template-pieces.ts";

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
