import type { Header, RowData } from "@tanstack/react-table";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { sortingFeatures } from "./sorting.ts";

interface SortHeaderProps<Row extends RowData> {
  readonly header: Header<typeof sortingFeatures, Row, unknown>;
  readonly label: string;
  readonly title?: string | undefined;
  readonly number?: boolean | undefined;
}

/** The head of a column; where it can be sorted by, a button that does. */
export function SortHeader<Row extends RowData>({ header, label, title, number = false }: SortHeaderProps<Row>) {
  const { column } = header;
  const sorted = column.getIsSorted();
  const Arrow = sorted === "desc" ? ArrowDown : ArrowUp;
  const order = sorted === false ? undefined : sorted === "desc" ? "descending" : "ascending";
  return (
    <th scope="col" title={title} className={number ? "number" : ""} aria-sort={order}>
      {column.getCanSort() ? (
        <button type="button" className="sort-button" onClick={column.getToggleSortingHandler()}>
          {label}
          {sorted !== false && <Arrow aria-hidden size={12} />}
        </button>
      ) : (
        label
      )}
    </th>
  );
}
