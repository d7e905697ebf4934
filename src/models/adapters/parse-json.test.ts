import { expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";

test.each([
  ['{"a":NaN,"b":[-Infinity,Infinity]}', { a: null, b: [null, null] }],
  ['{"a":"NaN \\" -Infinity","b":NaN}', { a: 'NaN " -Infinity', b: null }],
  ['{"NaN":"\\\\","b":NaN}', { NaN: "\\", b: null }],
  ['{"a":NaN,"b":"never ends', undefined],
  ['{"a":NaN,"b":"\\', undefined],
  ["NaNNaN", undefined],
])("a bare number that JSON does not know is null, in a text it stays: %s", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test.each([
  ["ends", '"}', { a: null, b: '"'.repeat(4_000_000) }],
  ["never ends", "", undefined],
])("a string of millions of escaped quotes that %s is read in good time", (_, end, value) => {
  expect(parseJson(`{"a":NaN,"b":"${'\\"'.repeat(4_000_000)}${end}`)).toEqual(value);
});
