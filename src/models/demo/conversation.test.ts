import { expect, test } from "vitest";
import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import { findOrderNumber, userTexts } from "./support-script.ts";

const say = (...texts: string[]): ChatMessage[] => texts.map((content) => ({ role: "user", content }));

test.each([
  [["Where is order 48213?"], "48213"],
  [["Order #48213, please", "Thanks"], "48213"],
  [["Order 48213", "Sorry, I meant 48999."], "48999"],
  [["I paid 12.50 in 3 parts"], null],
  [["My card is 4111111111111111"], null],
])("finds order number in %j: %s", (texts, number) => {
  expect(findOrderNumber(say(...texts))).toBe(number);
});

test("reads only user messages, up to a limit", () => {
  const texts = userTexts([{ role: "system", content: "x" }, ...say("a".repeat(5_000), "b")]);
  expect(texts.map((text) => text.length)).toEqual([2_000, 1]);
});
