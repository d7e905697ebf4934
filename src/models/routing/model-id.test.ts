import { expect, test } from "vitest";
import { canonicalUuid, isUuid, parseModelId } from "./model-id.ts";

test.each([
  "3F2504E0-4F89-11D3-9A0C-0305E82C3301",
  "00000000-0000-0000-0000-000000000000",
  "3f2504e0-4f89-01d3-ca0c-0305e82c3301",
  "3f2504e04f8911d39a0c0305e82c3301",
  "{3F2504E0-4F89-11D3-9A0C-0305E82C3301}",
  "urn:uuid:3f2504e0-4f89-11d3-9a0c-0305e82c3301",
])("reads %s as a fine-tuned model, unchanged", (value) => {
  expect(parseModelId(value)).toEqual({ kind: "fine-tuned", id: value });
});

test.each([
  ["openai/gpt-4o", "openai", "gpt-4o"],
  ["hf/meta-llama/Llama-3.1-8B:free", "hf", "meta-llama/Llama-3.1-8B:free"],
  ["hub/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "hub", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
  ["a/b..c", "a", "b..c"],
  ["a/...", "a", "..."],
  ["a/50%", "a", "50%"],
  ["__proto__/toString", "__proto__", "toString"],
])("splits %s at its first slash", (id, provider, model) => {
  expect(parseModelId(id)).toEqual({ kind: "hub", id, provider, model });
});

test.each(["plain", "gpt-4o:latest", "3f2504e0-4f89-11d3-9a0c", "{x}"])("reads %s as a name", (name) => {
  expect(parseModelId(name)).toEqual({ kind: "name", name });
});

test.each([undefined, null])("reports %s as missing", (value) => {
  expect(() => parseModelId(value)).toThrow(expect.objectContaining({ code: "model_id_missing" }));
});

test.each([
  "",
  " ",
  "\t",
  "a b",
  "a/",
  "/a",
  "/",
  "a//b",
  "a/../b",
  "../a",
  "..",
  "a/.",
  "a/%2e%2e",
  "a/..%2Fb",
  "a/%252e",
  "a/b?x",
  "a/b#c",
  String.raw`a\b`,
  "a/é",
  "a/\u0000b",
  "a/b\n",
  "a/b, c/d",
  "a,b",
  `a/${"b".repeat(511)}`,
])("refuses %j", (value) => {
  expect(() => parseModelId(value)).toThrow(expect.objectContaining({ code: "model_id_invalid" }));
});

test("accepts ids of up to 512 characters", () => {
  expect(parseModelId(`a/${"b".repeat(510)}`).kind).toBe("hub");
  expect(() => parseModelId(`a/${"b".repeat(511)}`)).toThrow("is longer than 512 characters");
});

test("names the value, the problem and both forms in a short message", () => {
  expect(() => parseModelId("a//b")).toThrow(
    'x-model-id "a//b" has an empty part beside a slash; send the UUID of a fine-tuned model (GET /studio/models lists them) or <provider>/<model_name>',
  );
  const failure = () => parseModelId("\u001B".repeat(10_000));
  expect(failure).toThrow(/^[ -~…]{1,900}$/);
});

const uuid = "3F2504E0-4F89-11D3-9A0C-0305E82C3301";

test.each([
  uuid,
  uuid.toLowerCase(),
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "11111111-1111-1111-1111-111111111111",
  "3f2504e04f8911d39a0c0305e82c3301",
  `{${uuid}}`,
  `urn:uuid:${uuid}`,
  `URN:UUID:${uuid}`,
])("recognizes %s as a UUID", (value) => {
  expect(isUuid(value)).toBe(true);
});

test.each([
  "",
  "support-v2",
  `${uuid}0`,
  uuid.slice(1),
  `{${uuid}`,
  `${uuid}}`,
  `urn:${uuid}`,
  `${uuid}\n`,
  uuid.replace("E", "G"),
  "3f2504e04f8911d3-9a0c0305e82c3301",
])("does not take %j for a UUID", (value) => {
  expect(isUuid(value)).toBe(false);
});

test("compares every spelling of a UUID as equal", () => {
  const spellings = [uuid, uuid.toLowerCase(), uuid.replaceAll("-", ""), `{${uuid}}`, `urn:uuid:${uuid}`];
  expect(new Set(spellings.map(canonicalUuid))).toEqual(new Set([uuid.toLowerCase()]));
});
