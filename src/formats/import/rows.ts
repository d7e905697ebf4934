import { isRecord } from "../records.ts";
import { itemsOf, type Importer } from "./importer.ts";
import { importTable } from "./table-rows.ts";
import type { Row } from "./table.ts";

/** Flat JSON objects, one per line or in a list, read like the rows of a table. */
export const importRows: Importer = ({ document, collector, mapping }) => {
  const names = new Set<string>();
  const rows = itemsOf(document).flatMap(({ value, place }): Row[] => {
    if (!isRecord(value)) {
      collector.note("dropped", place, "the item is no object");
      return [];
    }
    for (const name of Object.keys(value)) names.add(name);
    return [{ place, cells: value }];
  });
  importTable({ names: [...names], rows }, collector, mapping);
};
