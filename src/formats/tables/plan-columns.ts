import { truncateText } from "../../base/text.ts";
import { listField, normalizeName, scalarText } from "../documents/records.ts";
import { isConversation } from "../read-messages.ts";
import { FormatError } from "../scenario-file.ts";
import { columnRoles, isNotLabel, roleNames, type ColumnMapping, type ColumnRole } from "./columns.ts";
import type { Table, TableRow } from "./read-table.ts";

export interface ColumnPlan {
  readonly roles: Readonly<Partial<Record<ColumnRole, string>>>;
  /** Columns with expected labels. */
  readonly labels: readonly string[];
  /** Unused columns, with the reason. */
  readonly unused: readonly { readonly name: string; readonly reason: string }[];
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
  const plan = withHistory(withConversations(assignColumns(table.names, mapping), table), table);
  return mapping.labels ? plan : keepLabelColumns(plan, table);
}

/** Assigns roles to columns, by the mapping first and by name otherwise. */
export function assignColumns(names: readonly string[], mapping: ColumnMapping): ColumnPlan {
  const roles: Partial<Record<ColumnRole, string>> = {};
  const given = new Set(names);
  const bySameName = firstOf(names.map((name) => [normalizeName(name), name]));
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
  if (mapping.labels) {
    const labels = mapping.labels.map(mapped);
    const taken = new Set(labels);
    return {
      roles,
      labels,
      unused: rest.filter((name) => !taken.has(name)).map((name) => ({ name, reason: "it is not listed in labels" })),
    };
  }
  const roleOf = (name: string): ColumnRole | undefined => roleByName.get(normalizeName(name));
  const unused = rest.flatMap((name) => {
    const role = roleOf(name);
    return role
      ? [{ name, reason: `${roles[role]} is used as ${role}; map ${role}=${name} to use this column instead` }]
      : [];
  });
  return { roles, labels: rest.filter((name) => !roleOf(name)), unused };
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
const roleByName = firstOf(
  columnRoles
    .filter((role) => role !== "scenario_id")
    .flatMap((role) => roleNames[role].map((known): [string, ColumnRole] => [normalizeName(known), role])),
);

/** The first entry of each key wins. */
function firstOf<Value>(entries: readonly (readonly [string, Value])[]): ReadonlyMap<string, Value> {
  return new Map(entries.toReversed());
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
  return { ...plan, unused: [...plan.unused, { name: turn, reason }] };
}

const histories = new Set(["chathistory", "history", "conversationhistory", "messages", "conversation"]);

/** Finds the column with the messages before the question. */
function withHistory(plan: ColumnPlan, { rows }: Table): TablePlan {
  const rest = [...plan.labels, ...plan.unused.map(({ name }) => name)];
  const history = rest.find(
    (name) => histories.has(normalizeName(name)) && rows.some(({ cells }) => isConversation(cells[name])),
  );
  if (history === undefined || plan.roles.user === undefined) return plan;
  return {
    ...plan,
    labels: plan.labels.filter((name) => name !== history),
    unused: plan.unused.filter(({ name }) => name !== history),
    history,
  };
}

const longestLabel = 100;

/**
 * Keeps label columns: labels are short. Columns with long texts (contexts, notes, sources), objects, measurements or ids do not
 * describe the reply.
 */
function keepLabelColumns(plan: TablePlan, { names, rows }: Table): TablePlan {
  // Our own tables have no other columns.
  if (names.includes("user_message")) return plan;
  const cells = cellsOf(plan.labels, rows);
  const kinds = new Map(Array.from(cells, ([name, own]) => [name, nonLabelKind(name, own)] as const));
  const given = plan.labels.filter((name) => cells.get(name)?.some(holdsSomething));
  const labels = given.filter((name) => kinds.get(name) === undefined);
  const others = given.filter((name) => kinds.get(name) !== undefined);
  const reason = (name: string): string =>
    `it contains ${kinds.get(name)}; to use it as a label, name it with the mapping labels=…`;
  return { ...plan, labels, unused: [...plan.unused, ...others.map((name) => ({ name, reason: reason(name) }))] };
}

/** An empty list counts as an empty cell, for example the `chat_history` of a first question. */
const holdsSomething = (cell: unknown): boolean => (Array.isArray(cell) ? cell.length > 0 : (cell ?? "") !== "");

/** Reads only the cells that rows have: rows with different fields may add up to as many columns as rows. */
function cellsOf(names: readonly string[], rows: readonly TableRow[]): ReadonlyMap<string, readonly unknown[]> {
  const columns = new Map<string, unknown[]>(names.map((name) => [name, []]));
  for (const { cells } of rows) for (const name of Object.keys(cells)) columns.get(name)?.push(cells[name]);
  return columns;
}

/** Describes the content of a column that is not a label. */
function nonLabelKind(name: string, cells: readonly unknown[]): string | undefined {
  const entries = cells.flat();
  if (entries.some((entry) => typeof entry === "object" && entry !== null)) return "objects, not labels";
  if (entries.some(isLongText)) return "long texts, not labels";
  if (isNotLabel(name)) return "no labels";
  return areFractions(cells) ? "fractions of one, not labels" : undefined;
}

const isLongText = (value: unknown): boolean =>
  typeof value === "string" && (value.length > longestLabel || /\n|^https?:\/\//.test(value.trim()));

/** Fractions between 0 and 1 are measurements or confidences. */
function areFractions(values: readonly unknown[]): boolean {
  const given = values.filter((value) => ![undefined, null, ""].includes(value as undefined));
  const numbers = given.map((value) => (typeof value === "boolean" ? Number.NaN : Number(value)));
  return numbers.every((number) => number >= 0 && number <= 1) && numbers.some((number) => number % 1 !== 0);
}

const holdsConversation = (cell: unknown): boolean =>
  isConversation(cell) || isConversation(listField(cell, "messages"));
