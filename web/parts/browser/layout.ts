import { useLayoutEffect, useState, type RefObject } from "react";

/** Space between a sticky header and the element scrolled to below it. */
export const stickyGap = 8;

/** The height a sticky header covers; 0 when it scrolls away. Focused elements are scrolled to below it. */
export function useStickyHeaderHeight(header: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const element = header.current;
    if (!element) return;
    const measure = (): void =>
      setHeight(getComputedStyle(element).position === "sticky" ? element.offsetHeight + stickyGap : 0);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [header]);

  useLayoutEffect(() => {
    const { style } = document.documentElement;
    style.scrollPaddingTop = `${height}px`;
    return () => {
      style.scrollPaddingTop = "";
    };
  }, [height]);
  return height;
}

/** Distance of a list from the top of the page, measured on every render because the content above may grow. */
export function useListOffset(list: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    if (list.current) setOffset(Math.round(list.current.getBoundingClientRect().top + scrollY));
  });
  return offset;
}
