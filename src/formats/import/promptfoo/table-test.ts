import type { JsonRecord } from "../../../base/json.ts";
import { scalarText } from "../../records.ts";
import type { Row } from "../table.ts";
import { parseExpected } from "./parse-expected.ts";

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
