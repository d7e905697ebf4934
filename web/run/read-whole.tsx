import { FailedNotice } from "../parts/failed-notice.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import type { RowFilter } from "./row-filter.ts";
import { useResults } from "./use-run.ts";
import { WholeGrid } from "./whole-grid.tsx";

/** The grid of a run, out of everything stored of it. */
export function ReadWhole({ runId, filter, live }: { runId: string; filter: RowFilter; live: boolean }) {
  const results = useResults(runId);
  if (results.data) return <WholeGrid results={results.data} filter={filter} live={live} />;
  if (results.error) return <FailedNotice error={results.error} onRetry={() => void results.refetch()} />;
  return <Skeleton rows={8} label="Loading the results" />;
}
