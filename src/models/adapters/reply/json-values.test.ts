import { expect, test } from "vitest";
import { parseJson } from "./json-values.ts";

test.each([
  ['{"a":NaN,"b":[-Infinity,Infinity]}', { a: null, b: [null, null] }],
  ['{"a":"NaN \\" -Infinity","b":NaN}', { a: 'NaN " -Infinity', b: null }],
  ['{"NaN":"\\\\","b":NaN}', { NaN: "\\", b: null }],
  ['{"a":NaN,"b":"never ends', undefined],
  ['{"a":NaN,"b":"\\', undefined],
  ["NaNNaN", undefined],
])("reads bare NaN and Infinity as null outside strings: %s", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test.each([
  ["ends", '"}', { a: null, b: '"'.repeat(4_000_000) }],
  ["never ends", "", undefined],
])("reads a string of millions of escaped quotes that %s in linear time", (_, end, value) => {
  expect(parseJson(`{"a":NaN,"b":"${'\\"'.repeat(4_000_000)}${end}`)).toEqual(value);
});
