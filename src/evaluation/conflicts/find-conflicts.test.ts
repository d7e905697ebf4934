import { expect, test } from "vitest";
import { prepareText } from "../text/prepare-text.ts";
import { findConflicts } from "./find-conflicts.ts";

const kinds = (reply: string, ...references: string[]) =>
  findConflicts(prepareText(reply), references.map(prepareText)).map(({ kind }) => kind);

test.each([
  ["Your refund is 30 dollars.", "Your refund is 25 dollars.", ["number"]],
  ["Your refund is €25.", "Your refund is $25.", ["number"]],
  ["It arrives on Monday.", "It arrives on Friday.", ["date"]],
  ["It arrives on Mon.", "It arrives on Friday.", ["date"]],
  ["Your refund was rejected.", "Your refund was approved.", ["antonym"]],
  ["I cannot help you with that.", "I can help you with that.", ["negation"]],
  ["Your order does not ship on Monday.", "Your order ships on Monday.", ["negation"]],
  ["We don’t ship abroad.", "We ship abroad.", ["negation"]],
])("%j contradicts %j: %j", (reply, reference, expected) => {
  expect(kinds(reply, reference)).toEqual(expected);
});

test.each([
  ["Your refund of $25 will arrive on Friday.", "Your refund of 25 dollars arrives on Friday."],
  ["No problem, your order ships today.", "Sure, your order ships today."],
  ["The shop is not open today.", "The shop is closed today."],
  ["Your refund is on its way.", "Your refund of 25 dollars is on its way."],
  ["Your refund is $25 (about €23).", "Your refund is $25."],
  ["Ihre Erstattung: 12,50 €", "Ihre Erstattung beträgt 12,5 €"],
  ["Bonjour", "Hello"],
  ["", "Your refund is 25 dollars."],
  ["Something else entirely, which is never about it.", "Your order ships on Monday."],
])("%j does not contradict %j", (reply, reference) => {
  expect(kinds(reply, reference)).toEqual([]);
});

test("the reference the reply is most like is the one that counts", () => {
  expect(kinds("It arrives on Monday.", "It arrives on Friday.", "It arrives on Monday morning.")).toEqual([]);
  expect(kinds("It arrives on Monday.")).toEqual([]);
});

test("of more references than anybody has, the first thousand are looked through", () => {
  const others = Array.from({ length: 1_000 }, (_, index) => `Something else ${index}.`);
  expect(kinds("It arrives on Monday.", ...others.slice(1), "It arrives on Friday.")).toEqual(["date"]);
  expect(kinds("It arrives on Monday.", ...others, "It arrives on Friday.")).not.toContain("date");
});
