import { useCallback, useLayoutEffect, useRef } from "react";

/** A function that stays the same from render to render and always does what the latest one would. */
export function useEvent<Arguments extends readonly unknown[]>(
  handler: (...values: Arguments) => void,
): (...values: Arguments) => void {
  const latest = useRef(handler);
  useLayoutEffect(() => {
    latest.current = handler;
  });
  return useCallback((...values: Arguments) => latest.current(...values), []);
}
