import { truncateText } from "../../base/text.ts";
import { parseIfJson } from "../documents/exact-json.ts";
import { parsePythonLiteral } from "../documents/python-literal.ts";
import { listField, normalizeName, scalarText } from "../documents/records.ts";
import { passagesIn } from "../shared/context-fields.ts";
import { isConversation } from "../shared/read-messages.ts";
import { FormatError } from "../documents/format-error.ts";
import {
  columnRoles,
  isLabelName,
  isNotLabel,
  roleNames,
  type ColumnMapping,
  type ColumnRole,
} from "../documents/columns.ts";
import type { Table, TableRow } from "./read-table.ts";

export interface ColumnPlan {
  readonly roles: Readonly<Partial<Record<ColumnRole, string>>>;
  /** Columns with expected labels. */
  readonly labels: readonly string[];
  /** Columns that are kept as tags or metadata. */
  readonly others: readonly string[];
  /** Columns among the others whose role is taken, or that lack another column, with the reason. */
  readonly unused: readonly UnusedColumn[];
}

interface UnusedColumn {
  readonly name: string;
  readonly reason: string;
  /** True if the scenarios differ from what the file means. */
  readonly isLoss?: boolean;
}

export interface TablePlan extends ColumnPlan {
  /** The column with the messages before the question. */
  readonly history?: string;
}

/** A table with the mapping to read it by. */
export interface MappedTable {
  readonly table: Table;
  readonly mapping: ColumnMapping;
}

/** Decides how to read each column of a table. */
export function planTable(table: Table, mapping: ColumnMapping): TablePlan {
  const assigned = withReadableContext(assignColumns(table.names, mapping), table);
  const plan = withHistory(withConversations(assigned, table), table);
  const written = new Set<string>();
  for (const { cells } of table.rows)
    for (const name of Object.keys(cells)) if (holdsSomething(cells[name])) written.add(name);
  return {
    ...plan,
    labels: plan.labels.filter((name) => written.has(name)),
    others: plan.others.filter((name) => written.has(name)),
    unused: plan.unused.filter(({ name }) => written.has(name)),
  };
}

/** True for a table that we wrote: all its other columns are labels or parts of a scenario. */
export const isOwnTable = (names: readonly string[]): boolean =>
  ["scenario_id", "interaction_id", "user_message", "reference_reply"].every((name) => names.includes(name));

/** The columns of our own tables for parts of a whole scenario, in JSON. */
export const wholeColumns = ["metadata", "world", "tool_matching", "expect", "user"] as const;

/** The names of our own columns. */
export const ownColumns: readonly string[] = [
  "turn_index",
  "interaction_id",
  ...columnRoles.filter((role) => role !== "turn" && role !== "id").map((role) => roleNames[role][0] ?? role),
  ...wholeColumns,
];

/** True for a column of the author's own. */
export const isFreeColumn = (name: string): boolean => /^(?:x-|metadata\.)/.test(name);

/** Assigns roles to columns, by the mapping first and by name otherwise. */
export function assignColumns(names: readonly string[], mapping: ColumnMapping): ColumnPlan {
  const roles: Partial<Record<ColumnRole, string>> = {};
  const given = new Set(names);
  const bySameName = firstColumn(names.map((name) => [normalizeName(name), name]));
  const find = (wanted: string): string | undefined => bySameName.get(normalizeName(wanted));
  const mapped = (wanted: string): string => {
    const name = given.has(wanted) ? wanted : find(wanted);
    if (name === undefined)
      throw new FormatError(`there is no column "${wanted}"; the columns are ${listNames(names)}`);
    return name;
  };
  for (const role of columnRoles) {
    const wanted = mapping[role];
    if (wanted !== undefined) roles[role] = mapped(wanted);
  }
  const chosen = new Set([...Object.values(roles), ...(mapping.labels ?? []).map(mapped)]);
  for (const role of columnRoles.filter((candidate) => roles[candidate] === undefined)) {
    const name = roleNames[role].map(find).find((candidate) => candidate !== undefined && !chosen.has(candidate));
    if (name === undefined) continue;
    roles[role] = name;
    chosen.add(name);
  }
  const used = new Set(Object.values(roles));
  const rest = names.filter((name) => !used.has(name));
  const roleOf = (name: string): ColumnRole | undefined => roleByName.get(normalizeName(name));
  const isWhole = (name: string): boolean => wholeColumns.some((whole) => whole === name);
  const isOwn = isOwnTable(names) && !mapping.labels;
  const labels = mapping.labels
    ? mapping.labels.map(mapped)
    : rest.filter(
        (name) => isLabelName(name, mapping) || (isOwn && !roleOf(name) && !isWhole(name) && !isFreeColumn(name)),
      );
  const taken = new Set(labels);
  const others = rest.filter((name) => !taken.has(name));
  const unused = others.flatMap((name) => {
    const role = roleOf(name);
    return role
      ? [{ name, reason: `${roles[role]} is used as ${role}; map ${role}=${name} to use this column instead` }]
      : [];
  });
  return { roles, labels, others, unused };
}

/** The only unassigned column with conversations. */
export function conversationColumn(rows: readonly TableRow[], roles: ColumnPlan["roles"]): string | undefined {
  const taken = new Set<string>(Object.values(roles));
  const found = new Set<string>();
  for (const { cells } of rows)
    for (const name of Object.keys(cells)) if (holdsConversation(cells[name])) found.add(name);
  const free = [...found].filter((name) => !taken.has(name) && !isNotLabel(name));
  return free.length === 1 ? free[0] : undefined;
}

/** A file that is not a table may have thousands of columns, or one that is as long as the file. */
const mostListed = 20;
const longestName = 100;

/** Lists column names for a message. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, mostListed).map((name) => {
    const start = truncateText(name, longestName);
    return start.includes(",") ? `"${start}"` : start;
  });
  return shown.join(", ") + (names.length > mostListed ? ` and ${names.length - mostListed} more` : "");
}

/** The role that each known name would have if no other column had it. */
const roleByName = firstColumn(
  columnRoles
    .filter((role) => role !== "scenario_id")
    .flatMap((role) => roleNames[role].map((known): [string, ColumnRole] => [normalizeName(known), role])),
);

/** The first entry of each key wins. */
function firstColumn<Value>(entries: readonly (readonly [string, Value])[]): ReadonlyMap<string, Value> {
  return new Map(entries.toReversed());
}

/** The passages in a cell, which may be a list in JSON or as printed by Python. */
export function passagesOfCell(cell: unknown): ReturnType<typeof passagesIn> {
  if (typeof cell !== "string" || !/^\s*[[{]/.test(cell)) return passagesIn(cell);
  const json = parseIfJson(cell);
  return passagesIn(typeof json === "string" ? (parsePythonLiteral(cell) ?? cell) : json);
}

/** Some tables call other data their context: an earlier conversation, or a record of tables. Then it stays data. */
function withReadableContext(plan: ColumnPlan, { names, rows }: Table): ColumnPlan {
  const { context, ...roles } = plan.roles;
  if (context === undefined || isOwnTable(names)) return plan;
  const written = rows.map(({ cells }) => cells[context]).filter(holdsSomething);
  if (written.every((cell) => passagesOfCell(cell) !== undefined)) return plan;
  return { ...plan, roles, others: [...plan.others, context] };
}

/** With numbered turns, rows with the same id are one conversation. */
function withConversations(plan: ColumnPlan, { rows }: Table): ColumnPlan {
  const { scenario_id, turn, id, ...roles } = plan.roles;
  if (turn === undefined || scenario_id !== undefined) return plan;
  if (id !== undefined) {
    const ids = rows.map(({ cells }) => scalarText(cells[id]) ?? JSON.stringify(cells[id] ?? null));
    return new Set(ids).size < ids.length ? { ...plan, roles: { ...roles, turn, scenario_id: id } } : plan;
  }
  const reason = "no column says which rows belong to one conversation; name it with the mapping scenario_id=…";
  return { ...plan, unused: [...plan.unused, { name: turn, reason, isLoss: true }] };
}

const histories = new Set(["chathistory", "history", "conversationhistory", "messages", "conversation"]);

/** Finds the column with the messages before the question. */
function withHistory(plan: ColumnPlan, { rows }: Table): TablePlan {
  const history = plan.others.find(
    (name) => histories.has(normalizeName(name)) && rows.some(({ cells }) => isConversation(cells[name])),
  );
  if (history === undefined || plan.roles.user === undefined) return plan;
  return {
    ...plan,
    others: plan.others.filter((name) => name !== history),
    unused: plan.unused.filter(({ name }) => name !== history),
    history,
  };
}

/** An empty list counts as an empty cell, for example the `chat_history` of a first question. */
const holdsSomething = (cell: unknown): boolean => (Array.isArray(cell) ? cell.length > 0 : (cell ?? "") !== "");

const holdsConversation = (cell: unknown): boolean =>
  isConversation(cell) || isConversation(listField(cell, "messages"));
