import { expect, test } from "vitest";
import { toOfferedSchema } from "./tool-schema.ts";

const text = { type: "string" };
const number = { type: "number" };

test("keeps a schema that every provider accepts", () => {
  const schema = {
    type: "object",
    properties: { city: text, days: { type: "array", items: number }, when: { anyOf: [text, number] } },
    required: ["city"],
    additionalProperties: false,
  };
  expect(toOfferedSchema(schema)).toEqual(schema);
});

test("gives a schema without properties an empty set", () => {
  expect(toOfferedSchema({ type: "object" })).toEqual({ type: "object", properties: {} });
});

test("merges alternatives into properties, requiring those that all require", () => {
  const schema = {
    type: "object",
    description: "By number or by name.",
    properties: { shop: text },
    required: ["shop"],
    anyOf: [
      { properties: { kind: { const: "number" }, id: number }, required: ["kind", "id"] },
      { properties: { kind: { const: "name" }, name: text }, required: ["kind", "name"] },
    ],
  };
  expect(toOfferedSchema(schema)).toEqual({
    type: "object",
    description: "By number or by name.",
    properties: { shop: text, kind: { anyOf: [{ const: "number" }, { const: "name" }] }, id: number, name: text },
    required: ["shop", "kind"],
  });
});

test("keeps declared properties when alternatives only combine them", () => {
  const properties = { id: number, name: text };
  expect(toOfferedSchema({ properties, oneOf: [{ required: ["id"] }, { required: ["name"] }] })).toEqual({
    type: "object",
    properties,
  });
});

test("merges allOf and references", () => {
  const $defs = {
    place: { properties: { city: text }, required: ["city"] },
    day: { allOf: [{ $ref: "#/$defs/place" }] },
  };
  const whole = { type: "object", properties: { city: text }, required: ["city"], $defs };
  expect(toOfferedSchema({ $ref: "#/$defs/place", $defs })).toEqual(whole);
  expect(toOfferedSchema({ oneOf: [{ $ref: "#/$defs/day" }, { $ref: "#/$defs/place" }], $defs })).toEqual(whole);
});

test("reads a recursive schema once", () => {
  const again = Array.from({ length: 100 }, () => ({ $ref: "#" }));
  expect(toOfferedSchema({ anyOf: [{ properties: { id: number } }, ...again] })).toEqual({
    type: "object",
    properties: { id: number },
  });
});

test("gives every list current items, at any depth", () => {
  const schema = {
    properties: {
      ids: { type: "array" },
      names: { type: ["array", "null"] },
      deep: { type: "object", properties: { rows: { type: "array", items: { type: "array" } } } },
      pair: { type: "array", items: [text, number] },
      either: { anyOf: [text, { type: "array" }] },
      // Not a schema, but a value.
      chosen: { enum: [{ type: "array" }], default: { type: "array" } },
    },
  };
  expect(toOfferedSchema(schema)["properties"]).toEqual({
    ids: { type: "array", items: {} },
    names: { type: ["array", "null"], items: {} },
    deep: { type: "object", properties: { rows: { type: "array", items: { type: "array", items: {} } } } },
    pair: { type: "array", prefixItems: [text, number], items: {} },
    either: { anyOf: [text, { type: "array", items: {} }] },
    chosen: { enum: [{ type: "array" }], default: { type: "array" } },
  });
});
