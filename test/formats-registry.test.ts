import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { scenarioFormats } from "../src/formats/formats.ts";
import type { Made } from "./support/added-format.ts";

let made: Made;
beforeAll(() => {
  const script = join(import.meta.dirname, "support/added-format.ts");
  made = JSON.parse(execFileSync(process.execPath, [script], { encoding: "utf8" })) as Made;
});

test("an entry of the list is detected, read and written", () => {
  expect(made.read).toMatchObject({ format: "parrot", reason: "JSON: its items were heard" });
  expect(made.read.scenarios[0]?.interactions[0]?.user_message).toBe("Hello!");
  expect(made.written).toMatchObject({ format: "parrot", text: '{"heard":"Hello!"}\n' });
});

test("an entry of the list reads its tables", () => {
  expect(made.table.scenarios[0]?.interactions[0]?.user_message).toBe("Hello!");
});

test("an entry of the list is in the help, in the reference, in the API document and on the page", () => {
  expect(made.help.import).toContain('"parrot"');
  expect(made.help.export).toContain('"parrot"');
  expect(made.reference).toContain("- `parrot` (`.json`; in and out): What a parrot heard");
  expect(made.api).toMatch(/"enum":\[[^\]]*"parrot"/);
  expect(made.page.importFormats).toContainEqual({ id: "parrot", label: "Parrot", takesMapping: false });
  expect(made.page.exportFormats).toContainEqual({ id: "parrot", title: "Parrot", extension: "json" });
});

test("no two rules have the same rank", () => {
  const rules = scenarioFormats.flatMap(({ detect = [] }) => detect.map(({ of, rank }) => `${of} ${rank}`));
  const tables = scenarioFormats.flatMap(({ tables: own = [] }) => own.map(({ rank }) => rank));
  expect(new Set(rules).size).toBe(rules.length);
  expect(new Set(tables).size).toBe(tables.length);
});
