import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_text,
  tableFeatures,
  type Header,
  type RowData,
  type SortingState,
  type Updater,
} from "@tanstack/react-table";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo } from "react";
import { changeSearch, useSearchState } from "../address/search-state.ts";

/** Tables sort by one column at a time. */
export const sortingFeatures = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { text: sortFn_text },
});

/** The sort order, stored in the address: `?sort=overall` is ascending, `?sort=-overall` descending. */
export function useSortingState(): {
  state: { sorting: SortingState };
  onSortingChange: (update: Updater<SortingState>) => void;
} {
  const [params] = useSearchState();
  const text = params.get("sort") ?? "";
  const sorting = useMemo(() => parseSorting(text), [text]);
  return {
    state: { sorting },
    onSortingChange(update) {
      const [first] = typeof update === "function" ? update(sorting) : update;
      changeSearch({ sort: first ? `${first.desc ? "-" : ""}${first.id}` : null });
    },
  };
}

interface SortHeaderProps<Row extends RowData> {
  readonly header: Header<typeof sortingFeatures, Row, unknown>;
  readonly label: string;
  readonly title?: string | undefined;
  readonly number?: boolean | undefined;
}

/** A column header; a button if the column can be sorted. */
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

const parseSorting = (text: string): SortingState =>
  text === "" ? [] : [{ id: text.replace(/^-/, ""), desc: text.startsWith("-") }];
