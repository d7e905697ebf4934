import { expect, test } from "vitest";
import { toMarkdown } from "./table.ts";

test("a table is written as our pages are formatted", () => {
  expect(toMarkdown([["work", "wall s"], ["1000 cases", "1.2"], ["a | b", "10.25"], ["skipped"]])).toBe(
    [
      "| work       | wall s |",
      "| ---------- | ------ |",
      "| 1000 cases | 1.2    |",
      "| a \\| b     | 10.25  |",
      "| skipped    |        |",
    ].join("\n"),
  );
});
