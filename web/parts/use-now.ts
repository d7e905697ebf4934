import { useEffect, useState } from "react";

/** The time, read again every `interval` milliseconds; 0 keeps the first reading. */
export function useNow(interval: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (interval === 0) return;
    const timer = setInterval(() => setNow(Date.now()), interval);
    return () => clearInterval(timer);
  }, [interval]);
  return now;
}
