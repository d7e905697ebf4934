import { expect, test } from "vitest";
import { toOfferedSchema } from "./offered-schema.ts";

const text = { type: "string" };
const number = { type: "number" };

test("a schema that every provider takes stays as it is", () => {
  const schema = {
    type: "object",
    properties: { city: text, days: { type: "array", items: number }, when: { anyOf: [text, number] } },
    required: ["city"],
    additionalProperties: false,
  };
  expect(toOfferedSchema(schema)).toEqual(schema);
});

test("a schema without properties has none", () => {
  expect(toOfferedSchema({ type: "object" })).toEqual({ type: "object", properties: {} });
});

test("alternatives become properties, of which those are required that all of them require", () => {
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

test("what only says which properties go together leaves them as they are declared", () => {
  const properties = { id: number, name: text };
  expect(toOfferedSchema({ properties, oneOf: [{ required: ["id"] }, { required: ["name"] }] })).toEqual({
    type: "object",
    properties,
  });
});

test("parts that hold together, and those that are referred to, are put together", () => {
  const $defs = {
    place: { properties: { city: text }, required: ["city"] },
    day: { allOf: [{ $ref: "#/$defs/place" }] },
  };
  const whole = { type: "object", properties: { city: text }, required: ["city"], $defs };
  expect(toOfferedSchema({ $ref: "#/$defs/place", $defs })).toEqual(whole);
  expect(toOfferedSchema({ oneOf: [{ $ref: "#/$defs/day" }, { $ref: "#/$defs/place" }], $defs })).toEqual(whole);
});

test("a schema that contains itself many times is read once", () => {
  const again = Array.from({ length: 100 }, () => ({ $ref: "#" }));
  expect(toOfferedSchema({ anyOf: [{ properties: { id: number } }, ...again] })).toEqual({
    type: "object",
    properties: { id: number },
  });
});

test("a list says what it holds, in the words of today, wherever it stands", () => {
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
