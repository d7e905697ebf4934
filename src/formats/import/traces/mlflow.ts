import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { parseIfJson } from "../../documents/exact-json.ts";
import { anyField, field, listField, locationBelow, recordField, textField } from "../../documents/records.ts";
import { defineFormat, type Importer } from "../../shared/define-format.ts";
import type { Span } from "../../shared/imported-scenario.ts";
import { itemsOf, listUnder } from "../../shared/items.ts";
import { itemTable } from "../../tables/item-table.ts";
import { addTraces } from "./conversations.ts";
import { toSpan } from "./spans.ts";

/** MLflow traces, whose spans hold JSON texts. Without spans, the request and the response are the turn. */
const importMlflow: Importer = ({ document, collector, mapping }) => {
  const spans = itemsOf(document, listUnder("traces")).flatMap(({ value, place }): Span[] => {
    const info = isTraceRow(value) ? value : recordField(value, "info");
    const trace = textField(info, "trace_id", "request_id");
    if (!info || trace === undefined) {
      collector.note("dropped", place, "the item is not a trace");
      return [];
    }
    const about = [recordField(info, "trace_metadata", "request_metadata"), recordField(info, "tags")];
    const session = about.map((record) => textField(record, "mlflow.trace.session")).find((id) => id !== undefined);
    const data = isTraceRow(value) ? value : field(value, "data");
    const spans = parseIfJson(field(data, "spans"));
    const listed = (Array.isArray(spans) ? spans : []).flatMap(
      (span, index) => toSpan(span, locationBelow(place, "data", "spans", index), { trace, session }) ?? [],
    );
    if (listed.length > 0) return listed;
    const [input, output] = [anyField(data, "request"), anyField(data, "response")];
    const start = Number(anyField(info, "timestamp_ms", "execution_time_ms") ?? 0);
    return [{ id: trace, parent: undefined, trace, session, name: "", kind: "other", start, input, output, place }];
  });
  addTraces(spans, { collector, mapping });
};

/** `mlflow.search_traces` has a row for each trace. */
const isTraceRow = (value: unknown): value is JsonRecord =>
  isRecord(value) &&
  textField(value, "trace_id", "request_id") !== undefined &&
  "request" in value &&
  "response" in value;

export const mlflow = defineFormat({
  id: "mlflow",
  title: "MLflow traces",
  label: "MLflow traces",
  extensions: ["json", "jsonl"],
  detect: [
    {
      of: "file",
      rank: 60,
      because: "it is a trace of MLflow",
      holds: (value) => isMlflowTrace(value) || isMlflowTrace(listField(value, "traces")?.[0]),
    },
    { of: "item", rank: 50, because: "its items are traces of MLflow", holds: isMlflowTrace },
  ],
  tables: [
    itemTable({
      rank: 70,
      holds: (has) =>
        has("info", "data") || has("trace_id", "request", "response") || has("request_id", "request", "response"),
      read: importMlflow,
    }),
  ],
  read: importMlflow,
});

/** True for an MLflow trace: its info, and its spans under data; or a row of its table of traces. */
function isMlflowTrace(value: unknown): boolean {
  return (
    isTraceRow(value) ||
    (recordField(value, "info") !== undefined &&
      (listField(field(value, "data"), "spans") !== undefined ||
        anyField(field(value, "data"), "request") !== undefined))
  );
}
