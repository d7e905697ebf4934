import { expect, test } from "vitest";
import { splitAtMarks, toCacheMarks } from "./chat-model.ts";

const control = { type: "ephemeral" };
const marked = (...texts: readonly string[]) => texts.map((text) => ({ text, cache_control: control }));
const split = (...parts: readonly { text: string; cache_control?: typeof control }[]) =>
  splitAtMarks(parts.map(({ text }) => text).join(""), toCacheMarks(parts));

test("a text in marked parts comes out as it went in", () => {
  const parts = [...marked("one ", "two "), { text: "three" }];
  expect(split(...parts)).toEqual(parts);
  expect(split({ text: "plain" })).toEqual([{ text: "plain" }]);
});

test("no part is blank: what is goes with the next one, or nowhere", () => {
  expect(split(...marked(" ", "\n", "one", " "), { text: " " })).toEqual(marked(" \none"));
  expect(split(...marked("one", " "), { text: "two" })).toEqual([...marked("one"), { text: " two" }]);
  expect(split(...marked(" ", " "))).toEqual([]);
});

// Read once for each mark it would take minutes.
test("thousands of marks in a long blank text do not have it read for each of them", () => {
  const parts = [{ text: " ".repeat(4_000_000) }, ...marked(...Array<string>(60_000).fill(" "))];
  expect(split(...parts)).toEqual([]);
});
