import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";

/** How near the end counts as being there. */
const near = 80;

interface StickToEnd {
  readonly content: unknown;
  /** Goes up when something is added that the reader asked for: then the end is shown in any case. */
  readonly count: number;
}

/** Keeps a scrolling box at its end while its content grows or it gets smaller, unless the reader has scrolled up to read. */
export function useStickToEnd(box: RefObject<HTMLElement | null>, { content, count }: StickToEnd): void {
  const sticking = useRef(true);
  useLayoutEffect(() => {
    sticking.current = true;
  }, [count]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let top = element.scrollTop;
    const onScroll = (): void => {
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < near;
      // An event can be late: a box that got smaller since is off its end, though nobody scrolled up.
      sticking.current = atEnd || (sticking.current && element.scrollTop >= top);
      top = element.scrollTop;
    };
    const resized = new ResizeObserver(() => sticking.current && toEnd(element));
    element.addEventListener("scroll", onScroll, { passive: true });
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", onScroll);
      resized.disconnect();
    };
  }, [box]);

  useLayoutEffect(() => {
    if (sticking.current && box.current) toEnd(box.current);
  }, [box, content]);
}

const toEnd = (element: HTMLElement): void => element.scrollTo({ top: element.scrollHeight });
