import { compact } from "../../../base/compact.ts";
import type { JsonRecord } from "../../../base/json.ts";
import { scalarText } from "../../documents/records.ts";
import type { TableRow } from "../../tables/read-table.ts";
import { assertionTypes } from "./assertion-types.ts";

/** Converts a table row to a test: columns with two leading underscores are settings, the others variables. */
export function rowToTest({ cells }: TableRow): JsonRecord {
  const texts = new Map(Object.entries(cells).map(([name, cell]) => [name, scalarText(cell) ?? ""]));
  const given = (name: string): string | undefined => texts.get(name) || undefined;
  const named = (start: string): [string, string][] =>
    [...texts].filter(([name, text]) => name.startsWith(start) && text !== "");
  return {
    description: given("__description"),
    vars: Object.fromEntries([...texts].filter(([name]) => !name.startsWith("__"))),
    assert: named("__expected").map(([, text], index) => {
      const threshold =
        given(`__config:__expected${index + 1}:threshold`) ??
        (index === 0 ? given("__config:__expected:threshold") : undefined);
      return {
        ...parseExpected(text),
        metric: given("__metric"),
        ...(threshold !== undefined && { threshold: Number(threshold) }),
      };
    }),
    metadata: Object.fromEntries(named("__metadata:").map(toMetadata)),
    options: { prefix: given("__prefix"), suffix: given("__suffix") },
    threshold: given("__threshold"),
    providerOutput: given("__providerOutput"),
  };
}

/** A name ending in `[]` holds a comma-separated list; `\,` is a literal comma. */
function toMetadata([column, text]: [string, string]): [string, unknown] {
  const name = column.slice("__metadata:".length);
  if (!name.endsWith("[]")) return [name, text];
  return [name.slice(0, -2), text.split(/(?<!\\),/).map((entry) => entry.trim().replaceAll("\\,", ","))];
}

/** Short names of assertion types in tables. */
const shortNames: Readonly<Record<string, string>> = { grade: "llm-rubric", fn: "javascript", eval: "javascript" };

interface ExpectedCell {
  readonly type: string;
  readonly value?: string;
  readonly threshold?: number;
}

/**
 * Parses an `__expected` cell: `contains: refund`, `similar(0.8): Yes`, `not-regex: \d`, `is-json`; any other text must be equal to
 * the reply.
 */
export function parseExpected(text: string): ExpectedCell {
  const code = /^file:\/\/\S+?\.(?:([cm]?[jt]sx?)|py)(?::\w+)?$/.exec(text.trim());
  if (code) return { type: code[1] === undefined ? "python" : "javascript", value: text.trim() };
  const [, not = "", written = "", threshold, value] =
    /^\s*(not-)?(trajectory:[a-z-]+|[a-z][a-z0-9-]*)(?:\((\d+(?:\.\d+)?)\))?(?::\s*([\s\S]*))?$/.exec(text) ?? [];
  const type = shortNames[written] ?? written;
  // A single word is an answer ("ruby"), even if it is the name of an assertion that needs a value.
  const saysSomething =
    value !== undefined || threshold !== undefined || /-|^(?:latency|cost|guardrails|moderation)$/.test(type);
  if (!assertionTypes.has(type) || !saysSomething) return { type: "equals", value: text };
  return compact({
    type: `${not}${type}`,
    value,
    threshold: threshold !== undefined ? Number(threshold) : undefined,
  });
}
