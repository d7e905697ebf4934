import { expect, test } from "vitest";
import { splitUnopened } from "./unopened-thought.ts";

test.each(["Two and two.\n</think>\n\nFour.", "\nTwo and two.</think>\nFour.", "Two and two.\n  </think> Four."])(
  "a thought that was begun in the prompt is set apart: %j",
  (text) => {
    expect(splitUnopened(text)).toEqual({ said: "Four.", thought: "Two and two." });
  },
);

test.each([
  "Four.",
  "Models end their thoughts with </think>, which is no part of the reply.",
  "It looks like this:\n\n<think>\nTwo and two.\n</think>\n\nFour.",
  "Two and two.\n</think>\n",
  "",
])("what is spoken of, or all there is, stays: %j", (text) => {
  expect(splitUnopened(text)).toEqual({ said: text, thought: "" });
});
