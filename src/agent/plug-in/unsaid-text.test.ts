import { expect, test } from "vitest";
import { unsaidText } from "./unsaid-text.ts";

test.each([
  ["as it was said", "Hello.\n", "Hello.\n", ""],
  ["trimmed", "Hello.", " Hello.\n", ""],
  ["with more after it", "Hello.\n\nSource: none", "Hello.\n", "\nSource: none"],
  ["trimmed, with more after it", "Hello. Bye.", "\nHello.\n", " Bye."],
  ["with something before it", "Note: Hello.", "Hello.", "\n\nNote: Hello."],
  ["another text", "Bye.", "Hello.", "\n\nBye."],
  ["nothing after all", "", "Hello.", ""],
  ["a text where the model said none", "Bye.", "", "Bye."],
  ["a text where the model wrote white space", "Bye.", "\n", "Bye."],
])("of %s, what was not said is told", (_name, answer, said, unsaid) => {
  expect(unsaidText(answer, said)).toBe(unsaid);
});
