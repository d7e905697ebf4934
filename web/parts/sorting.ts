import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_text,
  tableFeatures,
  type SortingState,
  type Updater,
} from "@tanstack/react-table";
import { useMemo } from "react";
import { changeSearch, useSearchState } from "./use-search-state.ts";

/** Tables here sort by one column at a time, and do nothing else. */
export const sortingFeatures = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { text: sortFn_text },
});

/** The order of a table as it stands in the address: `?sort=overall`, or `?sort=-overall` from high to low. */
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

const parseSorting = (text: string): SortingState =>
  text === "" ? [] : [{ id: text.replace(/^-/, ""), desc: text.startsWith("-") }];
