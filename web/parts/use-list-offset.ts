import { useLayoutEffect, useState, type RefObject } from "react";

/** How far down the page a list starts. Measured at every render, since what stands above it may grow. */
export function useListOffset(list: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    if (list.current) setOffset(Math.round(list.current.getBoundingClientRect().top + scrollY));
  });
  return offset;
}
