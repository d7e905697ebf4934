import { expect, test } from "vitest";
import { firstNotes } from "./scenario-file-thread.ts";

const notes = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    kind: "dropped" as const,
    line: index + 1,
    message: "is no scenario",
  }));

test("a thousand notes on a file are listed, and how many more there are is told", () => {
  expect(firstNotes(notes(1_000))).toEqual(notes(1_000));
  const listed = firstNotes(notes(2_500));
  expect(listed.slice(0, -1)).toEqual(notes(1_000));
  expect(listed.at(-1)).toEqual({ kind: "changed", message: "and 1500 more notes that are not listed" });
});
