import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useSearchState } from "../address/search-state.ts";
import { passFocusTo } from "../browser/focus.ts";
import { formatInteger } from "../text/format.ts";

interface MoreButtonProps {
  readonly list: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
  readonly children: string;
}

/** Loads the next page of a list. */
export function MoreButton({ list, children }: MoreButtonProps) {
  /** Receives the focus when the last page is loaded and the button disappears. */
  const lastRow = useRef<HTMLElement>(null);
  const [ref] = useState(() => passFocusTo(() => lastRow.current));
  if (!list.hasNextPage) return null;
  return (
    <button
      type="button"
      ref={ref}
      className="button justify-self-center"
      // A disabled button would lose the focus.
      aria-disabled={list.isFetchingNextPage}
      onClick={() => {
        lastRow.current = document.querySelector("main tbody tr:last-child a");
        void list.fetchNextPage({ cancelRefetch: false });
      }}
    >
      {list.isFetchingNextPage ? "Loading …" : children}
    </button>
  );
}

/** Warns that only the loaded rows are sorted. */
export function SortedPartNote({ shown, more }: { shown: number; more: boolean }) {
  const [params] = useSearchState();
  if (!more || !params.has("sort")) return null;
  return (
    <p role="status" className="text-sm text-soft">
      Only the {formatInteger(shown)} loaded rows are sorted. Load more below.
    </p>
  );
}

/** A copy of the set with the entry added, or removed if it was there. */
export function toggled<Entry>(set: ReadonlySet<Entry>, entry: Entry): ReadonlySet<Entry> {
  const next = new Set(set);
  if (!next.delete(entry)) next.add(entry);
  return next;
}
