import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { parseIfJson } from "../documents/exact-json.ts";
import { parsePythonLiteral } from "../documents/python-literal.ts";
import { listField, normalizeName } from "../documents/records.ts";
import { splitMetadata } from "../shared/dataset-item.ts";
import { descend, type ItemContext } from "../shared/items.ts";
import { isConversation } from "../shared/read-messages.ts";
import type { ScenarioCollector } from "../shared/scenario-collector.ts";
import type { ColumnMapping } from "../documents/columns.ts";
import { assignColumns, conversationColumn, type MappedTable } from "./plan-columns.ts";
import type { Table } from "./read-table.ts";

/**
 * Parses cells that hold more than text: conversations, objects if the whole column has them, and lists among the labels. If no column
 * is known to be the user's, the only one with conversations is.
 */
export function unpackCells(table: Table, mapping: ColumnMapping, collector: ScenarioCollector): MappedTable {
  // In our own tables, a cell that looks like a list of messages is text.
  if (table.names.includes("user_message")) return { table, mapping };
  const { roles, labels, others } = assignColumns(table.names, withOwnLabels(mapping, table));
  // Beside a question in text, an object is an expected JSON reply.
  const data = areObjects(table, roles.user) ? [roles.user, roles.reference] : [];
  const structured = new Set([...labels, ...others, "metadata", ...data.filter((name) => areObjects(table, name))]);
  const rows = table.rows.map(({ place, cells }) => {
    const context = { place, collector, mapping };
    const opened = Object.entries(cells).map(([name, cell]) => {
      const conversation = unpackConversation(cell);
      return [name, conversation ?? (structured.has(name) ? parseIfJson(cell) : cell)];
    });
    return { place, cells: liftMetadata(Object.fromEntries(opened), context) };
  });
  const user = roles.user ?? conversationColumn(rows, roles);
  const names = new Set(table.names);
  for (const { cells } of rows) for (const name of Object.keys(cells)) names.add(name);
  return { table: { names: [...names], rows }, mapping: { ...mapping, ...(user !== undefined && { user }) } };
}

/** Braintrust, Phoenix and others keep labels in a metadata object: known or mapped ones become columns. */
export function liftMetadata(row: JsonRecord, context: ItemContext): JsonRecord {
  const { metadata: given, ...rest } = row;
  if (!isRecord(given) || context.mapping.labels?.includes("metadata")) return row;
  const { labels, metadata } = splitMetadata(given, descend(context, "metadata"));
  return { ...labels, ...rest, ...(Object.keys(metadata).length > 0 && { metadata }) };
}

/** Drops the labels inside metadata, which are not columns yet. */
function withOwnLabels({ labels, ...mapping }: ColumnMapping, { names }: Table): ColumnMapping {
  const own = new Set(names.map(normalizeName));
  return compact({ ...mapping, labels: labels ? labels.filter((name) => own.has(normalizeName(name))) : undefined });
}

/** A single cell that looks like an object is text; a whole column of them is data. */
function areObjects({ rows }: Table, name: string | undefined): boolean {
  const cells = rows.map((row) => row.cells[name ?? ""]).filter((cell) => (cell ?? "") !== "");
  return cells.length > 0 && cells.every((cell) => isRecord(parseIfJson(cell)) || unpackConversation(cell));
}

/**
 * Parses a cell with a conversation, in JSON or as printed by Python: a list of messages, or an object with one. Undefined for any
 * other text.
 */
function unpackConversation(cell: unknown): object | undefined {
  if (typeof cell !== "string" || !/^\s*[[{]/.test(cell)) return undefined;
  const json = parseIfJson(cell);
  const value = typeof json === "string" ? parsePythonLiteral(cell) : json;
  const isKnown = [value, listField(value, "messages")].some(isConversation);
  return isKnown ? (value as object) : undefined;
}
