import { useEffect, useState } from "react";
import { useUnreachable } from "../../api/connection.ts";
import { formatAgo, formatDate } from "./format.ts";

export function TimeAgo({ iso }: { iso: string }) {
  const now = useNow(30_000);
  return (
    <time dateTime={iso} title={formatDate(iso)} className="whitespace-nowrap">
      {formatAgo(iso, now)}
    </time>
  );
}

/** The current time, updated every `interval` milliseconds; 0 keeps the first reading, and an outage the last one. */
export function useNow(interval: number): number {
  const [now, setNow] = useState(Date.now);
  const away = useUnreachable() !== null;
  useEffect(() => {
    if (interval === 0 || away) return;
    const timer = setInterval(() => setNow(Date.now()), interval);
    return () => clearInterval(timer);
  }, [interval, away]);
  return now;
}
