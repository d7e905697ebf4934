import { isRecord } from "../../src/base/json.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";

type ParsedScenarios =
  | { readonly kind: "empty" }
  | { readonly kind: "invalid"; readonly message: string }
  /** `batch` goes into test_batch; `request` has the other values of a pasted request. */
  | { readonly kind: "parsed"; readonly batch: unknown; readonly request: Readonly<Record<string, unknown>> };

let last: { readonly text: string; readonly parsed: ParsedScenarios } | undefined;

/**
 * Parses a scenario, an array of scenarios, JSONL, or a full POST /evaluate body. The service validates the content. The last
 * result is cached, because several parts of the form parse the same text on every key press.
 */
export function parseScenarios(text: string): ParsedScenarios {
  if (last?.text !== text) last = { text, parsed: parseText(text) };
  return last.parsed;
}

function parseText(text: string): ParsedScenarios {
  if (text.trim() === "") return { kind: "empty" };
  const value = parseJsonScenario(text) ?? parseLines(text);
  if (!value) return { kind: "invalid", message: syntaxMessage(text) };
  if (isRecord(value.json) && "test_batch" in value.json) {
    const { test_batch: batch, ...request } = value.json;
    return { kind: "parsed", batch, request };
  }
  return { kind: "parsed", batch: value.json, request: {} };
}

function parseJsonScenario(text: string): { json: unknown } | null {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** One JSON document per line. */
function parseLines(text: string): { json: unknown[] } | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(parseJsonScenario);
  if (lines.length < 2 || !values.every((value) => value !== null)) return null;
  return { json: values.map((value) => value.json) };
}

function syntaxMessage(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Counts scenarios and turns as far as the batch has the expected shape. */
export function countTurns(batch: unknown): { scenarios: number; turns: number } {
  const scenarios = Array.isArray(batch) ? batch : [batch];
  const turnsOf = (scenario: unknown): number =>
    isRecord(scenario) && Array.isArray(scenario["interactions"]) ? scenario["interactions"].length : 0;
  return {
    scenarios: scenarios.length,
    turns: scenarios.reduce((sum: number, scenario) => sum + turnsOf(scenario), 0),
  };
}

/** The scenarios of a text; empty if it cannot be parsed. */
export function readScenarios(text: string): readonly Readonly<Record<string, unknown>>[] {
  const parsed = parseScenarios(text);
  return parsed.kind === "parsed" ? [parsed.batch].flat().filter(isRecord) : [];
}

/** True when a scenario of the text, or the pasted request, has a world. */
export function haveWorld(text: string): boolean {
  const parsed = parseScenarios(text);
  if (parsed.kind !== "parsed") return false;
  return isRecord(parsed.request["world"]) || readScenarios(text).some(({ world }) => isRecord(world));
}

/** The text with other scenarios; the other values of a pasted request stay. */
export function replaceScenarios(text: string, scenarios: readonly unknown[]): string {
  const parsed = parseScenarios(text);
  const request = parsed.kind === "parsed" ? parsed.request : {};
  const whole = Object.keys(request).length > 0;
  return JSON.stringify(whole ? { ...request, test_batch: scenarios } : scenarios, null, 2);
}

/** The text with newer versions of the scenarios, matched by id. */
export function updateScenarios(text: string, newer: readonly Scenario[]): string {
  const byId = new Map(newer.map((scenario) => [scenario.id, scenario]));
  return replaceScenarios(
    text,
    readScenarios(text).map((scenario) => byId.get(String(scenario["id"])) ?? scenario),
  );
}
