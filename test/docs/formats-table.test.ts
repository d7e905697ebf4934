import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ScenarioInput } from "../../src/contract/schemas/scenario.ts";
import { scenarioFormats } from "../../src/formats/formats.ts";
import { importScenarios } from "../../src/formats/import-scenarios.ts";
import type { FileScenario } from "../../src/formats/scenario-file.ts";
import { codeBlocks, root } from "./markdown.ts";

/** A scenario with every part, in values that all formats can hold. */
const whole: FileScenario = ScenarioInput.parse({
  id: "cancel",
  description: "A cancellation",
  system_prompt: "Be brief.",
  tags: ["orders"],
  metadata: { owner: "support" },
  interactions: [
    {
      id: "turn-1",
      user_message: "Cancel order 7.",
      reference_reply: "It is cancelled.",
      references: ["Done."],
      reference_metadata: { intent: "cancel" },
      reference_tool_calls: [{ name: "cancel", arguments: { order: 7 } }],
      checks: [{ type: "contains", text: "cancelled" }],
    },
    { id: "turn-2", user_message: "Thanks.", reference_reply: "You are welcome." },
  ],
  world: {
    state: { orders: { "7": "paid" } },
    tools: [{ name: "cancel", parameters: { type: "object" } }],
    recorded: [{ name: "cancel", arguments: { order: 7 }, result: "ok" }],
  },
  expect: { must_not_call: ["refund"] },
});

/** The columns of the table, and the part of a scenario that each is about. */
const parts: Readonly<Record<string, (scenario: FileScenario | undefined) => unknown>> = {
  "system prompt": (scenario) => scenario?.system_prompt,
  "tags, metadata": (scenario) => [scenario?.tags, scenario?.metadata, scenario?.description],
  references: (scenario) => scenario?.interactions.map(({ reference_reply }) => reference_reply),
  labels: (scenario) => scenario?.interactions.map(({ reference_metadata }) => reference_metadata),
  checks: (scenario) => scenario?.interactions.map(({ checks }) => checks),
  "tool calls": (scenario) => scenario?.interactions.map(({ reference_tool_calls }) => reference_tool_calls),
  "their results": (scenario) => scenario?.world?.recorded,
  "world, rules": (scenario) => [scenario?.world?.state, scenario?.expect],
};

test("the chat that is shown becomes the scenario that is shown", () => {
  const [chat] = codeBlocks("docs/formats.md").filter(({ language }) => language === "json");
  const [, shown] = codeBlocks("docs/formats.md").filter(({ language }) => language === "yaml");
  const [imported] = importScenarios({ text: chat?.text ?? "" }).scenarios;
  const [expected] = importScenarios({ text: shown?.text ?? "", name: "shown.yaml" }).scenarios;
  expect({ ...imported, id: "order-7" }).toEqual(expected);
});

const table = readFileSync(join(root, "docs/formats.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const names = table.find(([first]) => first === "Format")?.slice(1) ?? [];
const rowOf = (id: string): string[] => table.find(([first]) => first?.includes(`\`${id}\``))?.slice(1) ?? [];

test("the table of formats has a row for each format and a column for each part", () => {
  expect(names).toEqual(Object.keys(parts));
  const complete = scenarioFormats.filter(({ id }) => rowOf(id).length === names.length);
  expect(complete).toEqual(scenarioFormats);
});

const writable = scenarioFormats.filter(({ write }) => write !== undefined);

test.each(writable.map(({ id }) => id))("the table says what %s carries both ways", (id) => {
  const format = writable.find((each) => each.id === id);
  const text = format?.write?.([whole]).text ?? "";
  const [restored] = importScenarios({ text, format: format?.id }).scenarios;
  const carried = names.map((name) => JSON.stringify(parts[name]?.(restored)) === JSON.stringify(parts[name]?.(whole)));
  expect(rowOf(id).map((cell) => cell === "both")).toEqual(carried);
});

test("the table does not promise to write formats that are only read", () => {
  const readOnly = scenarioFormats.filter(({ id }) => !writable.some((each) => each.id === id));
  expect(readOnly.filter(({ id }) => rowOf(id).includes("both"))).toEqual([]);
});
