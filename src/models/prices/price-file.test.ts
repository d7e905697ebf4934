import { expect, test } from "vitest";
import { parsePriceFile, readPriceFile } from "./price-file.ts";

test.each([
  ["YAML", "my-model: { input: 0.5, output: 1.5 }\nacme/other:\n  input: 0\n  output: 2\n"],
  ["JSON", '{ "my-model": { "input": 0.5, "output": 1.5 }, "acme/other": { "input": 0, "output": 2 } }'],
])("prices are read from %s", (_, text) => {
  expect(parsePriceFile(text, "prices")).toEqual(
    new Map([
      ["my-model", { input: 0.5, output: 1.5 }],
      ["acme/other", { input: 0, output: 2 }],
    ]),
  );
});

test.each(["", "# nothing yet\n", "{}"])("%j holds no prices", (text) => {
  expect(parsePriceFile(text, "prices").size).toBe(0);
});

test.each([
  ["- a", "p.yaml: must map model ids to { input, output }"],
  ["a: 3", "p.yaml: a: must be { input, output }"],
  ["a: { input: 1 }", "p.yaml: a.output: must be a number"],
  ["a: { input: cheap, output: 1 }", "p.yaml: a.input: must be a number"],
  ["a: { input: -1, output: 1 }", "p.yaml: a.input: must not be negative"],
  ["a: { input: .inf, output: 1 }", "p.yaml: a.input: must be a number"],
  [
    "a: { input: 1, output: 1, ouput: 2 }",
    "p.yaml: a: ouput is not one of input, output, cached_input, cache_write, cache_write_1h",
  ],
  ['"": { input: 1, output: 1 }', "p.yaml: a price has no model id"],
  ["a: { input: 1, output: 1 }\na: { input: 2, output: 2 }", "p.yaml: not valid YAML or JSON: Map keys must be unique"],
])("%j is refused with what is wrong", (text, message) => {
  expect(() => parsePriceFile(text, "p.yaml")).toThrow(message);
});

test("a file that cannot be read is named", async () => {
  await expect(readPriceFile("/no/such/prices.yaml")).rejects.toThrow("/no/such/prices.yaml: cannot be read (ENOENT)");
});
