import { isRecord } from "../../src/base/json.ts";

type ParsedScenarios =
  | { readonly kind: "empty" }
  | { readonly kind: "invalid"; readonly message: string }
  /** `batch` is what goes into test_batch; `request` holds the rest when a whole request was pasted. */
  | { readonly kind: "parsed"; readonly batch: unknown; readonly request: Readonly<Record<string, unknown>> };

let last: { readonly text: string; readonly parsed: ParsedScenarios } | undefined;

/**
 * Reads a scenario, an array of them, JSONL, or a whole POST /evaluate body. What they must hold is for the service to say. The
 * parts of the form all ask for the same text at every key: it is read once.
 */
export function parseScenarios(text: string): ParsedScenarios {
  if (last?.text !== text) last = { text, parsed: parse(text) };
  return last.parsed;
}

function parse(text: string): ParsedScenarios {
  if (text.trim() === "") return { kind: "empty" };
  const value = parseJson(text) ?? parseLines(text);
  if (!value) return { kind: "invalid", message: syntaxMessage(text) };
  if (isRecord(value.json) && "test_batch" in value.json) {
    const { test_batch: batch, ...request } = value.json;
    return { kind: "parsed", batch, request };
  }
  return { kind: "parsed", batch: value.json, request: {} };
}

function parseJson(text: string): { json: unknown } | null {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** One JSON document per line. */
function parseLines(text: string): { json: unknown[] } | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(parseJson);
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

/** How many scenarios and turns a batch holds, as far as its shape can be read. */
export function countTurns(batch: unknown): { scenarios: number; turns: number } {
  const scenarios = Array.isArray(batch) ? batch : [batch];
  const turnsOf = (scenario: unknown): number =>
    isRecord(scenario) && Array.isArray(scenario["interactions"]) ? scenario["interactions"].length : 0;
  return {
    scenarios: scenarios.length,
    turns: scenarios.reduce((sum: number, scenario) => sum + turnsOf(scenario), 0),
  };
}
