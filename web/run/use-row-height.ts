import { useLayoutEffect, useRef, useState, type RefObject } from "react";

/** What a row was last seen to take. Whoever comes back to a list finds it as high as it was left, and so the place he was at. */
let lastSeen = 57;

/** How high a row that is not drawn yet is taken to be: as the first ones are. A guess off by a little puts a row far down screens away. */
export function useRowHeight(list: RefObject<HTMLElement | null>, { known }: { known: boolean }): number {
  const [height, setHeight] = useState(lastSeen);
  const seen = useRef(false);
  // At every render until there are rows: a list draws none before it knows where on the page it is.
  useLayoutEffect(() => {
    const rows = [...(list.current?.children ?? [])];
    if (seen.current || !known || rows.length === 0) return;
    seen.current = true;
    lastSeen = rows.reduce((sum, row) => sum + row.getBoundingClientRect().height, 0) / rows.length;
    setHeight(lastSeen);
  });
  return height;
}
