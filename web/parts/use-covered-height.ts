import { useLayoutEffect, useState, type RefObject } from "react";

/** Between the header and what is brought into view below it. */
const gap = 8;

/** How much a header that stays on top covers: nothing where it scrolls away with the page. What takes the focus comes to rest below it. */
export function useCoveredHeight(header: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const element = header.current;
    if (!element) return;
    const measure = (): void =>
      setHeight(getComputedStyle(element).position === "sticky" ? element.offsetHeight + gap : 0);
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
