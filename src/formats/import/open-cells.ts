import { isRecord } from "../../base/json.ts";
import type { ColumnMapping } from "../column-mapping.ts";
import { sameName } from "../records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { unpackConversation } from "../unpack-conversation.ts";
import { unpackJson } from "../unpack-json.ts";
import { assignColumns } from "./assign-columns.ts";
import { conversationColumn } from "./conversation-column.ts";
import type { Table } from "./table.ts";
import { withMetadata } from "./with-metadata.ts";

interface Opened {
  readonly table: Table;
  readonly mapping: ColumnMapping;
}

/**
 * A table in whose cells more stands than texts, with what it is: messages of a conversation, objects where a whole column has them, and lists
 * among the labels. Where no column is known to be the user's, the only one with conversations is.
 */
export function openCells(table: Table, mapping: ColumnMapping, collector: ScenarioCollector): Opened {
  // In our own tables, what looks like a list of messages is what somebody says.
  if (table.names.includes("user_message")) return { table, mapping };
  const { roles, labels } = assignColumns(table.names, withOwnLabels(mapping, table));
  // Beside a question in words, an object is a reply that is expected in JSON.
  const data = areObjects(table, roles.user) ? [roles.user, roles.reference] : [];
  const structured = new Set([...labels, "metadata", ...data.filter((name) => areObjects(table, name))]);
  const rows = table.rows.map(({ place, cells }) => {
    const context = { place, collector, mapping };
    const opened = Object.entries(cells).map(([name, cell]) => {
      const conversation = unpackConversation(cell);
      return [name, conversation ?? (structured.has(name) ? unpackJson(cell) : cell)];
    });
    return { place, cells: withMetadata(Object.fromEntries(opened), context) };
  });
  const user = roles.user ?? conversationColumn(rows, roles);
  const names = new Set(table.names);
  for (const { cells } of rows) for (const name of Object.keys(cells)) names.add(name);
  return { table: { names: [...names], rows }, mapping: { ...mapping, ...(user !== undefined && { user }) } };
}

/** Without the labels that stand in the metadata, of which nothing is known yet. */
function withOwnLabels({ labels, ...mapping }: ColumnMapping, { names }: Table): ColumnMapping {
  const own = new Set(names.map(sameName));
  return { ...mapping, ...(labels && { labels: labels.filter((name) => own.has(sameName(name))) }) };
}

/** One text that looks like an object is a text; where each of a column does, or is a conversation, the table holds data. */
function areObjects({ rows }: Table, name: string | undefined): boolean {
  const cells = rows.map((row) => row.cells[name ?? ""]).filter((cell) => (cell ?? "") !== "");
  return cells.length > 0 && cells.every((cell) => isRecord(unpackJson(cell)) || unpackConversation(cell));
}
