import { expect, test } from "vitest";
import { loadSentimentReader } from "./read-sentiment.ts";
import { sentimentLabel } from "./sentiment-label.ts";

test("what is too long for a word is not looked up, and the words around it are", () => {
  const read: string[] = [];
  const readSentiment = (text: string) => (read.push(text), [0]);
  sentimentLabel(`Great news: ${"http://a".repeat(700)} is back.`, { readSentiment, mixed: false });
  sentimentLabel("See https://example.com/orders/48213 and be happy.", { readSentiment, mixed: false });
  expect(read).toEqual(["Great news:   is back.", "See https://example.com/orders/48213 and be happy."]);
});

test("a reply that is one endless address is read at once", async () => {
  const readSentiment = await loadSentimentReader();
  const label = (text: string) => sentimentLabel(text, { readSentiment, mixed: true }).value;
  expect(label("ftp://".repeat(1000))).toBe("unknown");
  expect(label(`This is wonderful, thank you! ${"://".repeat(1500)}`)).toBe("positive");
});
