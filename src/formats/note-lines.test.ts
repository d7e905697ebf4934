import fc from "fast-check";
import { expect, test } from "vitest";
import { importScenarios } from "./import-scenarios.ts";
import { jsonLinesOf } from "./json-lines-of.ts";
import { withLines } from "./note-lines.ts";
import { readDocument } from "./read-document.ts";
import { pointerTo } from "./records.ts";

const note = (pointer: string) => ({ kind: "dropped" as const, pointer, message: "…" });
const linesOf = (pointers: readonly string[], text: string, syntax: "json" | "yaml") =>
  withLines(pointers.map(note), readDocument(text, syntax)).map(({ line }) => line);

test("a note about JSON has the line its place begins on, or that of what is around it", () => {
  const text = '{\n  "a": [\n    1,\n    {"b/c": "\\"{[,:",\n     "d": 2}\n  ]\n}';
  expect(linesOf(["/a", "/a/0", "/a/1", "/a/1/b~1c", "/a/1/d", "/a/1/missing/x", "/z"], text, "json")).toEqual([
    2, 3, 4, 4, 5, 4, 1,
  ]);
  expect(linesOf(["/0", "/1", "/2"], '[\n{},\n"x",\n2]', "json")).toEqual([2, 3, 4]);
});

test("a note about YAML has its line too, in any of the file's documents", () => {
  const text = "# head\na:\n  - one\n  - b: {c: two}\nd: |\n  text\n";
  expect(linesOf(["/a/0", "/a/1/b/c", "/a/1/b/x", "/d"], text, "yaml")).toEqual([3, 4, 4, 5]);
  expect(linesOf(["/0/a", "/1/b", "/1/c"], "a: 1\n---\nx: 0\nb: 2\n", "yaml")).toEqual([1, 4, 3]);
});

test("notes that have a line keep it", () => {
  const kept = { ...note("/a"), line: 7 };
  expect(withLines([kept], readDocument('{"a":1}', "json"))).toEqual([kept]);
});

test.each([
  ["ADK's oldest files", [{ query: "Hi" }, { query: "Find it", expected_tool_use: [{ tool_name: "find" }] }], "/1"],
  ["DeepEval's goldens", [{ input: "Hi", additional_metadata: { source: "web" } }], "/0/additional_metadata"],
])("what is said of %s is said of a place they have", (_name, file, pointer) => {
  const text = JSON.stringify(file, null, 2);
  const line = jsonLinesOf(text, new Set([pointer])).get(pointer);
  expect(importScenarios({ text }).notes).toMatchObject([{ pointer, line }]);
});

test("every place of any JSON is found on the line where it stands", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const places = [...placesIn(value)];
      const lines = jsonLinesOf(JSON.stringify(value, null, 2), new Set(places));
      expect(places.filter((pointer) => !lines.has(pointer))).toEqual([]);
      // Indented by two, every value has a line of its own, in the order of the text.
      expect([...lines.values()]).toEqual([...lines.values()].toSorted((left, right) => left - right));
    }),
    { numRuns: 100 },
  );
});

function* placesIn(value: unknown, pointer = ""): Generator<string> {
  yield pointer;
  if (typeof value !== "object" || value === null) return;
  for (const [step, item] of Object.entries(value)) yield* placesIn(item, pointerTo(pointer, step));
}
