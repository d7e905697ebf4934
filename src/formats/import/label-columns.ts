import { isNoLabel } from "../column-mapping.ts";
import type { TablePlan } from "./history-column.ts";
import type { Row, Table } from "./table.ts";

const longestLabel = 100;

/**
 * A label is a word or a few. What holds longer texts (a context, a note, a source) or objects, was measured, or tells the rows apart, says
 * nothing about how a reply should be.
 */
export function withoutOtherKinds(plan: TablePlan, { names, rows }: Table): TablePlan {
  // Our own tables hold nothing else.
  if (names.includes("user_message")) return plan;
  const cells = cellsOf(plan.labels, rows);
  const kinds = new Map(Array.from(cells, ([name, own]) => [name, otherKind(name, own)] as const));
  const given = plan.labels.filter((name) => cells.get(name)?.some(holdsSomething));
  const labels = given.filter((name) => kinds.get(name) === undefined);
  const others = given.filter((name) => kinds.get(name) !== undefined);
  const reason = (name: string): string =>
    `it holds ${kinds.get(name)}; to take it for one, name it with the mapping labels=…`;
  return { ...plan, labels, unused: [...plan.unused, ...others.map((name) => ({ name, reason: reason(name) }))] };
}

/** A list that is empty says as little as a cell that is: `chat_history` of a first question, say. */
const holdsSomething = (cell: unknown): boolean => (Array.isArray(cell) ? cell.length > 0 : (cell ?? "") !== "");

/** What stands in each column. Read from what each row has: where all name their fields otherwise, there are as many columns as rows. */
function cellsOf(names: readonly string[], rows: readonly Row[]): ReadonlyMap<string, readonly unknown[]> {
  const columns = new Map<string, unknown[]>(names.map((name) => [name, []]));
  for (const { cells } of rows) for (const name of Object.keys(cells)) columns.get(name)?.push(cells[name]);
  return columns;
}

/** What a column holds, where that is no label. */
function otherKind(name: string, cells: readonly unknown[]): string | undefined {
  const entries = cells.flat();
  if (entries.some((entry) => typeof entry === "object" && entry !== null)) return "objects, not labels";
  if (entries.some(isLongText)) return "texts, not labels";
  if (isNoLabel(name)) return "no labels";
  return areShares(cells) ? "shares of one, not labels" : undefined;
}

const isLongText = (value: unknown): boolean =>
  typeof value === "string" && (value.length > longestLabel || /\n|^https?:\/\//.test(value.trim()));

/** Numbers from 0 to 1, and not these two alone: what was measured of a reply, or how sure somebody was. */
function areShares(values: readonly unknown[]): boolean {
  const given = values.filter((value) => ![undefined, null, ""].includes(value as undefined));
  const numbers = given.map((value) => (typeof value === "boolean" ? Number.NaN : Number(value)));
  return numbers.every((number) => number >= 0 && number <= 1) && numbers.some((number) => number % 1 !== 0);
}
