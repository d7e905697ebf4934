import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { starterFiles } from "../evaluate/init.ts";
import { jsonSchemaOf } from "./schema.ts";

const holds = new Ajv2020({ strict: false }).compile(jsonSchemaOf("scenario"));
const documents = (text: string): unknown[] => parseAllDocuments(text).map((document) => document.toJS());

test("the scenario schema accepts the scenarios of the guide and of init", async () => {
  const guide = await readFile(new URL("../../../../docs/formats.md", import.meta.url), "utf8");
  const [, example = ""] = /```yaml\n(id: [^`]+)```/.exec(guide) ?? [];
  const started = Object.entries(starterFiles({})).filter(([name]) => name.startsWith("scenarios/"));
  const all = [example, ...started.map(([, text]) => text)].flatMap(documents);
  expect(all).toHaveLength(3);
  for (const document of [...all, all]) expect([holds(document), holds.errors]).toEqual([true, null]);
});

test("the scenario schema refuses a turn without a message", () => {
  expect(holds({ id: "a", interactions: [{ reference_reply: "Hello" }] })).toBe(false);
  expect(holds([{ id: "a" }])).toBe(false);
  expect(holds([{ id: "a", user: { goal: "Cancel the order." } }])).toBe(true);
});
