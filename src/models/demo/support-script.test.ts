import { expect, test } from "vitest";
import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import { fillIn, findLine, supportScript } from "./support-script.ts";

const say = (...texts: string[]): ChatMessage[] => texts.map((content) => ({ role: "user", content }));

test.each(supportScript.flatMap(({ id, says }) => says.map((text) => [text, id])))("%s → %s", (text, id) => {
  expect(findLine(say(text))?.id).toBe(id);
});

test.each([
  ["hello", "greeting"],
  ["Can I return my lamp?", "return-window"],
  ["please cancel order 12345", "cancel-order"],
  ["my parcel is late, where is it", "late-parcel"],
  ["thank you!", "thanks"],
])("%s in other words → %s", (text, id) => {
  expect(findLine(say(text))?.id).toBe(id);
});

test.each(["Write a poem about the sea", "What is the capital of France?", "", "こんにちは"])(
  "%j has no line",
  (text) => {
    expect(findLine(say(text))).toBeNull();
  },
);

test("decides between similar lines by the line before", () => {
  expect(findLine(say("The vase I ordered arrived in pieces.", "a new one please"))?.id).toBe("replacement");
});

test("names only existing lines", () => {
  const ids = new Set(supportScript.map(({ id }) => id));
  expect(supportScript.filter(({ after }) => after !== undefined && !ids.has(after))).toEqual([]);
  expect(ids.size).toBe(supportScript.length);
});

test("uses the customer's order from any turn", () => {
  expect(fillIn("About {order}: done.", say("It is order 777123", "Thanks"))).toBe("About order 777123: done.");
  expect(fillIn("About {order}: done.", say("Thanks"))).toBe("About your order: done.");
});
