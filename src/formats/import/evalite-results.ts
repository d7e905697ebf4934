import { isRecord } from "../../contract/json-record.ts";
import { field, listField, pointerTo, recordField, scalarText } from "../records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import type { Item } from "./importer.ts";

/** The results in a file that evalite wrote of a run, as rows: what was asked and expected, and the reply of then. Undefined for any other file. */
export function evaliteResults({ value, place }: Item, collector: ScenarioCollector): Item[] | undefined {
  const evals = recordField(value, "run") && listField(value, "evals");
  if (!evals?.every((entry) => listField(entry, "results"))) return undefined;
  return evals.flatMap((entry, index) => {
    const at = { ...place, pointer: pointerTo(place.pointer, "evals", index) };
    const name = scalarText(field(entry, "name"));
    collector.note(
      "dropped",
      at,
      `the past results: average score ${scalarText(field(entry, "averageScore")) ?? "unknown"}`,
    );
    return (listField(entry, "results") ?? []).map((result, number) => ({
      value: isRecord(result) ? toRow(result, name) : result,
      place: { ...at, pointer: pointerTo(at.pointer, "results", number) },
    }));
  });
}

const toRow = ({ input, expected, output }: Readonly<Record<string, unknown>>, name: string | undefined): object => ({
  input,
  ...(expected !== undefined && { expected }),
  agent_reply: output,
  ...(name !== undefined && { tags: [name] }),
});
