import { expect, test } from "vitest";
import { checkAliases } from "./model-id.ts";

const uuid = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";

test("accepts aliases for UUIDs and hub models", () => {
  const aliases = checkAliases({ default: "openai/gpt-4o", support: uuid, toString: "a/b" });
  expect(Object.fromEntries(aliases)).toEqual({ default: "openai/gpt-4o", support: uuid, toString: "a/b" });
  expect(aliases.get("constructor")).toBeUndefined();
});

test.each([
  [{ "a/b": uuid }, 'Model alias "a/b": an alias may not contain a slash'],
  [{ [uuid]: "a/b" }, `Model alias "${uuid}": an alias may not look like a UUID`],
  [{ "two words": uuid }, 'Model alias "two words": an alias is printable ASCII without spaces, commas, ?, # or \\'],
  [{ "": uuid }, 'Model alias "": an alias is printable ASCII without spaces, commas, ?, # or \\'],
  [{ a: "b" }, 'Model alias "a": "b" is neither a UUID nor <provider>/<model_name>'],
  [{ a: "b/" }, 'Model alias "a": "b/" is neither a UUID nor <provider>/<model_name>'],
])("refuses %j", (aliases, message) => {
  expect(() => checkAliases(aliases)).toThrow(new Error(message));
});
