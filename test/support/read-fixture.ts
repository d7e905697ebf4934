import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ScenarioInput } from "../../src/contract/schemas/scenario.ts";
import { importScenarios, type ScenarioImportRequest } from "../../src/formats/import-scenarios.ts";
import type { ImportResult } from "../../src/formats/scenario-file.ts";

/** Reads a file in `fixtures` into scenarios that are valid by the contract. */
export function readFixture(name: string, request: Partial<ScenarioImportRequest> = {}): ImportResult {
  const text = readFileSync(join(import.meta.dirname, "../../src/formats/fixtures", name), "utf8");
  const result = importScenarios({ text, name, ...request });
  for (const scenario of result.scenarios) ScenarioInput.parse(scenario);
  return result;
}

/** Scenario ids with [user, reference] of each turn. */
export const outline = ({ scenarios }: ImportResult) =>
  scenarios.map(({ id, interactions }) => [
    id,
    ...interactions.map((turn) => [turn.user_message, turn.reference_reply]),
  ]);

/** The notes on a file, each with its place. */
export const messages = ({ notes }: ImportResult): string[] =>
  notes.map(({ line, pointer, message }) => [line, pointer, message].filter((part) => part !== undefined).join(" | "));
