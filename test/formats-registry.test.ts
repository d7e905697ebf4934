import { Command } from "commander";
import { afterAll, expect, test, vi } from "vitest";
import type { ScenarioFormat } from "../src/formats/formats.ts";

/** A format as one entry of the list, which is all that a new one needs. */
const parrot: ScenarioFormat = {
  id: "parrot",
  title: "What a parrot heard",
  label: "Parrot",
  extensions: ["json"],
  detect: [
    {
      of: "item",
      rank: 1,
      because: "its items were heard",
      holds: (value) => Object.hasOwn(value as object, "heard"),
    },
  ],
  tables: [
    {
      rank: 1,
      read: ({ names, rows }, { collector }) => {
        if (!names.includes("heard")) return false;
        for (const { place, cells } of rows) collector.add({ place, turns: [{ user: String(cells["heard"]) }] });
        return true;
      },
    },
  ],
  read: ({ document, collector }) => {
    for (const { value, place } of document.values)
      collector.add({ place, turns: [{ user: (value as { heard: string }).heard }] });
  },
  write: (scenarios) => ({
    text: JSON.stringify({ heard: scenarios[0]?.interactions[0]?.user_message }),
    notes: [],
  }),
};

vi.resetModules();
const { scenarioFormats } = await import("../src/formats/formats.ts");
(scenarioFormats as ScenarioFormat[]).push(parrot);
// Other test files of this process must not see the entry.
afterAll(() => vi.resetModules());

// Loaded after the list has the entry.
const { formatsPage } = await import("../scripts/reference/formats-page.ts");
const { declare: declareExport } = await import("../src/cli/commands/export.ts");
const { declare: declareImport } = await import("../src/cli/commands/import.ts");
const { renderScenarios } = await import("../src/cli/scenarios/write-scenarios.ts");
const { toOpenApi } = await import("../src/contract/operations/openapi.ts");
const { exportFormats, importFormats } = await import("../src/formats/formats.data.ts");
const { importScenarios } = await import("../src/formats/import-scenarios.ts");
const { evaluationOperations } = await import("../src/services/evaluation/app.ts");

const helpOf = (declare: (command: Command) => void): string => {
  const command = new Command("rehearsal");
  declare(command);
  return command.helpInformation();
};

test("an entry of the list is detected, read and written", () => {
  const read = importScenarios({ text: '{"heard": "Hello!"}' });
  expect(read).toMatchObject({ format: "parrot", reason: "JSON: its items were heard" });
  expect(read.scenarios[0]?.interactions[0]?.user_message).toBe("Hello!");
  expect(renderScenarios(read.scenarios, { format: "parrot", file: undefined })).toMatchObject({
    format: "parrot",
    text: '{"heard":"Hello!"}\n',
  });
});

test("an entry of the list reads its tables", () => {
  const { scenarios } = importScenarios({ text: "heard,loud\nHello!,yes\n" });
  expect(scenarios[0]?.interactions[0]?.user_message).toBe("Hello!");
});

test("an entry of the list is in the help, in the reference and on the page", () => {
  expect(helpOf(declareImport)).toContain('"parrot"');
  expect(helpOf(declareExport)).toContain('"parrot"');
  expect(formatsPage()).toContain("- `parrot` (`.json`; in and out): What a parrot heard");
  expect(importFormats).toContainEqual({ id: "parrot", label: "Parrot", takesMapping: false });
  expect(exportFormats).toContainEqual({ id: "parrot", title: "Parrot", extension: "json" });
});

test("an entry of the list is in the API document", () => {
  const { paths } = toOpenApi({ title: "", version: "", description: "", operations: evaluationOperations });
  const operation = JSON.stringify(paths["/scenarios"]?.["get"]);
  expect(operation).toMatch(/"enum":\[[^\]]*"parrot"/);
});

test("no two rules have the same rank", () => {
  const rules = scenarioFormats.flatMap(({ detect = [] }) => detect.map(({ of, rank }) => `${of} ${rank}`));
  const tables = scenarioFormats.flatMap(({ tables: own = [] }) => own.map(({ rank }) => rank));
  expect(new Set(rules).size).toBe(rules.length);
  expect(new Set(tables).size).toBe(tables.length);
});
