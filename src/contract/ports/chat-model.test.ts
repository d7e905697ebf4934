import { expect, test } from "vitest";
import { splitAtMarks, toCacheMarks } from "./chat-model.ts";

const control = { type: "ephemeral" };
const marked = (...texts: readonly string[]) => texts.map((text) => ({ text, cache_control: control }));
const split = (...parts: readonly { text: string; cache_control?: typeof control }[]) =>
  splitAtMarks(parts.map(({ text }) => text).join(""), toCacheMarks(parts));

test("splits a text into the parts it was marked in", () => {
  const parts = [...marked("one ", "two "), { text: "three" }];
  expect(split(...parts)).toEqual(parts);
  expect(split({ text: "plain" })).toEqual([{ text: "plain" }]);
});

test("joins a blank part with the next one, or drops it", () => {
  expect(split(...marked(" ", "\n", "one", " "), { text: " " })).toEqual(marked(" \none"));
  expect(split(...marked("one", " "), { text: "two" })).toEqual([...marked("one"), { text: " two" }]);
  expect(split(...marked(" ", " "))).toEqual([]);
});

// Reading the text once per mark would take minutes.
test("reads a long blank text with thousands of marks once", () => {
  const parts = [{ text: " ".repeat(4_000_000) }, ...marked(...Array<string>(60_000).fill(" "))];
  expect(split(...parts)).toEqual([]);
});
