import { expect, test } from "vitest";
import { prepareText } from "../text/prepare-text.ts";
import type { LabelRule, Labels } from "./label-rule.ts";
import { matchValue } from "./match-value.ts";
import { metadataMatch } from "./metadata-match.ts";

function score(
  generated_metadata: Labels,
  reference_metadata: Labels,
  unjudged: string[] = [],
  label_rules: Readonly<Record<string, LabelRule>> = {},
) {
  return metadataMatch.score({
    reply: prepareText(""),
    references: [],
    generated_metadata,
    reference_metadata,
    unjudged_keys: new Set(unjudged),
    label_rules,
    call: { latency_ms: 0, first_token_ms: null, cost: null },
  });
}

const values = (...input: Parameters<typeof score>) =>
  Object.fromEntries(score(...input).map(({ name, value }) => [name, value]));

test("text labels ignore case, hyphens, underscores and spaces", () => {
  expect(matchValue("Order-Status", "order_status")).toBe(1);
  expect(matchValue("  order status ", "order_status")).toBe(1);
  expect(matchValue("refund", "order_status")).toBe(0);
  expect(matchValue("-refund_", "refund")).toBe(1);
  expect(matchValue(" -1 ", "-1")).toBe(1);
  expect(matchValue("1", "-1")).toBe(0);
  expect(matchValue("A", "A-")).toBe(0);
});

test("direct and indirect aliases are one label", () => {
  const mutual = { aliases: { refund: ["money back"], "Money Back": ["refund"] } };
  expect(matchValue("money back", "refund", mutual)).toBe(1);
  expect(matchValue("refund", "money_back", mutual)).toBe(1);
  expect(matchValue("cancel", "refund", mutual)).toBe(0);
  const chained = { aliases: { refund: ["refund", "money back"], "money back": ["reimbursement"] } };
  expect(matchValue("reimbursement", "refund", chained)).toBe(1);
  expect(matchValue("refund", "refund", chained)).toBe(1);
});

test("a spelling of two labels counts for the first", () => {
  const aliases = { refund: ["money"], payment: ["money"] };
  expect(matchValue("money", "refund", { aliases })).toBe(1);
  expect(matchValue("money", "payment", { aliases })).toBe(0);
});

test("matches thousands of labels against a hundred thousand aliases quickly", () => {
  const spellings = (index: number) => Array.from({ length: 100 }, (_, at) => `spelling ${index} ${at}`);
  const names = Array.from({ length: 1_000 }, (_, index) => `label ${index}`);
  const aliases = Object.fromEntries(names.map((name, index) => [name, spellings(index)]));
  const spelled = Array.from({ length: 2_000 }, (_, index) => `spelling ${index % 1_000} ${index % 100}`);
  expect(matchValue(spelled, [...names, ...names], { aliases })).toBe(1);
});

test("an alias counts as its label, alone and in a list", () => {
  const aliases = { refund: ["money back", "Reimbursement"] };
  expect(matchValue("Money-Back", "refund", { aliases })).toBe(1);
  expect(matchValue("refund", "reimbursement", { aliases })).toBe(1);
  expect(matchValue("exchange", "refund", { aliases })).toBe(0);
  expect(matchValue(["money_back", "delay"], ["delay", "refund"], { aliases })).toBe(1);
  expect(matchValue(["money back", "refund"], ["refund"], { aliases })).toBeCloseTo(2 / 3, 12);
  const call = (topic: string) => ({ name: "open_ticket", topics: [topic] });
  expect(matchValue([call("money back")], [call("refund")], { aliases })).toBe(1);
});

test("scores numbers by nearness", () => {
  expect(matchValue(5, 5)).toBe(1);
  expect(matchValue(0, 0)).toBe(1);
  expect(matchValue(8, 10)).toBeCloseTo(1 - 2 / 18, 12);
  expect(matchValue(-5, 5)).toBe(0);
  expect(matchValue(0, 5)).toBe(0);
  expect(matchValue(1.7e308, -1.7e308)).toBe(0);
});

test("with a tolerance a number is right or wrong, up to rounding", () => {
  expect(matchValue(1.1, 1, { tolerance: 0.1 })).toBe(1);
  expect(matchValue(1.11, 1, { tolerance: 0.1 })).toBe(0);
});

test("booleans and null must be equal, and another type never matches", () => {
  expect(matchValue(true, true)).toBe(1);
  expect(matchValue(false, true)).toBe(0);
  expect(matchValue(null, null)).toBe(1);
  expect(matchValue("true", true)).toBe(0);
  expect(matchValue(5, "5")).toBe(0);
  expect(matchValue("5", 5)).toBe(0);
  expect(matchValue(["a"], "a")).toBe(0);
  expect(matchValue([], {})).toBe(0);
});

test("scores arrays by F1 of their items, objects by the mean of the expected keys", () => {
  expect(matchValue(["a", "b"], ["B", "c"])).toBe(0.5);
  expect(matchValue(["a", "a"], ["a"])).toBeCloseTo(2 / 3, 12);
  expect(matchValue([], [])).toBe(1);
  expect(matchValue([], ["a"])).toBe(0);
  expect(matchValue([{ x: 1, y: 2 }], [{ y: 2, x: 1 }])).toBe(1);
  expect(matchValue([{ x: 1, y: 2 }, ["a", "b"]], [{ x: 1, y: 3 }, ["b", "a"]])).toBe(0);
  expect(matchValue([["A", "b"]], [["a", "B"]])).toBe(1);
  expect(matchValue([['a","b']], [["a", "b"]])).toBe(0);
  expect(matchValue({ a: 1, extra: 2 }, { a: 1, b: 2 })).toBe(0.5);
  expect(matchValue({ anything: 1 }, {})).toBe(1);
});

test("applies rules inside lists and objects", () => {
  const rule = { tolerance: 0.5, aliases: { euro: ["eur", "€"] } };
  expect(matchValue({ amount: 10.4, currency: "€" }, { amount: 10, currency: "Euro" }, rule)).toBe(1);
  expect(matchValue({ amount: 11, currency: "€" }, { amount: 10, currency: "Euro" }, rule)).toBe(0.5);
  expect(matchValue([20, 10.4, "EUR"], [10, 20, "euro"], rule)).toBe(1);
  expect(matchValue([10, 10], [10.4, 30], rule)).toBe(0.5);
  // Each number matches exactly one other: 1 with 0.5, 1.5 with 1.
  expect(matchValue([1, 1.5], [0.5, 1], rule)).toBe(1);
  expect(matchValue([1.5, 3, 7], [1, 2, 7.5, 9], rule)).toBeCloseTo(4 / 7, 12);
});

test("applies a tolerance to numbers nested in a list", () => {
  const rule = { tolerance: 0.5, aliases: { euro: ["€"] } };
  const line = (price: number, count = 1, currency = "euro") => ({ count, currency, price });
  expect(matchValue([line(9.6), line(5.2, 2, "€")], [line(5, 2), line(10)], rule)).toBe(1);
  expect(matchValue([line(9.4), line(5, 2)], [line(5, 2), line(10)], rule)).toBe(0.5);
  expect(matchValue([line(10)], [line(10, 1, "dollar")], rule)).toBe(0);
  expect(matchValue([[1.2, "a"]], [[1, "a"]], rule)).toBe(1);
  expect(matchValue([{ at: [1.2, { x: 3 }] }], [{ at: [1, { x: 3.5 }] }], rule)).toBe(1);
  // The first matches both, the second only one of them, in any order.
  expect(matchValue([line(5, 5), line(5.4, 5.4)], [line(5.2, 5.2), line(4.6, 4.6)], rule)).toBe(1);
  expect(matchValue([line(5.4, 5.4), line(5, 5)], [line(4.6, 4.6), line(5.2, 5.2)], rule)).toBe(1);
  // Outlines without numbers must not make different values equal.
  expect(matchValue([{ a: "number" }], [{ a: 1 }], rule)).toBe(0);
});

test("compares long lists of objects quickly", () => {
  const places = Array.from({ length: 20_000 }, (_, index) => ({ x: index % 100, y: index }));
  const near = places.map(({ x, y }) => ({ x: x + 0.1, y: y - 0.1 }));
  expect(matchValue(near, places, { tolerance: 0.2 })).toBe(1);
});

test("the reason shows a value that matches only by a rule", () => {
  const rules = { amount: { tolerance: 0.5 }, intent: { aliases: { refund: ["money back"] } } };
  const reasons = (given: Labels) =>
    score(given, { amount: 5, intent: "refund" }, [], rules).map(({ reason }) => reason);
  expect(reasons({ amount: 5.5, intent: "Money back" }).slice(0, 2)).toEqual([
    "5.5 counts as 5",
    "Money back counts as refund",
  ]);
  expect(reasons({ amount: 5, intent: "Refund" }).slice(0, 2)).toEqual(["is 5", "is refund"]);
});

test("scores each expected key, and metadata_match as their mean; ignores extra keys", () => {
  expect(
    values({ intent: "Greeting", sentiment: "neutral", extra: 1 }, { intent: "greeting", sentiment: "positive" }),
  ).toEqual({
    "metadata.intent": 1,
    "metadata.sentiment": 0,
    metadata_match: 0.5,
  });
});

test("a missing key scores 0, even if objects inherit a property of that name", () => {
  expect(values({}, { toString: "x", constructor: "y" })).toEqual({
    "metadata.toString": 0,
    "metadata.constructor": 0,
    metadata_match: 0,
  });
});

test("an unjudged key has no score and does not lower the mean", () => {
  expect(values({ intent: "greeting" }, { intent: "greeting", priority: 3 }, ["priority"])).toEqual({
    "metadata.intent": 1,
    "metadata.priority": null,
    metadata_match: 1,
  });
  expect(values({}, { priority: 3 }, ["priority"])).toEqual({ "metadata.priority": null, metadata_match: null });
});

test("scores nothing without expected keys", () => {
  expect(values({ intent: "x" }, {})).toEqual({ metadata_match: null });
});

test("the reason distinguishes labels that look the same or empty", () => {
  const reasonOf = (given: Labels[string], expected: Labels[string]) => score({ a: given }, { a: expected })[0]?.reason;
  expect(reasonOf("8", 8)).toBe("8 (string), expected 8");
  expect(reasonOf(true, "true")).toBe("true (boolean), expected true");
  expect(reasonOf("", "x")).toBe('"", expected x');
  expect(reasonOf("", "")).toBe('is ""');
});

test("reasons name the found and the expected value", () => {
  const reasons = Object.fromEntries(score({ a: "x" }, { a: "y", b: 1 }).map(({ name, reason }) => [name, reason]));
  expect(reasons).toEqual({
    "metadata.a": "x, expected y",
    "metadata.b": "missing, expected 1",
    metadata_match: "0 of 2 labels match; not: a, b",
  });
  expect(score({ a: "x" }, { a: "x" }).at(-1)?.reason).toBe("1 of 1 label matches");
});

test("a label with the rule `ignore` has no score and takes no part in the mean", () => {
  const rules = { team: { ignore: true } };
  expect(values({ intent: "refund", team: "b" }, { intent: "refund", team: "a" }, [], rules)).toEqual({
    "metadata.intent": 1,
    metadata_match: 1,
  });
  expect(values({ team: "b" }, { team: "a" }, [], rules)).toEqual({ metadata_match: null });
});
