import { expect, test } from "vitest";
import type { Compilers } from "./define-check.ts";
import { prepareText } from "../text/prepare-text.ts";
import { xml } from "./xml.ts";

const unused: Compilers = {
  pattern: () => {
    throw new Error("no pattern");
  },
  schema: () => {
    throw new Error("no schema");
  },
};

function check(reply: string, setting: { elements?: string[]; anywhere?: boolean } = {}): number | null {
  const compiled = xml.compile?.({ type: "xml", ...setting }, unused);
  if (typeof compiled !== "function") throw new Error("no check");
  return compiled({
    reply: prepareText(reply),
    references: [],
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
  }).value;
}

test.each([
  ["<a/>", 1],
  ['<?xml version="1.0"?>\n<!DOCTYPE a>\n<a b="1"><c>x &amp; y</c><!-- d --></a>\n', 1],
  ["```xml\n<a><![CDATA[1 < 2]]></a>\n```", 1],
  ["<a><b></a></b>", 0],
  ["<a>", 0],
  ["<a/><b/>", 0],
  ["<a>1 & 2</a>", 0],
  ['<a b="1" b="2"/>', 0],
  ["Here: <a/>", 0],
  ["no XML", 0],
])("finds out whether %j is well-formed XML", (reply, value) => {
  expect(check(reply)).toBe(value);
});

test("requires elements, also in XML inside other text", () => {
  const reply = "Your order:\n<order><id>7</id></order>\nBye < for now";
  expect(check(reply, { anywhere: true, elements: ["order.id"] })).toBe(1);
  expect(check(reply, { anywhere: true, elements: ["order.total"] })).toBe(0);
  expect(check("<order><id>7</id></order>", { elements: ["id"] })).toBe(1);
});

// Each of these did not end when the patterns were not linear.
test.each([
  `<a/>${"<!---->".repeat(5_000)}x`,
  `<a/>${"<!-- ".repeat(5_000)}`,
  `${"<?a?><!--b-->".repeat(5_000)}x`,
  `${"<!DOCTYPE a [".repeat(5_000)}x`,
  `<a${" b='1'".repeat(5_000)}`,
  `<a${" ".repeat(100_000)}b`,
])("reads a hostile reply in linear time: %#", (reply) => {
  expect(check(reply)).toBe(0);
});
