import { ApiError } from "../api-error.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { AttemptGrid } from "./attempt-grid.tsx";
import { ReadWhole } from "./read-whole.tsx";
import type { RowFilter } from "./row-filter.ts";
import { usePagedRows } from "./use-paged-rows.ts";

interface PagedGridProps {
  readonly runId: string;
  readonly filter: RowFilter;
  readonly live: boolean;
}

/** The grid of a large run: only the rows on screen are read. A service that has no pages is read whole. */
export function PagedGrid({ runId, filter, live }: PagedGridProps) {
  const { source, show, error, refetch } = usePagedRows(runId, filter);
  if (source) {
    return (
      <>
        {error && (
          // Rows that are missing may be far down: it stays in sight.
          <div className="sticky top-2 z-10">
            <FailedNotice error={error} onRetry={refetch} />
          </div>
        )}
        <AttemptGrid runId={runId} source={{ ...source, ...(show && { show }) }} filter={filter} live={live} />
      </>
    );
  }
  if (error instanceof ApiError && error.status === 404) return <ReadWhole runId={runId} filter={filter} live={live} />;
  if (error) return <FailedNotice error={error} onRetry={refetch} />;
  return <Skeleton rows={8} label="Loading the scenarios" />;
}
