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

test.each([
  ["Die Lieferung war fast da.", "unknown"],
  ["Ihr Gutschein ist gültig, die Erstattung kommt am Montag.", "unknown"],
  ["El error fue fatal", "unknown"],
  ["Din pakke er på vej, god dag", "unknown"],
  ["Het pakket is onderweg.", "unknown"],
  ["Grazie mille, perfetto!", "unknown"],
  ["Заказ отправлен, super", "unknown"],
  ["I am sorry, the German word was die.", "negative"],
  ["Terrible experience, horrible staff, awful food.", "negative"],
  ["Thanks so much, wonderful service!", "positive"],
  ["The café is great.", "positive"],
  ["super 👍", "positive"],
  ["👍", "positive"],
  ["Order 48213.", "neutral"],
])("%j, which may look English, is read as %s", async (text, value) => {
  const readSentiment = await loadSentimentReader();
  const answer = sentimentLabel(text, { readSentiment, mixed: false });
  expect(answer).toMatchObject({ value, ...(value === "unknown" && { unreadable: true }) });
});
