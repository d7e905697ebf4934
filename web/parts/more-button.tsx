import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { handFocusOn } from "./hand-focus-on.ts";

interface MoreButtonProps {
  readonly list: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
  readonly children: string;
}

/** The way to the next page of a list. */
export function MoreButton({ list, children }: MoreButtonProps) {
  /** What comes with the last page stands behind it. */
  const lastRow = useRef<HTMLElement>(null);
  const [ref] = useState(() => handFocusOn(() => lastRow.current));
  if (!list.hasNextPage) return null;
  return (
    <button
      type="button"
      ref={ref}
      className="button justify-self-center"
      // Not disabled, which would take the focus away.
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
