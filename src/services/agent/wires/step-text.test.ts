import { expect, test } from "vitest";
import { createStepText } from "./step-text.ts";

/** The texts sent for these pieces, and at the end for the reply. */
function sentOf(
  pieces: readonly (readonly [call: number, text: string])[],
  reply: string,
  { json }: { json: boolean },
) {
  const stepText = createStepText({ json });
  return [...pieces.map(([call, text]) => stepText.add({ call, text })), stepText.finish(reply)];
}

test("sends every piece as it arrives, with an empty line between steps", () => {
  const pieces = [
    [1, "Let me"],
    [1, " see."],
    [3, "It is 2."],
  ] as const;
  expect(sentOf(pieces, "It is 2.", { json: false })).toEqual(["Let me", " see.", "\n\nIt is 2.", ""]);
});

test("holds back text before a JSON reply", () => {
  const pieces = [
    [1, "Let me see."],
    [2, " \n"],
    [2, ' {"a"'],
    [2, ": 2}"],
  ] as const;
  expect(sentOf(pieces, '{"a": 2}', { json: true })).toEqual(["", "", ' {"a"', ": 2}", ""]);
});

test("sends only the reply when a step contains text and JSON", () => {
  const pieces = [
    [1, "Here it is:"],
    [1, '{"a": 2}'],
  ] as const;
  expect(sentOf(pieces, '{"a": 2}', { json: true })).toEqual(["", "", '{"a": 2}']);
});

test("sends a reply that is not JSON although it should be", () => {
  expect(
    sentOf(
      [
        [1, "I would"],
        [1, " rather not."],
      ],
      "I would rather not.",
      { json: true },
    ),
  ).toEqual(["", "", "I would rather not."]);
  expect(
    sentOf(
      [
        [1, '{"a": 1}'],
        [2, "No."],
      ],
      "No.",
      { json: true },
    ),
  ).toEqual(['{"a": 1}', "", "\n\nNo."]);
  expect(sentOf([], "", { json: true })).toEqual([""]);
});
