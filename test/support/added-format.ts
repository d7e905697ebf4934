// Run by formats-registry.test.ts in a process of its own: adds a format to the list and prints what the product makes of it.
import { Command } from "commander";
import { scenarioFormats, type ScenarioFormat } from "../../src/formats/formats.ts";

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

(scenarioFormats as ScenarioFormat[]).push(parrot);

// Loaded after the list has the entry.
const { formatsPage } = await import("../../scripts/reference/formats-page.ts");
const { declare: declareExport } = await import("../../src/cli/commands/files/export.ts");
const { declare: declareImport } = await import("../../src/cli/commands/files/import.ts");
const { renderScenarios } = await import("../../src/cli/scenarios/write-scenarios.ts");
const { toOpenApi } = await import("../../src/contract/operations/openapi.ts");
const { exportFormats, importFormats } = await import("../../src/formats/formats.data.ts");
const { importScenarios } = await import("../../src/formats/import-scenarios.ts");
const { evaluationOperations } = await import("../../src/services/evaluation/app.ts");

const helpOf = (declare: (command: Command) => void): string => {
  const command = new Command("rehearsal");
  declare(command);
  return command.helpInformation();
};

const read = importScenarios({ text: '{"heard": "Hello!"}' });
const { paths } = toOpenApi({ title: "", version: "", description: "", operations: evaluationOperations });
const made = {
  read,
  written: renderScenarios(read.scenarios, { format: "parrot", file: undefined }),
  table: importScenarios({ text: "heard,loud\nHello!,yes\n" }),
  help: { import: helpOf(declareImport), export: helpOf(declareExport) },
  reference: formatsPage(),
  api: JSON.stringify(paths["/scenarios"]?.["get"]),
  page: { importFormats, exportFormats },
};
export type Made = typeof made;
console.log(JSON.stringify(made));
