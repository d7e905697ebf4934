import { useEffect, useState, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

/** False while the tab is hidden. Hidden pages send no requests. */
export const useVisible = (): boolean =>
  useSyncExternalStore(onVisibilityChange, () => document.visibilityState === "visible");

/** True while the page is printed: virtual lists then render every row. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    // The browser captures the page as soon as this event has been handled.
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return printing;
}

function onVisibilityChange(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}
