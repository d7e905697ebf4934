import { expect, test } from "vitest";
import { parsePythonLiteral } from "./python-literal.ts";

test.each<[string, unknown]>([
  ["[{'a': 1, 'b': [True, False, None]}]", [{ a: 1, b: [true, false, null] }]],
  [
    String.raw`['it\'s', "\"q\"", 'a\nb', 'caf\xe9 \u20ac \U0001f600', 'C:\\d', '\d']`,
    ["it's", '"q"', "a\nb", "café € 😀", "C:\\d", "\\d"],
  ],
  ["[{'a': 1}\n {'a': -2.5e3}]", [{ a: 1 }, { a: -2500 }]],
  ["(1, 'two',)", [1, "two"]],
  ["{}", {}],
  ["[]", []],
])("parses %j as %j", (text, value) => {
  expect(parsePythonLiteral(text)).toEqual(value);
});

test.each(["", "[1", "['a]", "{'a'}", "{1: 2}", "[a]", "[1] 2", "[nan]", "[x()]"])(
  "rejects %j, which is not a literal",
  (text) => {
    expect(parsePythonLiteral(text)).toBeUndefined();
  },
);

test("rejects endless nesting and invalid characters", () => {
  expect(parsePythonLiteral("[".repeat(50_000))).toBeUndefined();
  expect(parsePythonLiteral(String.raw`['\U99999999']`)).toEqual([String.raw`\U99999999`]);
});

test("reads a key that objects inherit", () => {
  expect(JSON.stringify(parsePythonLiteral("{'__proto__': {'a': 1}}"))).toBe('{"__proto__":{"a":1}}');
});
