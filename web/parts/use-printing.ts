import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** True while the page is printed. Paper does not scroll: what is drawn only where it is in sight is then drawn everywhere. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    // At once: when this event has passed, the page is taken as it is.
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
