import fc from "fast-check";
import { expect, test } from "vitest";
import { isRecord } from "../../../base/json.ts";
import { GrowingJson } from "./streamed-reply.ts";
import { parseJson } from "../reply/json-values.ts";

function grown(pieces: readonly string[]): GrowingJson {
  const json = new GrowingJson();
  for (const piece of pieces) json.add(piece);
  return json;
}

test("recognizes a whole object at its last bracket, wherever the text is cut", () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 7 }), (object, size) => {
      const json = new GrowingJson();
      const pieces = ` ${JSON.stringify(object)}\n`.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const unlike = pieces.filter((piece) => {
        json.add(piece);
        return json.isWhole !== isRecord(parseJson(json.text));
      });
      expect(unlike).toEqual([]);
    }),
  );
});

test.each([
  ["nothing", [], false],
  ["another kind of value", ['"{}"'], false],
  ["a list", ["[1, 2]"], false],
  ["brackets inside a text", ['{"a": "}', '\\"}'], false],
  ["what is no JSON between its brackets", ["{a: 1}"], false],
  ["a second object after the first", ["{}", "{}"], false],
  ["one bracket too many", ["{}", "}"], false],
  ["white space after it", ['{"a": {}}', " \n"], true],
])("%s", (_name, pieces, isWhole) => {
  expect(grown(pieces).isWhole).toBe(isWhole);
});
