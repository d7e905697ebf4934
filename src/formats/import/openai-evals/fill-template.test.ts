import { expect, test } from "vitest";
import { fillTemplate, textWithoutReply, replyPart, referenceText } from "./fill-template.ts";

const item = {
  question: "Is it open?",
  count: 3,
  customer: { plan: "basic", "first name": "Ann" },
  tags: ["a", { b: "c" }],
  nothing: null,
};

test.each([
  ["{{item.question}}", "Is it open?"],
  ["{{ item.question }} ({{item.count}})", "Is it open? (3)"],
  ["{{item.customer.plan}}", "basic"],
  ["{{item.customer.first name}} {{ item.customer['first name'] }}", "Ann Ann"],
  ["{{item.tags[0]}}{{item.tags[1].b}}", "ac"],
  ["{{item.customer}}", '{"plan":"basic","first name":"Ann"}'],
  ['Answer as {{"name": …}} or {{ name }}', 'Answer as {{"name": …}} or {{ name }}'],
  ["", ""],
])("fills %s", (template, text) => {
  const filled = fillTemplate(template, item);
  expect([textWithoutReply(filled), filled.missing]).toEqual([text, []]);
});

test.each([
  ["{{item.answer}}", ["item.answer"]],
  ["{{item.customer.age.years}} {{item.nothing}}", ["item.customer.age.years", "item.nothing"]],
  ["{{item.toString}}", ["item.toString"]],
  ["{{item.question | upper}}", ["item.question | upper"]],
])("reports the fields that %s needs and the row lacks", (template, missing) => {
  expect(fillTemplate(template, item).missing).toEqual(missing);
});

test.each([
  ["{{ sample.output_text }}", { kind: "text" }],
  ["{{sample.choices[0].message.content}}", { kind: "text" }],
  ["{{sample.output_json.order.id}}", { kind: "json", path: ["order", "id"] }],
  ["{{sample.output_tools[0].function.name}}", null],
])("finds the part of the reply that %s reads", (template, part) => {
  const [only] = fillTemplate(template, item).pieces;
  expect(typeof only === "object" && replyPart(only)).toEqual(part);
});

test("reads the reply from the row", () => {
  const [reply] = fillTemplate("{{ sample.output_text }}", item).pieces;
  const { pieces } = fillTemplate("Reply: {{item.question}}", item, { namespace: "item", path: ["question"] });
  expect(pieces).toEqual(["Reply: ", reply]);
  expect(typeof reply === "object" && referenceText(reply)).toBe("sample.output_text");
});

test("limits the length of a filled template", () => {
  const filled = fillTemplate("{{item.long}}".repeat(200), { long: "x".repeat(10_000) });
  expect(filled).toEqual({ pieces: [], missing: ["the text of more than 1000000 characters"] });
});
