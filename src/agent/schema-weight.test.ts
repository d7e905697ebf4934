import { expect, test } from "vitest";
import { isTooHeavy } from "./schema-weight.ts";
import { defineTool } from "./tool.ts";

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
])("%s are left to the tool", (_name, parameters) => {
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
])("%s: is checked", (_name, parameters, wrong) => {
  expect(isTooHeavy(parameters)).toBe(false);
  const tool = defineTool({
    name: "lookup",
    description: "",
    parameters: { type: "object", ...parameters },
    run: () => "",
  });
  expect(tool.check(wrong)).not.toBeNull();
});
