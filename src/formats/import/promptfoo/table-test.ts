import type { JsonRecord } from "../../../contract/json-record.ts";
import { scalarText } from "../../records.ts";
import type { Row } from "../table.ts";
import { parseExpected } from "./parse-expected.ts";

/** A row of a table as the test it stands for: columns without underscores are variables. */
export function toTest({ cells }: Row): JsonRecord {
  const entries = Object.entries(cells).map(([name, cell]) => [name, scalarText(cell) ?? ""] as const);
  const metadata = entries.filter(([name, text]) => name.startsWith("__metadata:") && text !== "");
  const expected = entries.filter(([name, text]) => name.startsWith("__expected") && text !== "");
  return {
    vars: Object.fromEntries(entries.filter(([name]) => !name.startsWith("__"))),
    assert: expected.map(([, text]) => parseExpected(text)),
    metadata: Object.fromEntries(metadata.map(([name, text]) => [name.slice("__metadata:".length), text])),
    description: entries.find(([name]) => name === "__description")?.[1] ?? "",
  };
}
