import { expect, test } from "vitest";
import { prepareText } from "../../scoring/text/prepare-text.ts";
import { gramsOf, gramsOfReply } from "./gram-index.ts";

test("reads a reply once for all keys", () => {
  const reply = prepareText("your refund is on its way ".repeat(1_000));
  expect(gramsOfReply(reply)).toBe(gramsOfReply(reply));
  expect(gramsOfReply(reply)).toEqual(gramsOf(reply));
  expect(gramsOfReply(prepareText("no"))).toEqual(gramsOf(prepareText("no")));
});
