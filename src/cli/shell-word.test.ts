import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test.each([
  ["runs/a-1.yaml", "runs/a-1.yaml"],
  ["C:\\runs", "C:\\runs"],
  ["my runs", '"my runs"'],
  ["it's", '"it\'s"'],
  ["$HOME's", "'$HOME'\\''s'"],
  ["", '""'],
])("%j is typed as %s", (word, typed) => {
  expect(shellWord(word)).toBe(typed);
});
