import { expect, test } from "vitest";
import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import { knowledge } from "./knowledge.ts";
import { findAnswer } from "./retrieval.ts";

const say = (...texts: string[]): ChatMessage[] => texts.map((content) => ({ role: "user", content }));
const entryOf = (...texts: string[]) => knowledge.find(({ answer }) => answer === findAnswer(say(...texts)))?.id;

test.each([
  ["how long will shipping take?", "delivery-time"],
  ["Is there an express option?", "delivery-express"],
  ["what does shipping cost", "delivery-cost"],
  ["Do you deliver to Switzerland?", "delivery-abroad"],
  ["I want to track my parcel", "track-order"],
  ["I'd like to return these shoes", "returns"],
  ["when will i get my money back??", "refund-time"],
  ["My vase arrived broken", "damaged"],
  ["is there a guarantee on the toaster, what is the warranty", "warranty"],
  ["can I pay with paypal", "payment"],
  ["my promo code isn't accepted", "discount"],
  ["Could you gift wrap it?", "gift-wrap"],
  ["cancel my order please", "cancel-order"],
  ["when are you open on monday", "opening-hours"],
  ["let me speak to a real person", "human"],
  ["are you a real AI?", "about-demo"],
  ["I bought a desk lamp last week and it does not suit the room. Can I send it back?", "returns"],
  ["The vase I ordered arrived in pieces. I am really disappointed.", "damaged"],
  ["hello", "greeting"],
  ["thanks!", "thanks"],
])("%s is answered by %s", (question, entry) => {
  expect(entryOf(question)).toBe(entry);
});

test.each([
  "Write a poem about the sea",
  "What is the capital of France?",
  "Explain quantum entanglement",
  "Who won the football world cup in 1998?",
  "Wie ist das Wetter heute?",
  "12 + 30",
  "What time is it?",
  "Recommend me a good book",
  "Tell me a joke",
  "I live in Paris and like music. Can you recommend a concert? I am free tonight.",
  "今日の天気は？",
  "",
  "???",
])("%j is something it does not know", (question) => {
  expect(entryOf(question)).toBeUndefined();
});

test.each([
  [["How long does delivery take?", "And express?"], "delivery-express"],
  [["How long does delivery take?", "and to Norway?"], "delivery-abroad"],
  [["How long does delivery take?", "What does it cost?"], "delivery-cost"],
  [["Can I return an item?", "hello"], "greeting"],
])("%j: the follow-up is understood as %s", (texts, entry) => {
  expect(entryOf(...texts)).toBe(entry);
});

test("a long new question does not drag the old one along", () => {
  expect(entryOf("How long does delivery take?", "Write me a long poem about mountains and rivers")).toBeUndefined();
});
