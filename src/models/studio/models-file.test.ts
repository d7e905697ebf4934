import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseModelsFile, readModelsFile } from "./models-file.ts";

const first = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
const second = "9b2f6c1e-0000-4000-8000-000000000002";

test("reads names and UUIDs from YAML", () => {
  expect(parseModelsFile(`support-v1: ${first}\nsupport-v2: ${second}\n`, "models.yaml")).toEqual([
    { name: "support-v1", id: first },
    { name: "support-v2", id: second },
  ]);
});

test("reads a model's address and upstream name, in JSON too", () => {
  const entry = { id: second, base_url: "http://127.0.0.1:9000/v1", model: "ft:support" };
  expect(parseModelsFile(JSON.stringify({ "support v2": entry }, null, "\t"), "models.json")).toEqual([
    { name: "support v2", ...entry },
  ]);
});

test("keeps a UUID of decimal digits as text", () => {
  const digits = "12345678901234567890123456789012";
  expect(parseModelsFile(`digits: ${digits}`, "models.yaml")).toEqual([{ name: "digits", id: digits }]);
});

test("treats names of object members as ordinary names", () => {
  const text = `__proto__: ${first}\ntoString: { id: ${second} }`;
  expect(parseModelsFile(text, "models.yaml").map(({ name }) => name)).toEqual(["__proto__", "toString"]);
});

test("reads no models from an empty file", () => {
  expect(parseModelsFile("", "models.yaml")).toEqual([]);
  expect(parseModelsFile("{}", "models.json")).toEqual([]);
});

test.each([
  ["support: not-a-uuid", "models.yaml: support: must be a UUID, or hold one as id"],
  ["support:", "models.yaml: support: must be a UUID, or hold one as id"],
  [`support: [${first}]`, "models.yaml: support: must be a UUID, or hold one as id"],
  ["support: { id: 5 }", "models.yaml: support.id: must be a UUID"],
  ["support: { model: x }", "models.yaml: support.id: must be a UUID"],
  [
    `support: { id: ${first}, base_url: "ftp://x" }`,
    "models.yaml: support.base_url: must be an http or https URL without user info or fragment",
  ],
  [
    `support: { id: ${first}, base_url: "http://user:pw@x/v1" }`,
    "models.yaml: support.base_url: must be an http or https URL without user info or fragment",
  ],
  [`support: { id: ${first}, model: "" }`, "models.yaml: support.model: must not be empty"],
  [`support: { id: ${first}, base_url: [x] }`, "models.yaml: support.base_url: must be a string, not an array"],
  [`support: { id: ${first}, url: x }`, "models.yaml: support: url is not one of id, base_url, model"],
  [`a: ${first}\nb: "{${first.toUpperCase()}}"`, "models.yaml: b: has the same UUID as a"],
  [`- ${first}`, "models.yaml: must map model names to UUIDs"],
  [`"": ${first}`, "models.yaml: a model has an empty name"],
])("refuses %j and names the field", (text, message) => {
  expect(() => parseModelsFile(text, "models.yaml")).toThrow(new Error(message));
});

test("refuses broken syntax and repeated names", () => {
  expect(() => parseModelsFile("{ a: ", "models.json")).toThrow(/^models\.json: not valid YAML or JSON: /);
  expect(() => parseModelsFile(`a: ${first}\na: ${second}`, "models.yaml")).toThrow(/keys must be unique/);
});

test("reads the file from disk and names a missing one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "models-file-"));
  try {
    const path = join(folder, "models.yaml");
    await expect(readModelsFile(path)).rejects.toThrow(`${path}: cannot be read (ENOENT)`);
    await writeFile(path, `support: ${first}`);
    expect(await readModelsFile(path)).toEqual([{ name: "support", id: first }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
