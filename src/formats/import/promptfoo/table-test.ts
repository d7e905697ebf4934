import type { JsonRecord } from "../../../base/json.ts";
import { scalarText } from "../../records.ts";
import type { Row } from "../table.ts";
import { assertionTypes } from "./assertion-types.ts";

/** A row of a table as the test it stands for: names with two underscores say what is expected and more of the test, the rest are variables. */
export function toTest({ cells }: Row): JsonRecord {
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

/** A name that ends in brackets has a list, with commas between its entries and `\,` for one within. */
function toMetadata([column, text]: [string, string]): [string, unknown] {
  const name = column.slice("__metadata:".length);
  if (!name.endsWith("[]")) return [name, text];
  return [name.slice(0, -2), text.split(/(?<!\\),/).map((entry) => entry.trim().replaceAll("\\,", ","))];
}

/** What promptfoo calls assertions in a table, where it is not the name of their type. */
const otherNames: Readonly<Record<string, string>> = { grade: "llm-rubric", fn: "javascript", eval: "javascript" };

interface Expected {
  readonly type: string;
  readonly value?: string;
  readonly threshold?: number;
}

/** An `__expected` cell: `contains: refund`, `similar(0.8): Yes`, `not-regex: \d`, `is-json`; any other text is what the reply should equal. */
export function parseExpected(text: string): Expected {
  const code = /^file:\/\/\S+?\.(?:([cm]?[jt]sx?)|py)(?::\w+)?$/.exec(text.trim());
  if (code) return { type: code[1] === undefined ? "python" : "javascript", value: text.trim() };
  const [, not = "", written = "", threshold, value] =
    /^\s*(not-)?(trajectory:[a-z-]+|[a-z][a-z0-9-]*)(?:\((\d+(?:\.\d+)?)\))?(?::\s*([\s\S]*))?$/.exec(text) ?? [];
  const type = otherNames[written] ?? written;
  // A word by itself is an answer ("ruby"), also where promptfoo has an assertion of that name that says nothing without a value.
  const saysSomething =
    value !== undefined || threshold !== undefined || /-|^(?:latency|cost|guardrails|moderation)$/.test(type);
  if (!assertionTypes.has(type) || !saysSomething) return { type: "equals", value: text };
  return {
    type: `${not}${type}`,
    ...(value !== undefined && { value }),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
  };
}
