import { isNoLabel, type ColumnMapping } from "../column-mapping.ts";
import { below, readOutput, type ItemContext } from "../peer-item.ts";
import { sameName, scalarText } from "../records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { unpackJson } from "../unpack-json.ts";
import { assignColumns } from "./assign-columns.ts";
import { noteStep } from "./note-step.ts";
import { importTable } from "./table-rows.ts";
import type { Row, Table } from "./table.ts";
import { withMetadata } from "./with-metadata.ts";

/** What tells Langfuse's traces and observations from a dataset that has questions and answers. */
const marks = [
  ["timestamp", "bookmarked"],
  ["timestamp", "htmlPath"],
  ["traceId", "startTime"],
];

const pastText =
  "what was answered is kept as agent_reply and not expected; to expect it, name it with the mapping reference=output";

const kept = ["sessionId", "id", "input", "output", "tags"];

/**
 * Traces as Langfuse exports them, the newest first: those of one session are the turns of one scenario. False when the table has none. What
 * was answered is a past reply, unless the mapping says that it should be expected.
 */
export function importTraces({ names, rows }: Table, collector: ScenarioCollector, mapping: ColumnMapping): boolean {
  const has = (wanted: readonly string[]): boolean => wanted.every((name) => names.includes(name));
  if (mapping.user !== undefined || !has(["input", "output"]) || !marks.some(has)) return false;
  // Where something else is expected, it is a dataset that was made of traces.
  const { reference } = mapping;
  if (assignColumns(names, reference === undefined ? {} : { reference }).roles.reference !== "output") return false;
  const said = rows.flatMap((row) => readTrace(row, { place: row.place, collector, mapping }));
  const given = new Set([...names, ...said.flatMap(({ cells }) => Object.keys(cells))]);
  const labels = labelsAmong([...given], mapping);
  const left = names.filter((name) => ![...kept, "metadata", ...labels].includes(name) && !isNoLabel(name));
  if (left.length > 0) collector.note("dropped", { line: 1 }, `not part of a scenario: ${left.join(", ")}`);
  const isExpected = reference !== undefined;
  if (!isExpected) collector.note("changed", { line: 1 }, pastText);
  importTable({ names: [...kept, ...labels.filter((name) => given.has(name))], rows: inTime(said) }, collector, {
    user: "input",
    scenario_id: "sessionId",
    id: "id",
    tags: "tags",
    [isExpected ? "reference" : "agent_reply"]: "output",
    labels,
  });
  return true;
}

/** A trace with what its cells hold; nothing of what is a step of another. */
function readTrace({ place, cells }: Row, context: ItemContext): Row[] {
  if (noteStep(cells, context)) return [];
  const input = unpackJson(cells["input"]);
  if ((input ?? "") === "") {
    context.collector.note("dropped", place, "the trace has no input");
    return [];
  }
  const [tags, metadata] = [unpackJson(cells["tags"]), unpackJson(cells["metadata"])];
  const isTagged = !Array.isArray(tags) || tags.length > 0;
  const { reference: output } = readOutput(unpackJson(cells["output"]), below(context, "output"));
  return [{ place, cells: withMetadata({ ...cells, tags: isTagged ? tags : "", metadata, input, output }, context) }];
}

/** Those that were asked for, whether they are there or not, else those that are known. */
function labelsAmong(names: readonly string[], { labels }: ColumnMapping): string[] {
  const find = (wanted: string): string | undefined => names.find((name) => sameName(name) === sameName(wanted));
  return (
    labels?.map((wanted) => find(wanted) ?? wanted) ?? ["intent", "sentiment"].filter((name) => names.includes(name))
  );
}

function inTime(rows: readonly Row[]): readonly Row[] {
  const timeOf = ({ cells }: Row): number => Date.parse(scalarText(cells["timestamp"] ?? cells["startTime"]) ?? "");
  return rows.some((row) => Number.isNaN(timeOf(row)))
    ? rows
    : rows.toSorted((left, right) => timeOf(left) - timeOf(right));
}
