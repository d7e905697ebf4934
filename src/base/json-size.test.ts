import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonStart, measureJson } from "./json-size.ts";

const none = { characters: Infinity, values: Infinity, depth: Infinity };

test("counts the characters of any JSON value as it would be written", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(measureJson(value, none)?.characters).toBe(text.length);
      expect(measureJson(value, { ...none, characters: text.length })).not.toBeNull();
      expect(measureJson(value, { ...none, characters: text.length - 1 })).toBeNull();
    }),
  );
  expect(measureJson({ a: [1, { b: "ü\n" }], c: undefined }, none)).toEqual({ characters: 21, values: 5, depth: 3 });
});

test("counts a shared part each time, and stops at the limit", () => {
  let doubled: unknown = "x".repeat(10);
  for (let level = 0; level < 60; level += 1) doubled = [doubled, doubled];
  expect(measureJson(doubled, { ...none, characters: 1_000_000 })).toBeNull();
  expect(measureJson(doubled, { ...none, values: 1_000_000 })).toBeNull();
  expect(measureJson(doubled, { ...none, depth: 60 })).not.toBeNull();
  expect(measureJson(doubled, { ...none, depth: 59 })).toBeNull();
});

test("writes the start of a value without writing the rest", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(30), (value, characters) => {
      const [text, start] = [JSON.stringify(value), jsonStart(value, characters)];
      expect(start.slice(0, characters)).toBe(text.slice(0, characters));
      expect(start.length > characters || start === text).toBe(true);
    }),
  );
  let doubled: unknown = [1];
  for (let level = 0; level < 60; level += 1) doubled = [doubled, doubled];
  expect(jsonStart(doubled, 100).length).toBeLessThan(300);
});
