import { parseIfJson } from "../documents/exact-json.ts";
import type { Importer, TableRule } from "../shared/define-format.ts";

interface ItemTable {
  readonly rank: number;
  readonly holds: (has: (...names: readonly string[]) => boolean) => boolean;
  /** Columns that always hold plain text. Other columns may hold JSON. */
  readonly texts?: readonly string[];
  readonly read: Importer;
}

/** A table whose rows are the items that a tool also writes as JSON. A mapping, or a column of ours, overrides its conventions. */
export const itemTable = ({ rank, holds, texts = [], read }: ItemTable): TableRule => ({
  rank,
  read({ names, rows }, context) {
    const has = (...wanted: readonly string[]): boolean => wanted.every((name) => names.includes(name));
    if (context.mapping.user !== undefined || has("user_message") || !holds(has)) return false;
    const toValue = (name: string, cell: unknown): unknown => {
      if (cell === "") return null;
      return texts.includes(name) ? cell : parseIfJson(cell);
    };
    const values = rows.map(({ place, cells }) => ({
      place,
      value: Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, toValue(name, cell)])),
    }));
    read({ document: { syntax: "jsonl", values, notes: [] }, ...context });
    return true;
  },
});
