import { expect, test } from "vitest";
import { prepareText } from "../text/prepare-text.ts";
import { gramsOf, gramsOfReply } from "./grams.ts";

test("a reply is read once, however many keys ask about it", () => {
  const reply = prepareText("your refund is on its way ".repeat(1_000));
  expect(gramsOfReply(reply)).toBe(gramsOfReply(reply));
  expect(gramsOfReply(reply)).toEqual(gramsOf(reply));
  expect(gramsOfReply(prepareText("no"))).toEqual(gramsOf(prepareText("no")));
});
