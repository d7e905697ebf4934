import { formatAgo, formatDate } from "./format.ts";
import { useNow } from "./use-now.ts";

export function TimeAgo({ iso }: { iso: string }) {
  const now = useNow(30_000);
  return (
    <time dateTime={iso} title={formatDate(iso)} className="whitespace-nowrap">
      {formatAgo(iso, now)}
    </time>
  );
}
