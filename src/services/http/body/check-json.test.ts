import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { checkJson } from "./check-json.ts";

const limits = { depth: 32, keys: 1000, values: 5000 };

function refusal(text: string): ServiceError | null {
  try {
    checkJson(text, limits);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

test("accepts 32 levels and refuses 33, in arrays, objects and both", () => {
  expect(refusal("[".repeat(32) + "]".repeat(32))).toBeNull();
  expect(refusal("[".repeat(33))?.code).toBe("json_too_deep");
  expect(refusal('{"a":['.repeat(16) + "]}".repeat(16))).toBeNull();
  expect(refusal('{"a":['.repeat(17))?.code).toBe("json_too_deep");
});

test("refuses a million levels at the first one over the limit", () => {
  expect(refusal("[".repeat(1_000_000))?.message).toContain("deeper than 32 levels (at offset 32)");
});

test("ignores brackets in strings, also after escaped quotes and backslashes", () => {
  expect(refusal(JSON.stringify(["[".repeat(100), '"'.repeat(50) + "{".repeat(50), "\\", "[".repeat(40)]))).toBeNull();
});

test.each([
  ['{"__proto__":1}', "/__proto__"],
  ['{"a":[0,{"b~/c":{"constructor":{}}}]}', "/a/1/b~0~1c/constructor"],
  ['[{"x":1},{"x":{"y":"prototype"},"prototype":1}]', "/1/prototype"],
  [String.raw`{"\u005f_proto__":1}`, "/__proto__"],
  [String.raw`{"\u0063\u006f\u006e\u0073\u0074\u0072\u0075\u0063\u0074\u006f\u0072":1}`, "/constructor"],
  ['{"__proto__" \n : 1}', "/__proto__"],
])("refuses %s and names its pointer", (text, pointer) => {
  const error = refusal(text);
  expect(error?.code).toBe("key_forbidden");
  expect(error?.errors?.[0]?.pointer).toBe(pointer);
});

test.each(["toString", "hasOwnProperty", "x') OR '1'='1", "$.a", "__PROTO__", "proto"])("accepts the key %j", (key) => {
  expect(refusal(JSON.stringify({ [key]: 1 }))).toBeNull();
});

test("accepts forbidden keys as values", () => {
  expect(refusal('{"a":"__proto__","b":["constructor"],"c":"x:y"}')).toBeNull();
});

test("accepts 1000 keys per object and refuses one more with the object's pointer", () => {
  const object = (count: number) =>
    `{"outer":[{${Array.from({ length: count }, (_, index) => `"k${index}":${index}`).join(",")}}]}`;
  expect(refusal(object(1000))).toBeNull();
  expect(refusal(object(1001))?.errors?.[0]).toMatchObject({ pointer: "/outer/0", code: "too_many_keys" });
});

test("accepts more keys in the state of a world", () => {
  const records = `{${Array.from({ length: 1001 }, (_, index) => `"k${index}":${index}`).join(",")}}`;
  expect(refusal(`{"world":{"state":{"orders":${records}}}}`)).toBeNull();
  expect(refusal(`{"test_batch":[{"world":{"state":${records}}}]}`)).toBeNull();
  expect(refusal(`{"world":{"tools":[],"other":${records}}}`)?.errors?.[0]?.pointer).toBe("/world/other");
  expect(refusal(`{"state":${records}}`)?.errors?.[0]?.pointer).toBe("/state");
});

test("accepts 5000 values and refuses one more, in one array or many; commas in strings do not count", () => {
  const list = (count: number) => `[${Array.from({ length: count }, () => "0").join(",")}]`;
  expect(refusal(list(5000))).toBeNull();
  expect(refusal(list(5001))?.code).toBe("body_too_large");
  const lists = (count: number) => `[${Array.from({ length: count }, () => "[{}]").join(",")}]`;
  expect(refusal(lists(1666))).toBeNull();
  expect(refusal(lists(1667))?.code).toBe("body_too_large");
  expect(refusal(JSON.stringify([",".repeat(10_000)]))).toBeNull();
});

test("accepts all JSON within the limits, and fails on broken text only with its own error", () => {
  const sound = fc.property(
    fc.json({ maxDepth: 8 }),
    (text) => /proto|constructor/.test(text) || refusal(text) === null,
  );
  const unit = fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "a", "u");
  const broken = fc.property(fc.string({ unit }), (text) => {
    refusal(text);
  });
  expect([fc.check(sound).failed, fc.check(broken).failed]).toEqual([false, false]);
});
