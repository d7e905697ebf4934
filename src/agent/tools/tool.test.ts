import { expect, test } from "vitest";
import { isTooHeavy } from "./tool-schema.ts";
import { defineTool } from "./tool.ts";

const parameters = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" }, unit: { enum: ["C", "F"] } },
  required: ["city"],
  additionalProperties: false,
};
const weather = defineTool({ name: "weather", description: "", parameters, run: () => "sunny" });

test("accepts arguments that fit the schema", () => {
  expect(weather.check({ city: "Graz", days: 2, unit: "C" })).toBeNull();
});

test.each([
  [{}, "the arguments must have required property 'city'"],
  [{ city: 3 }, "/city must be string"],
  [{ city: "Graz", unit: "K" }, '/unit must be equal to one of the allowed values: ["C","F"]'],
  [{ city: "Graz", town: 1 }, 'the arguments must NOT have additional properties: "town"'],
  [{ city: 1, days: "two" }, "/city must be string; /days must be integer"],
  ["Graz", "the arguments must be object"],
  [null, "the arguments must be object"],
])("refuses %j with the reason", (args, reason) => {
  expect(weather.check(args)).toBe(reason);
});

test("does not take an argument from the prototype", () => {
  const properties = { constructor: { type: "string" } };
  const declare = (required: readonly string[]) =>
    defineTool({ name: "team", description: "", parameters: { type: "object", properties, required }, run: () => "" });
  expect(declare([]).check({})).toBeNull();
  expect(declare(["constructor"]).check({})).toBe("the arguments must have required property 'constructor'");
  expect(declare(["constructor"]).check({ constructor: "Ferrari" })).toBeNull();
});

test("coerces nothing and fills nothing in", () => {
  const args = { city: "Graz", days: "2" };
  expect(weather.check(args)).toBe("/days must be integer");
  expect(args).toEqual({ city: "Graz", days: "2" });
});

test("shortens a long list of problems", () => {
  const list = defineTool({
    name: "list",
    description: "",
    parameters: { type: "object", properties: { items: { type: "array", items: { type: "number" } } } },
    run: () => "",
  });
  expect(list.check({ items: Array.from({ length: 9 }, () => "x") })).toContain("; 4 more problems");
});

test("accepts schemas of both common drafts, with ids, formats and unknown keywords, repeatedly", () => {
  const declare = ($schema: string) =>
    defineTool({
      name: "dated",
      description: "",
      parameters: {
        $schema,
        $id: "https://example.test/dated",
        type: "object",
        "x-order": 1,
        properties: { day: { $ref: "#/definitions/day" } },
        definitions: { day: { type: "string", format: "date" } },
      },
      run: () => "",
    });
  for (const draft of ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]) {
    declare(draft);
    expect(declare(draft).check({ day: 4 })).toBe("/day must be string");
  }
});

test("offers a schema that every provider accepts", () => {
  const offered = (schema: object) =>
    defineTool({ name: "now", description: "", parameters: { ...schema }, run: () => "" }).definition.parameters;
  const empty = { type: "object", properties: {} };
  expect(offered({ type: "object" })).toEqual(empty);
  expect(offered({ $schema: "http://json-schema.org/draft-07/schema#", additionalProperties: false })).toEqual({
    ...empty,
    additionalProperties: false,
  });
});

const declare = (parameters: Record<string, unknown>) =>
  defineTool({ name: "odd", description: "", parameters, run: () => "" });

test("names the expected value", () => {
  const kind = (value: string) => ({ properties: { kind: { const: value } }, required: ["kind"] });
  const { check } = declare({ properties: { pet: { oneOf: [kind("cat"), kind("dog")] } } });
  expect(check({ pet: { kind: "bird" } })).toBe(
    '/pet/kind must be equal to constant: "cat"; /pet/kind must be equal to constant: "dog"; /pet must match exactly one schema in oneOf',
  );
});

test("checks alternatives that providers refuse", () => {
  const { definition, check } = declare({
    properties: { id: { type: "number" }, name: { type: "string" } },
    anyOf: [{ required: ["id"] }, { required: ["name"] }],
  });
  expect(definition.parameters).not.toHaveProperty("anyOf");
  expect(check({ name: "Graz" })).toBeNull();
  expect(check({})).toContain("must have required property 'id'");
});

test("accepts a recursive schema and refuses endless arguments", () => {
  const { check } = declare({ type: "object", properties: { child: { $ref: "#" }, size: { type: "number" } } });
  expect(check({ size: 1, child: { child: { size: 2 } } })).toBeNull();
  expect(check({ child: { child: { size: "big" } } })).toBe("/child/child/size must be number");
  let deep: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) deep = { child: deep };
  expect(check(deep)).toBe("the arguments are nested too deep");
});

test("accepts a tuple in the older form without a dialect", () => {
  const { check } = declare({
    properties: { point: { type: "array", items: [{ type: "number" }, { type: "number" }] } },
  });
  expect(check({ point: [1, "x"] })).toBe("/point/1 must be number");
});

test("treats prices in cents as multiples of a cent", () => {
  const { check } = declare({ properties: { price: { type: "number", multipleOf: 0.01 } } });
  expect([19.99, 0.07, 1.1, 1e6 + 0.01].map((price) => check({ price }))).toEqual([null, null, null, null]);
  expect(check({ price: 0.005 })).toBe("/price must be multiple of 0.01");
});

test("refuses an asynchronous schema", () => {
  expect(() => declare({ $async: true, type: "object" })).toThrow('The parameters of "odd" are $async');
});

test("runs patterns in linear time and leaves unsupported ones to the tool", () => {
  const pattern = (text: string) => declare({ properties: { code: { type: "string", pattern: text } } });
  expect(pattern("^(a+)+$").check({ code: `${"a".repeat(5000)}!` })).toContain("must match pattern");
  expect(pattern("(?i)^[a-z]+$").check({ code: "ABC" })).toBeNull();
  expect(pattern("^[\\w-.]+\\u00e9$").check({ code: "a.b" })).toContain("must match pattern");
  expect(pattern("^(?=.*\\d).+$").check({ code: "no digit" })).toBeNull();
  expect(pattern("^a\\Z(").check({ code: "a" })).toBeNull();
});

test("keeps the patterns of a schema apart", () => {
  const two = { a: { pattern: "^a$" }, b: { pattern: "^b$" } };
  expect(declare({ properties: two }).check({ a: "a", b: "b" })).toBeNull();
});

test("ignores the id of a draft 4 schema", () => {
  const { check } = declare({ $schema: "http://json-schema.org/draft-04/schema#", id: "x", required: ["a"] });
  expect(check({})).toBe("the arguments must have required property 'a'");
});

test("accepts required on a property, as in draft 3", () => {
  const inner = { type: "object", properties: { x: { required: true }, y: { type: "string", required: false } } };
  const properties = { a: inner, required: { type: "string", required: true }, c: { type: "object", required: null } };
  const { check, definition } = declare({ type: "object", properties, required: ["a"] });
  expect(definition.parameters).toEqual({
    type: "object",
    properties: {
      a: { type: "object", properties: { x: {}, y: { type: "string" } }, required: ["x"] },
      required: { type: "string" },
      c: { type: "object" },
    },
    required: ["a", "required"],
  });
  expect(check({ a: {}, required: "now" })).toBe("/a must have required property 'x'");
  expect(check({ a: { x: 1 } })).toBe("the arguments must have required property 'required'");
});

test("converts the bounds of a draft 4 schema", () => {
  const bounds = { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false };
  const above = { type: "object", properties: { n: { type: "number", ...bounds } } };
  const { check, definition } = declare({ ...above, properties: { list: { type: "array", items: above } } });
  expect(check({ list: [{ n: 1 }, { n: 9 }] })).toBeNull();
  expect(check({ list: [{ n: 0 }] })).toBe("/list/0/n must be > 0");
  expect(JSON.stringify(definition)).toContain('{"type":"number","maximum":9,"exclusiveMinimum":0}');
});

test.each(["", "two words", "a.b", "x".repeat(65)])("refuses a tool named %j", (name) => {
  expect(() => defineTool({ name, description: "", parameters, run: () => "" })).toThrow("cannot be named");
});

test.each([{ type: "strin" }, { properties: 5 }, { required: "a" }, { $ref: "#/nowhere" }])(
  "%j is refused as a schema, by the tool's name",
  (broken) => {
    expect(() => defineTool({ name: "odd", description: "", parameters: broken, run: () => "" })).toThrow(
      'The parameters of "odd" are not a usable JSON schema: ',
    );
  },
);

/** Each level asks for the next one twice. */
function doubling(levels: number, refer: (level: number) => object, name: (level: number) => object = () => ({})) {
  const parts = Array.from({ length: levels }, (_, level) => {
    const next = refer(level + 1);
    return [`a${level}`, { ...name(level), anyOf: [next, next] }] as const;
  });
  const $defs = { ...Object.fromEntries(parts), [`a${levels}`]: { ...name(levels), type: "number" } };
  return { type: "object", properties: { q: refer(0) }, $defs };
}
const byPointer = (level: number) => ({ $ref: `#/$defs/a${level}` });

test.each([
  ["parts that refer twice to the next", doubling(40, byPointer)],
  [
    "the same by names",
    doubling(
      40,
      (level) => ({ $ref: `#n${level}` }),
      (level) => ({ $anchor: `n${level}` }),
    ),
  ],
  [
    "the same by addresses",
    doubling(
      40,
      (level) => ({ $ref: `n${level}` }),
      (level) => ({ $id: `n${level}` }),
    ),
  ],
  [
    "thousands of parts that must be known together",
    {
      unevaluatedProperties: false,
      allOf: Array.from({ length: 2500 }, (_, index) => ({ properties: { [`p${index}`]: {} } })),
    },
  ],
])("leaves %s to the tool", (_name, parameters) => {
  expect(isTooHeavy(parameters)).toBe(true);
  const tool = defineTool({
    name: "lookup",
    description: "",
    parameters: { type: "object", ...parameters },
    run: () => "",
  });
  expect(tool.check({ q: "x" })).toBeNull();
});

const tree = {
  type: "object",
  properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
};

test.each([
  ["a tree", tree, { children: [{ name: 5 }] }],
  ["parts used often", doubling(8, byPointer), { q: "x" }],
  ["what may not be there", { ...tree, unevaluatedProperties: false }, { other: 1 }],
  [
    "thousands of properties",
    { properties: Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`p${index}`, { type: "string" }])) },
    { p7: 1 },
  ],
])("checks %s", (_name, parameters, wrong) => {
  expect(isTooHeavy(parameters)).toBe(false);
  const tool = defineTool({
    name: "lookup",
    description: "",
    parameters: { type: "object", ...parameters },
    run: () => "",
  });
  expect(tool.check(wrong)).not.toBeNull();
});
