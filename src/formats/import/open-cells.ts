import { isRecord } from "../../contract/json-record.ts";
import type { ColumnMapping } from "../column-mapping.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { unpackConversation } from "../unpack-conversation.ts";
import { unpackJson } from "../unpack-json.ts";
import { assignColumns } from "./assign-columns.ts";
import { conversationColumn } from "./conversation-column.ts";
import { withFlowHistory } from "./flow-history.ts";
import type { Table } from "./table.ts";

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
  const { roles, labels } = assignColumns(table.names, mapping);
  // Beside a question in words, an object is a reply that is expected in JSON.
  const data = areObjects(table, roles.user) ? [roles.user, roles.reference] : [];
  const structured = new Set([...labels, ...data.filter((name) => areObjects(table, name))]);
  const rows = table.rows.map(({ place, cells }) => {
    const opened = Object.entries(cells).map(([name, cell]) => {
      const conversation = unpackConversation(cell);
      return [name, conversation ?? (structured.has(name) ? unpackJson(cell) : cell)];
    });
    return { place, cells: withFlowHistory(Object.fromEntries(opened), { place, collector, mapping }) };
  });
  const user = roles.user ?? conversationColumn(rows, roles);
  return { table: { ...table, rows }, mapping: { ...mapping, ...(user !== undefined && { user }) } };
}

/** One text that looks like an object is a text; where each of a column does, the table holds data. */
function areObjects({ rows }: Table, name: string | undefined): boolean {
  const cells = rows.map((row) => row.cells[name ?? ""]).filter((cell) => (cell ?? "") !== "");
  return cells.length > 0 && cells.every((cell) => isRecord(unpackJson(cell)));
}
