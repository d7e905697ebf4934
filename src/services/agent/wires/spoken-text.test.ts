import { expect, test } from "vitest";
import { createSpokenText } from "./spoken-text.ts";

/** What is sent of these pieces, and in the end of the reply. */
function sentOf(
  pieces: readonly (readonly [call: number, text: string])[],
  reply: string,
  { json }: { json: boolean },
) {
  const spoken = createSpokenText({ json });
  return [...pieces.map(([call, text]) => spoken.add({ call, text })), spoken.finish(reply)];
}

test("every piece is sent as it comes, and steps are set apart", () => {
  const pieces = [
    [1, "Let me"],
    [1, " see."],
    [3, "It is 2."],
  ] as const;
  expect(sentOf(pieces, "It is 2.", { json: false })).toEqual(["Let me", " see.", "\n\nIt is 2.", ""]);
});

test("of a reply in JSON, what comes before it is held back", () => {
  const pieces = [
    [1, "Let me see."],
    [2, " \n"],
    [2, ' {"a"'],
    [2, ": 2}"],
  ] as const;
  expect(sentOf(pieces, '{"a": 2}', { json: true })).toEqual(["", "", ' {"a"', ": 2}", ""]);
});

test("words and JSON in one step: the reply alone is sent, once it is known", () => {
  const pieces = [
    [1, "Here it is:"],
    [1, '{"a": 2}'],
  ] as const;
  expect(sentOf(pieces, '{"a": 2}', { json: true })).toEqual(["", "", '{"a": 2}']);
});

test("a reply that is no JSON although it should be is sent all the same", () => {
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
