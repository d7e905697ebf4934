import { isRecord } from "../../src/base/json.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { parseScenarios } from "./parse-scenarios.ts";

/** The scenarios of a text, as far as it can be read. */
export function scenariosIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  const parsed = parseScenarios(text);
  return parsed.kind === "parsed" ? [parsed.batch].flat().filter(isRecord) : [];
}

/** The text with other scenarios. What a whole request says beside them stays. */
export function withScenarios(text: string, scenarios: readonly unknown[]): string {
  const parsed = parseScenarios(text);
  const request = parsed.kind === "parsed" ? parsed.request : {};
  const whole = Object.keys(request).length > 0;
  return JSON.stringify(whole ? { ...request, test_batch: scenarios } : scenarios, null, 2);
}

/** The text with the newer ones in the place of those with the same id. */
export function withNewer(text: string, newer: readonly Scenario[]): string {
  const byId = new Map(newer.map((scenario) => [scenario.id, scenario]));
  return withScenarios(
    text,
    scenariosIn(text).map((scenario) => byId.get(String(scenario["id"])) ?? scenario),
  );
}
